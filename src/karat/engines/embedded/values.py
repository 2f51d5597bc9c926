"""Rows of Python values on their way from a child: what msgpack has no form for travels as an extension."""

from __future__ import annotations

from decimal import Decimal
from typing import Any  # Any: values that msgpack has no type for

import msgspec

from karat.engines.protocol import ResultRows

DECIMAL, WHOLE, BYTES_OF_TEXT = 1, 2, 3
"""Kinds of extension: a decimal number, a whole number beyond 64 bits, a text that is not UTF-8."""


def pack(result: ResultRows, *, decimals: bool = True) -> bytes:
    """The rows as bytes. A date becomes its ISO text; a decimal number stays one, unless the caller knows that there
    are none."""
    if decimals and any(type(cell) is Decimal for row in result.rows for cell in row):
        return _encoder.encode(_sendable(result))
    try:
        return _encoder.encode(result)
    except (OverflowError, UnicodeEncodeError):  # rare, so that no other result pays for the look at every cell
        return _encoder.encode(_sendable(result))


def unpack(data: bytes) -> ResultRows:
    return _decoder.decode(data)


def _sendable(result: ResultRows) -> ResultRows:
    rows = tuple(tuple(_extended(cell) for cell in row) for row in result.rows)
    return msgspec.structs.replace(result, rows=rows)


def _extended(cell: Any) -> Any:
    if isinstance(cell, Decimal):
        return msgspec.msgpack.Ext(DECIMAL, str(cell).encode())
    if isinstance(cell, int) and not -(2**63) <= cell < 2**64:
        return msgspec.msgpack.Ext(WHOLE, str(cell).encode())
    if isinstance(cell, str):
        try:
            cell.encode()
        except UnicodeEncodeError:
            return msgspec.msgpack.Ext(BYTES_OF_TEXT, cell.encode("utf-8", "surrogateescape"))
    return cell


def _read_extension(kind: int, data: memoryview) -> Any:
    if kind == BYTES_OF_TEXT:
        return bytes(data).decode("utf-8", "surrogateescape")
    text = bytes(data).decode()
    return Decimal(text) if kind == DECIMAL else int(text)


_encoder = msgspec.msgpack.Encoder(enc_hook=str)
_decoder = msgspec.msgpack.Decoder(ResultRows, ext_hook=_read_extension)
