"""Values as the databases keep them: any text, any bytes, plain JSON."""

from __future__ import annotations

import re
import zlib
from typing import Any  # Any: what is stored as JSON is any value that msgspec encodes

import msgspec

from karat.core.files.json import without_surrogates

LARGE = 2048
"""Bytes above which compressing pays."""
RAW, ZLIB = "raw", "zlib"

_MARK = "\u2400"  # ␀, the visible sign for NUL
_MARK_BYTES = _MARK.encode()
_ODD = re.compile(f"[\x00{_MARK}\ud800-\udfff]")
_ESCAPED = re.compile(f"{_MARK}(?:([0-9a-f]+);|{_MARK})")


def to_text(value: str) -> str:
    """The text in a form that both databases take. PostgreSQL has no NUL, neither has lone surrogates.

    Those become ``␀0;`` and ``␀d800;``, and ␀ itself is doubled, so that :func:`from_text` gives back what was given.
    """
    if _ODD.search(value) is None:
        return value
    return _ODD.sub(lambda found: _MARK * 2 if found[0] == _MARK else f"{_MARK}{ord(found[0]):x};", value)


def from_text(value: str) -> str:
    """The text that :func:`to_text` was given."""
    if _MARK not in value:
        return value
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else _MARK, value)


def from_texts(values: list[str]) -> list[str]:
    """The same for many: the list itself where each is as it was given."""
    return [from_text(value) for value in values] if _MARK in "".join(values) else values


def has_marks(data: bytes) -> bool:
    """Whether some text in these bytes is not as it was given to :func:`to_text`."""
    return _MARK_BYTES in data


def to_bytes(value: str) -> bytes:
    """The text as bytes, whatever its characters."""
    return value.encode("utf-8", "surrogatepass")


def from_bytes(data: bytes) -> str:
    """The text that :func:`to_bytes` was given."""
    return data.decode("utf-8", "surrogatepass")


def pack(data: bytes) -> tuple[str, bytes]:
    """(codec, bytes): compressed when large and smaller that way."""
    if len(data) > LARGE:
        small = zlib.compress(data, 1)  # level 6 costs three times as much for some percent
        if len(small) < len(data):
            return ZLIB, small
    return RAW, data


def unpack(codec: str, data: bytes) -> bytes:
    """The bytes that :func:`pack` was given."""
    return data if codec == RAW else zlib.decompress(data)


def to_json(value: Any) -> bytes:
    """The value as JSON. Lone surrogates, which JSON in UTF-8 cannot hold, become visible escapes."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(without_surrogates(msgspec.to_builtins(value)))
