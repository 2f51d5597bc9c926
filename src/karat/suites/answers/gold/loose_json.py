"""Objects out of JSONL, and out of what people write when they mean JSONL.

Clean JSONL is decoded line by line with msgspec. Anything else is read as a stream of objects: over several lines, with
commas between them, inside a list, with trailing commas, with an empty ``{}`` (ignored) and with a bare ``17.5056918%``
as a value, which is kept as the text "17.5056918%". That is how the contract prints its own samples.

What cannot be read is a problem with its line and column, and costs one object: reading goes on at the next line that
begins an object and is indented no deeper than the broken one.

A number becomes Python's number, so ``str(value)`` of a ``17.50`` is "17.5", as any tool that parses JSON sees it. How
it was written is in ``ReadObject.raw``, and :func:`member_text` finds it there.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple  # Any: the values of a JSON text that is parsed leniently

from karat.core.files.json import BadJson, decode
from karat.core.files.lines import plain_lines
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import Problem

MAX_DEPTH = 64
MAX_PROBLEMS = 200


class ReadObject(NamedTuple):
    """An object, the line it begins in (from 1), and its text as it is in the file."""

    value: JsonObject
    line: int
    raw: str


def read_file(path: Path) -> tuple[list[ReadObject], list[Problem]]:
    """The objects of a file. Its size is looked at before anything is read. Raises OSError."""
    return read_objects(read_bytes(path, utf_16=True), str(path))


def read_objects(data: bytes, file: str) -> tuple[list[ReadObject], list[Problem]]:
    """Every object that can be read, in order, and a problem for each that cannot. Empty objects are left out."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        data = data.decode("utf-16", errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    clean = _clean_lines(data)
    return (clean, []) if clean is not None else _Stream(data.decode(errors="surrogateescape"), file).read()


def member_text(raw: str, key: str) -> str:
    """How the value of a key is written in the text of an object; empty when the object has no such key."""
    scanner = _Scanner(raw)
    try:
        scanner.value(0, 0)
    except _Unreadable:
        return ""
    start, end = scanner.members.get(key, (0, 0))
    return raw[start:end]


def _clean_lines(data: bytes) -> list[ReadObject] | None:
    """The objects of clean JSONL; None when some line is anything else."""
    try:
        return list(_clean(enumerate(data.split(b"\n"), start=1)))
    except NotClean:
        return None


class NotClean(Exception):
    """A file that is not JSONL to the letter, and has to be read as a whole."""


def clean_objects(path: Path) -> Iterator[ReadObject]:
    """The objects of a file of clean JSONL, a line at a time. Raises NotClean where it comes to anything else, and
    OSError."""
    return _clean(plain_lines(path, utf_16=True))


def _clean(lines: Iterable[tuple[int, bytes]]) -> Iterator[ReadObject]:
    for number, line in lines:
        line = line.strip()
        if not line:
            continue
        try:
            value = decode(line)
        except BadJson as error:
            raise NotClean from error
        if not isinstance(value, dict) or (line.count(b"[") + line.count(b"{") > MAX_DEPTH and _too_deep(value)):
            raise NotClean
        if value:
            yield ReadObject(value, number, line.decode())


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        nested: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                nested.extend(item.values())
            elif isinstance(item, list):
                nested.extend(item)
        if not nested:
            return False
        level = nested
    return True


# -- a stream of objects ----------------------------------------------------------------------------------------------

_BETWEEN = re.compile(r"[\s,\[\]]*")
_INDENT = re.compile(r"[ \t]*")
_OBJECT_LINE = re.compile(r"^([ \t]*+)[\[\]{},; \t]*?(?=\{)", re.MULTILINE)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_MAYBE_HALF = re.compile("\\\\u[dD]|[\ud800-\udfff]")


def _all_different(pairs: list[tuple[str, Any]]) -> JsonObject:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key appears twice: the scanner says which")
    return found


_decoder = json.JSONDecoder(object_pairs_hook=_all_different)


