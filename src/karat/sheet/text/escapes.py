"""How names and texts are written, and read back.

A ``'`` makes the next character an ordinary one, where that character would mean something: ``''``, ``'"``, ``'[``,
``']``. Before any other character it is just an apostrophe, so ``"What's cheap?"`` needs no escape, and the ``';`` of a
truth stays as it is.
"""

from __future__ import annotations

import re

KEYWORDS = ("table", "key", "dim", "apply", "filter", "sort", "total", "override", "row")
"""Words a line can begin with."""

FORMULA_WORDS = ("AND", "OR", "NOT", "MOD", "NA", "TRUE", "FALSE")
"""Words of the formulas: no table can bear one of these names without quotes."""

_ESCAPED = re.compile(r"'(['\"\[\]])")
_ESCAPED_CELL = re.compile(r"'(['\"\[\]])|\"(\")")
_ACTIVE_QUOTE = re.compile(r"'(?=['\"\[\]]|\Z)")
_FIELD_BRACKET = re.compile(r"([\[\]])")
_PLAIN_NAME = re.compile(r"[^\W\d]\w*")
_RESERVED = frozenset(word.upper() for word in (*KEYWORDS, *FORMULA_WORDS))


def unescape(body: str) -> str:
    """The text between the quotes of a literal or the brackets of a field, without escapes."""
    return _ESCAPED.sub(r"\1", body) if "'" in body else body


def unescape_cell(body: str) -> str:
    """The same in a row of an override, where a doubled quote is a quote too, as in any CSV file."""
    if "'" in body or '"' in body:
        return _ESCAPED_CELL.sub(lambda found: found[1] or found[2], body)
    return body


def text_literal(text: str) -> str:
    """``"…"``, with as few escapes as it takes."""
    return '"' + _ACTIVE_QUOTE.sub("''", text).replace('"', "'\"") + '"'


def cell_literal(text: str) -> str:
    """A text as a cell of an override."""
    return '"' + _ACTIVE_QUOTE.sub("''", text).replace('"', '""') + '"'


def field_literal(name: str) -> str:
    """``[…]``."""
    return "[" + _FIELD_BRACKET.sub(r"'\1", _ACTIVE_QUOTE.sub("''", name)) + "]"


def table_literal(name: str) -> str:
    """The name of a table: bare where it is one word, else in quotes."""
    if _PLAIN_NAME.fullmatch(name) and name.upper() not in _RESERVED:
        return name
    return "'" + name.replace("'", "''") + "'"


def name_in_quotes(body: str) -> str:
    """The text between the quotes of a table's name, without escapes."""
    return body.replace("''", "'")
