"""A value that has another shape than it should, in plain words: what msgspec found, without its own wording."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from karat.core.problems import nearest

_PLACE = re.compile(r"(.*?)(?: - at `([^`]*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `([^`]*)`")
_MISSING = re.compile(r"Object missing required field `([^`]*)`")
_EXPECTED = re.compile(r"Expected `([^`]*)`, got `([^`]*)`")
_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def shape_in_words(
    error: Exception, whole: str, keys: Mapping[str, Iterable[str]] | None = None, cutoff: float = 50.0
) -> str:
    """What is wrong and where, without a full stop at the end; for an unknown key the nearest known one.

    ``whole`` is what the value as a whole is called; empty: nothing needs to be said of it. ``keys`` says which keys
    are known under a name: ``values`` → id, name; "" for the whole.
    """
    found = _PLACE.fullmatch(str(error))
    message, path = (found[1], found[2] or "$") if found else (str(error), "$")
    inner = path.removeprefix("$").replace("[...]", "")
    place = inner[1:] if inner.startswith(".") else f"{whole}{inner}"
    within = f" in {place}" if place else ""
    if unknown := _UNKNOWN.fullmatch(message):
        known = list((keys or {}).get(re.sub(r"\[[^\]]*\]", "", path).rpartition(".")[2].strip("$"), ()))
        return f'unknown key "{unknown[1]}"{within}{_nearest(unknown[1], known, cutoff)}'
    if missing := _MISSING.fullmatch(message):
        return f'"{missing[1]}" is missing{within}'
    if expected := _EXPECTED.fullmatch(message):
        wanted = [kind for kind in expected[1].split(" | ") if kind != "null"]
        words = " or ".join(_KINDS.get(kind, kind) for kind in wanted) or "null"
        found_kind = _KINDS.get(expected[2], expected[2])
        return f"{place} is {found_kind}, expected {words}" if place else f"expected {words}, found {found_kind}"
    return f"{message} (in {place})" if place else message


def _nearest(key: str, known: list[str], cutoff: float) -> str:
    near = nearest(key, known, cutoff=cutoff)
    if near:
        return f". Did you mean {near[0]}?"
    return f". Known there: {', '.join(known)}" if known else ""