class _Stream:
    """The objects in a text, whatever is between them."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self.problems: list[Problem] = []

    def read(self) -> tuple[list[ReadObject], list[Problem]]:
        found: list[ReadObject] = []
        at = 0
        while (start := _end(_BETWEEN, self.text, at)) < len(self.text):
            if len(self.problems) >= MAX_PROBLEMS:
                self._note(start, f"{MAX_PROBLEMS} mistakes so far; the rest of the file is not read")
                break
            try:
                value, at = _object_at(self.text, start)
            except _Unreadable as error:
                self._note(error.at, error.message, error.hint)
                at = self._next_object(start)
                continue
            if value:
                found.append(ReadObject(value, self._line(start), self.text[start:at]))
        return found, self.problems

    def _line(self, at: int) -> int:
        return bisect_right(self.line_starts, at)

    def _note(self, at: int, message: str, hint: str = "") -> None:
        line = self._line(at)
        column = at - self.line_starts[line - 1] + 1
        self.problems.append(Problem(message, file=self.file, line=line, column=column, hint=hint))

    def _next_object(self, broken: int) -> int:
        """Where reading goes on after an object that broke."""
        line = self._line(broken)
        begin = self.line_starts[line - 1]
        indent = _end(_INDENT, self.text, begin) - begin
        after = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        for match in _OBJECT_LINE.finditer(self.text, after):
            if len(match[1]) <= indent:
                return match.end()
        return len(self.text)


def _object_at(text: str, start: int) -> tuple[JsonObject, int]:
    if text[start] != "{":
        raise _Unreadable(start, f"expected an object, found {_shown(text, start)}", 'Each row is {"key": value, …}.')
    try:  # the quick way, for objects that are proper JSON
        value, end = _decoder.raw_decode(text, start)
    except (ValueError, RecursionError):
        value, end = _Scanner(text).value(start, 0)
    else:
        if _MAYBE_HALF.search(text, start, end) or _too_deep(value):
            value, end = _Scanner(text).value(start, 0)
    return value, end


# -- one value, not quite JSON ----------------------------------------------------------------------------------------

_SPACE = re.compile(r"\s*")
_TOKEN = re.compile(r'[^\s,\[\]{}":]+')
_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_PERCENT = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)%")
_WORDS = {"true": True, "false": False, "null": None, "NaN": float("nan")}


class _Unreadable(Exception):
    def __init__(self, at: int, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.at, self.message, self.hint = at, message, hint


class _Scanner:
    """Values at a place in a text, each with where it ends; remembers where the members of the outermost object
    stand."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.members: dict[str, tuple[int, int]] = {}

    def value(self, at: int, depth: int) -> tuple[Any, int]:
        if depth > MAX_DEPTH:
            raise _Unreadable(at, f"nested more than {MAX_DEPTH} deep")
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth)
        if first == "[":
            return self._list(at, depth)
        return self._string(at) if first == '"' else self._word(at)

    def _object(self, at: int, depth: int) -> tuple[JsonObject, int]:
        found: JsonObject = {}
        start, at = at, _end(_SPACE, self.text, at + 1)
        while self.text[at : at + 1] != "}":
            if self.text[at : at + 1] != '"':
                raise self._not_closed(start, at, 'a key in quotes or "}"')
            key_at = at
            key, at = self._string(at)
            at = _end(_SPACE, self.text, at)
            if self.text[at : at + 1] != ":":
                raise _Unreadable(at, f'expected ":" after the key "{key}", found {_shown(self.text, at)}')
            if key in found:
                raise _Unreadable(key_at, f'the key "{key}" appears twice in one object', "Keep one of the two.")
            begin = _end(_SPACE, self.text, at + 1)
            found[key], at = self.value(begin, depth + 1)
            if depth == 0:
                self.members[key] = (begin, at)
            at = self._separator(start, at, "}")
        return found, at + 1

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        found: list[Any] = []
        start, at = at, _end(_SPACE, self.text, at + 1)
        while self.text[at : at + 1] != "]":
            item, at = self.value(at, depth + 1)
            found.append(item)
            at = self._separator(start, at, "]")
        return found, at + 1

    def _separator(self, start: int, at: int, closing: str) -> int:
        """Past a comma, trailing or not; or at the closing bracket."""
        at = _end(_SPACE, self.text, at)
        if self.text[at : at + 1] == ",":
            return _end(_SPACE, self.text, at + 1)
        if self.text[at : at + 1] != closing:
            raise self._not_closed(start, at, f'"," or "{closing}"')
        return at

    def _not_closed(self, start: int, at: int, expected: str) -> _Unreadable:
        hint = f'The "{self.text[start]}" that it belongs to is in line {self.text.count(chr(10), 0, start) + 1}.'
        return _Unreadable(at, f"expected {expected}, found {_shown(self.text, at)}", hint)

    def _string(self, at: int) -> tuple[str, int]:
        try:
            text, end = _decoder.raw_decode(self.text, at)
        except json.JSONDecodeError as error:
            hint = 'Close it with " on the same line; write a line break as \\n and a backslash as \\\\.'
            raise _Unreadable(at, f"the string that starts here cannot be read: {error.msg}", hint) from None
        if _HALF_CHARACTER.search(text):
            raise _Unreadable(
                at, "the string that starts here contains bytes that are not UTF-8", "Save the file as UTF-8."
            )
        return text, end

    def _word(self, at: int) -> tuple[Any, int]:
        match = _TOKEN.match(self.text, at)
        if match is None:
            raise _Unreadable(at, f"expected a value, found {_shown(self.text, at)}")
        word = match[0]
        if word in _WORDS:
            return _WORDS[word], match.end()
        if _PERCENT.fullmatch(word):
            return word, match.end()
        number = _NUMBER.fullmatch(word)
        if number is None or len(word) > 4_000:  # Python refuses to read longer whole numbers
            hint = 'A string needs quotes: "…".'
            raise _Unreadable(at, f"expected a value, found {_shown(self.text, at)}", hint)
        return (float(word) if number[1] or number[2] else int(word)), match.end()


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match else at


def _shown(text: str, at: int) -> str:
    match = _TOKEN.match(text, at)
    if match is None:
        return f'"{text[at]}"' if at < len(text) else "the end of the file"
    word = match[0].encode(errors="replace").decode()
    return f'"{word}"' if len(word) <= 40 else f'"{word[:40]}…"'
