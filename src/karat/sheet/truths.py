"""The truths of a question in one field: ``Carrots;Potatoes`` in a cell, or an array of values.

``;`` separates them and ``';`` is a semicolon inside one. Spaces around a value do not count. Before a semicolon, two
apostrophes stand for one, so that a value may end in one (``the farmers'';milk``); anywhere else an apostrophe is just
that. Nothing at all is NA: the question asks nothing of the field.
"""

from __future__ import annotations

import re

from karat.sheet.values import NA, Array, TableValue, Value, Wrong, present, text

_PIECES = re.compile(r"('*)(;|$)")


def split_truths(written: str) -> tuple[str, ...]:
    """The values in a cell, without doubles, in their order."""
    pieces: list[str] = []
    current = ""
    start = 0
    for found in _PIECES.finditer(written):
        quotes = len(found[1])
        current += written[start : found.start()]
        start = found.end()
        if found[2]:
            current += "'" * (quotes // 2)
            if quotes % 2:
                current += ";"
                continue
        else:
            current += found[1]
        pieces.append(current.strip())
        current = ""
    return tuple(dict.fromkeys(piece for piece in pieces if piece))


def truths_of(value: Value) -> tuple[str, ...]:
    """The distinct truths as texts; none when there is no value."""
    if value is NA:
        return ()
    if isinstance(value, str):
        return split_truths(value)
    if isinstance(value, Array):
        return tuple(dict.fromkeys(text(item, "a truth") for item in present(value.items) if item != ""))
    if isinstance(value, TableValue):
        raise Wrong("the truths must be texts, but are a table", "Name one of its fields: T[field].")
    return (text(value, "a truth"),)


def truth_cell(value: Value) -> Value:
    """What a field of truths holds in a row: an array of texts, or NA."""
    found = truths_of(value)
    return Array(list(found)) if found else NA
