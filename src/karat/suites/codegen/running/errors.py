"""The class of an error: by its exception class first, also by those it derives from; then by its text.

The classes are the contract's. A name that pandas gives to a missing column in a particular place (``MergeError``,
``UndefinedVariableError``) is a column error; what has no class of its own, such as a time limit, is ``other_error``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.suites.codegen.records import ErrorClass

BY_EXCEPTION: dict[str, ErrorClass] = {
    "KeyError": "column_error",
    "MergeError": "column_error",
    "UndefinedVariableError": "column_error",
    "SyntaxError": "syntax_error",
    "IndentationError": "syntax_error",
    "TabError": "syntax_error",
    "TypeError": "type_error",
    "DTypePromotionError": "type_error",
    "UFuncTypeError": "type_error",
    "IntCastingNaNError": "type_error",
    "IndexError": "index_error",
    "IndexingError": "index_error",
    "AttributeError": "attribute_error",
    "ValueError": "value_error",
}

BY_TEXT: tuple[tuple[str, ErrorClass], ...] = (
    (r"\bcolumns?\b|not in (the )?index|key not found", "column_error"),
    (r"invalid syntax|unexpected indent|unterminated|was never closed", "syntax_error"),
    (r"\bdtypes?\b|unsupported operand|cannot convert|not supported between", "type_error"),
    (r"out of range|out of bounds", "index_error"),
    (r"has no attribute", "attribute_error"),
    (r"invalid value|could not convert", "value_error"),
)


def classify(exception: str, bases: Sequence[str] = (), message: str = "") -> ErrorClass:
    """``classify("KeyError", (), "'age'")`` is ``column_error``. ``bases`` are the classes it derives from, nearest
    first."""
    for name in (exception, *bases):
        if name in BY_EXCEPTION:
            return BY_EXCEPTION[name]
    for pattern, found in BY_TEXT:
        if re.search(pattern, message, re.IGNORECASE):
            return found
    return "other_error"
