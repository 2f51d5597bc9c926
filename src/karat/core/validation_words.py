"""What a library says about a value of the wrong shape, in our words: ``"id" is missing``, ``"code" must be a text, found a list``."""

from __future__ import annotations

import re

_MISSING = re.compile(r"Object missing required field `(\w+)`")
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]+)`")
_TYPE = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_PLACE = re.compile(r" - at `\$\.?([^`]*)`")
_KINDS = {
    "str": "a text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "nothing",
}


def in_words(error: Exception) -> str:
    """The message of a msgspec.ValidationError; any other message as it is."""
    text = str(error)
    place = _PLACE.search(text)
    where = place[1] if place else ""
    if missing := _MISSING.search(text):
        return f'"{_joined(where, missing[1])}" is missing'
    if unknown := _UNKNOWN.search(text):
        return f'unknown key "{_joined(where, unknown[1])}"'
    if wrong := _TYPE.search(text):
        wanted = " or ".join(_KINDS.get(kind, kind) for kind in wrong[1].split(" | ") if kind != "null")
        found = _KINDS.get(wrong[2], wrong[2])
        return f'"{where}" must be {wanted}, found {found}' if where else f"expected {wanted}, found {found}"
    return text


def _joined(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
