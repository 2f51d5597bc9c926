"""JSON in a text: the whole text, a fenced block, or an object or array with words around it.

A block in another language is not looked into: a Python dictionary is no answer in JSON. An object that gives one key
two different values says nothing that could be scored, and makes the whole response unreadable.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal

import msgspec

from karat.core.files.json import keeps_every_key
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.replies.fences import split
from karat.core.suite import Unreadable

JSON_LANGUAGES = frozenset(
    {"", "json", "jsonc", "json5", "jsonl", "javascript", "js", "yaml", "yml", "text", "txt", "plaintext", "plain"}
)
MOST_STARTS = 20_000
"""Braces and brackets of one text that are tried as the start of JSON; a text with more is no answer in JSON."""
DEEPEST = 3
"""How often JSON may be wrapped in a JSON text."""


_START = re.compile(r"[\[{]")


def _refuse(constant: str) -> Json:
    raise ValueError(f"{constant} is not JSON")


def _one_value_each(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        for key, value in pairs:
            if canonical(value) != canonical(found[key]):
                raise Unreadable(
                    f'the key "{key[:60]}" appears twice in one object of the response, with different values'
                )
    return found


_lenient = json.JSONDecoder(parse_constant=_refuse, strict=False, object_pairs_hook=_one_value_each)
"""Takes line breaks inside texts, which models write; NaN stays refused."""


def decoded(text: str) -> Json:
    """The JSON value that a whole text is; raises ValueError when it is not JSON, Unreadable for a doubled key."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    else:
        refuse_two_values(text.encode(), value)
        return value
    try:
        return _lenient.decode(text.strip())
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def refuse_two_values(text: bytes, value: Json) -> None:
    """Unreadable where a JSON text, of which ``value`` is read, gives one key of an object two different values."""
    if not keeps_every_key(text, value):
        with contextlib.suppress(ValueError, RecursionError):  # what msgspec reads is JSON
            _lenient.decode(text.decode("utf-8-sig").strip())


Reach = Literal["whole", "fenced", "prose"]
"""Where JSON is looked for: only as the whole text, also in fenced blocks, also inside words."""


def json_in(text: str, reach: Reach = "prose") -> list[tuple[object, str]]:
    """Every object and array in a text with the place where it is."""
    return list(_json_in(text, reach, DEEPEST))


def _json_in(text: str, reach: Reach, depth: int) -> Iterator[tuple[object, str]]:
    text = text.strip()
    if not text:
        return
    try:
        value = decoded(text)
    except ValueError:
        pass
    else:
        if isinstance(value, dict | list):
            yield value, "the text"
        elif isinstance(value, str) and depth:
            yield from _json_in(value, reach, depth - 1)
        return
    if reach == "whole":
        return
    blocks, outside = split(text)
    for block in blocks:
        if block.language not in JSON_LANGUAGES:
            continue
        try:
            value = decoded(block.text)
        except ValueError:
            yield from ((value, "a fenced block") for value in _scanned(block.text)) if reach == "prose" else ()
        else:
            if isinstance(value, dict | list):
                yield value, "a fenced block"
    if reach == "prose":
        yield from ((value, "the text") for value in _scanned(outside))


def _scanned(text: str) -> Iterator[object]:
    """Objects and arrays inside words, the outermost ones."""
    place = 0
    for _ in range(MOST_STARTS):
        start = _START.search(text, place)
        if start is None:
            return
        try:
            value, place = _lenient.raw_decode(text, start.start())
        except ValueError:
            place = start.end()
        except RecursionError:  # nobody answers in brackets that deep, and trying each of them takes for ever
            return
        else:
            yield value


def objects_in(value: Json) -> list[JsonMapping]:
    """A JSON object itself, or the objects of a list of them."""
    if isinstance(value, Mapping):
        return [value]
    return list(value) if isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value) else []


def canonical(value: Json) -> bytes:
    """One text for all ways to write the same JSON value."""
    try:
        return msgspec.json.encode(value, order="sorted")
    except (UnicodeError, ValueError, TypeError, RecursionError, OverflowError):
        return repr(value).encode(errors="backslashreplace")
