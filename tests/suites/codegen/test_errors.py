"""Classes of errors: the exception first, then what it derives from, then its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.suites.codegen.running.errors import classify


@pytest.mark.parametrize(
    ("exception", "bases", "message", "expected"),
    [
        ("KeyError", (), "'age'", "column_error"),
        ("MergeError", ("ValueError",), "No common columns", "column_error"),
        ("UndefinedVariableError", ("NameError",), "name 'x' is not defined", "column_error"),
        ("IndentationError", ("SyntaxError",), "unexpected indent", "syntax_error"),
        ("SyntaxError", (), "invalid syntax", "syntax_error"),
        ("TypeError", (), "unsupported operand", "type_error"),
        ("IntCastingNaNError", ("ValueError",), "cannot convert", "type_error"),
        ("IndexError", ("LookupError",), "out of bounds", "index_error"),
        ("AttributeError", (), "'DataFrame' object has no attribute 'agee'", "attribute_error"),
        ("OutOfBoundsDatetime", ("ValueError",), "Out of bounds", "value_error"),
        ("ValueError", (), "columns overlap", "value_error"),
        ("SomebodysError", (), "the column is not there", "column_error"),
        ("SomebodysError", (), "the list index is out of range: 7", "index_error"),
        ("", (), "", "other_error"),
        ("NameError", (), "name 'foo' is not defined", "other_error"),
        ("ZeroDivisionError", ("ArithmeticError",), "division by zero", "other_error"),
    ],
)
def test_classes(exception: str, bases: tuple[str, ...], message: str, expected: str) -> None:
    assert classify(exception, bases, message) == expected


@given(st.text())
def test_any_text_has_a_class(text: str) -> None:
    assert classify("SomebodysError", (), text).endswith("_error")
