"""The one way in for somebody's JSON: what msgspec reads, and also no key twice in an object, no nesting without end,
no endless number.

msgspec keeps the last of two equal keys in silence, which can make a wrong figure look right. Equal keys are found
without looking at them: a text is decoded and written again, and has lost a colon for every key that was lost: a key
has one colon, and those inside texts are written again as they are. Only where the counts differ is the text read sign
by sign, which also tells the line and column.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from karat.core.files.limits import DEPTH
from karat.core.json_types import Json
from karat.core.problems import Problem

T = TypeVar("T")

_any = msgspec.json.Decoder()
_list = msgspec.json.Decoder(list[msgspec.Raw])
_encode = msgspec.json.Encoder().encode
SHALLOW = 100
"""Levels that are never looked at: asking for the limit costs more than reading such a text."""
DISGUISED = b"\\u003"
"""How a colon is written that could make up for a lost key (as are some other signs)."""
MOST_DIGITS = 4_300
"""Of a whole number: what Python and msgspec read."""
EMPTY = "the file is empty"
EMPTY_HINT = "Check that what writes it has finished, and that this is the file that was meant."
_AT_BYTE = re.compile(r" ?\((?:at )?byte (\d+)\)$")


class BadJson(ValueError):
    """Why a text is not taken as JSON, at which of its lines, and at which column of that line."""

    def __init__(self, message: str, text: bytes = b"", offset: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message, self.hint = message, hint
        before = text[:offset]
        begin = before.rfind(b"\n") + 1
        self.line = before.count(b"\n") + 1
        self.column = len(before[begin:].decode(errors="replace")) + 1 if text else 0

    def problem(self, file: str, line: int = 1, *, what: str = "not valid JSON", hint: str = "") -> Problem:
        """The same as a finding in a file whose line ``line`` is the first of the text."""
        message = EMPTY if self.message == EMPTY else f"{what}: {self.message}"
        return Problem(message, file=file, line=line + self.line - 1, column=self.column, hint=self.hint or hint)


def decode(text: bytes) -> Json:
    """The value of a JSON text. Raises :class:`BadJson`."""
    value = _decoded(text, _any)
    colons = text.count(b":")
    # An object inside another needs a key, and so a colon: colons and "[" are no fewer than the levels, but for the
    # first.
    if (
        colons != _encode(value).count(b":")
        or DISGUISED in text
        or (colons + text.count(b"[") > SHALLOW and _maybe_deep(text))
    ):
        _look_closely(text)
    return value


def decode_as(text: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """As :func:`decode`, into a type; keys that the type does not know are held to the same rules."""
    decode(text)
    return _decoded(text, decoder)


def items(text: bytes) -> list[tuple[int, bytes]]:
    """The parts of a JSON list, each with the line it begins in, none of them looked into. Raises :class:`BadJson`."""
    found: list[tuple[int, bytes]] = []
    at, line = 0, 1
    for raw in _decoded(text, _list):
        item = bytes(raw)
        begin = text.index(item, at)
        line += text.count(b"\n", at, begin)
        found.append((line, item))
        line += item.count(b"\n")
        at = begin + len(item)
    return found


def _decoded(text: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    try:
        return decoder.decode(text)
    except RecursionError:
        raise _too_deep(text) from None
    except UnicodeDecodeError as error:
        raise BadJson("it is not UTF-8 text", text, _first_bad_byte(text), "Save the file as UTF-8.") from error
    except msgspec.DecodeError as error:
        if not text.removeprefix(b"\xef\xbb\xbf").strip():
            raise BadJson(EMPTY, hint=EMPTY_HINT) from error
        found = _AT_BYTE.search(str(error))
        _look_closely(text, only_numbers=True)
        raise BadJson(_AT_BYTE.sub("", str(error)), text, int(found[1]) if found else 0) from error


def _first_bad_byte(text: bytes) -> int:
    try:
        text.decode()
    except UnicodeDecodeError as error:
        return error.start
    return 0


# -- the quick look ---------------------------------------------------------------------------------------------------


def keeps_every_key(text: bytes, value: Json) -> bool:
    """Whether no key is lost between the text and its value. False is only a suspicion."""
    return text.count(b":") == _encode(value).count(b":") and DISGUISED not in text


def _maybe_deep(text: bytes) -> bool:
    brackets = text.count(b"[") + text.count(b"{")
    return brackets > (deepest := DEPTH.value) and _bracket_depth(text) > deepest


_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def _bracket_depth(text: bytes) -> int:
    """How deep brackets nest; those inside texts count too, so it may be too much."""
    deepest = depth = 0
    for sign in text.translate(None, _NO_BRACKETS):
        depth += 1 if sign in b"[{" else -1
        deepest = max(deepest, depth)
    return deepest


# -- the close look ---------------------------------------------------------------------------------------------------

_INTEGER = re.compile(rb"-?([0-9]*)")
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|[{}\[\],:]|-?[0-9][0-9.eE+-]*+', re.DOTALL)


def _look_closely(text: bytes, *, only_numbers: bool = False) -> None:
    """Raise for the first key that appears twice, the first level that is too deep, the first number that is too
    long."""
    deepest = DEPTH.value
    objects: list[dict[str, int] | None] = []
    for start, token, key in _tokens(text):
        first = token[:1]
        whole = _INTEGER.match(token) if first in b"0123456789-" else None
        digits = len(whole[1]) if whole else 0
        if digits > MOST_DIGITS:
            message = f"a whole number of {digits:,} digits; at most {MOST_DIGITS:,} are supported"
            raise BadJson(message, text, start, "Write it in quotes, as a string.")
        if only_numbers:
            continue
        if first in b"{[":
            objects.append({} if first == b"{" else None)
            if len(objects) > deepest:
                raise BadJson(
                    f"nested more than {deepest:,} levels deep", text, start, f"To allow more, set {DEPTH.variable}."
                )
        elif first in b"}]" and objects:
            objects.pop()
        elif key and objects and (held := objects[-1]) is not None:
            name = str(_any.decode(token))
            if name in held:
                line = text.count(b"\n", 0, held[name]) + 1
                also = f", first in line {line}" if b"\n" in text.strip() else ""
                shown = name if len(name) <= 60 else f"{name[:60]}…"
                raise BadJson(
                    f'the key "{shown}" appears twice in one object{also}', text, start, "Keep one of the two."
                )
            held[name] = start


def _tokens(text: bytes) -> Iterator[tuple[int, bytes, bool]]:
    """(place, token, whether it is a key) of everything but words."""
    before: re.Match[bytes] | None = None
    for found in _TOKEN.finditer(text):
        if before is not None:
            yield before.start(), before[0], before[0][:1] == b'"' and found[0] == b":"
        before = found
    if before is not None:
        yield before.start(), before[0], False


def _too_deep(text: bytes) -> BadJson:
    deepest = min(DEPTH.value, sys.getrecursionlimit() - 50)
    depth = 0
    for start, token, _ in _tokens(text):
        depth += (token in b"{[") - (token in b"}]")
        if depth > deepest:
            return BadJson(
                f"nested more than {deepest:,} levels deep", text, start, f"To allow more, set {DEPTH.variable}."
            )
    return BadJson(f"nested more than {deepest:,} levels deep", text)


def without_surrogates(value: Json) -> Json:
    """The value with lone surrogates, which JSON in UTF-8 cannot hold, as visible escapes."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value
