"""The records that cross the pipe, and how they become plain data.

They are decoded by strict types; a text that is not a date, a number that is not one, a column of another height make
the whole message bad. Nothing of the child is executed here. The records have passed ``bounds.check`` before.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TypeAlias

import msgspec

from karat.sandbox.messages.bounds import DECIMAL_DIGITS, DIGITS, BadValue, mapping
from karat.sandbox.messages.values import Column, Other, Plain, Record, Series, Table, Unordered


class _Record(msgspec.Struct, frozen=True, tag_field="k", forbid_unknown_fields=True):
    """What is not JSON's own carries its kind."""


class _Integer(_Record, frozen=True, tag="integer"):
    v: str


class _Infinity(_Record, frozen=True, tag="infinity"):
    negative: bool


class _Complex(_Record, frozen=True, tag="complex"):
    real: int | float | _Infinity
    imag: int | float | _Infinity


class _Datetime(_Record, frozen=True, tag="datetime"):
    v: str


class _Date(_Record, frozen=True, tag="date"):
    v: str


class _Time(_Record, frozen=True, tag="time"):
    v: str


class _Timedelta(_Record, frozen=True, tag="timedelta"):
    v: float


class _Decimal(_Record, frozen=True, tag="decimal"):
    v: str


class _Bytes(_Record, frozen=True, tag="bytes"):
    v: str


class _Other(_Record, frozen=True, tag="other"):
    type: str
    v: str


class _List(_Record, frozen=True, tag="list"):
    type: str
    v: list[Wire]


class _Parts(_Record, frozen=True, tag="record"):
    type: str
    names: list[str]
    v: list[Wire]


class _Dict(_Record, frozen=True, tag="dict"):
    v: list[tuple[Wire, Wire]]


class _Column(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: Wire
    dtype: str
    values: list[Wire]


class _Series(_Record, frozen=True, tag="series"):
    name: Wire
    dtype: str
    values: list[Wire]
    counted: bool
    index: list[_Column]


class _Table(_Record, frozen=True, tag="table"):
    height: int
    columns: list[_Column]
    counted: bool
    index: list[_Column]


Wire: TypeAlias = (
    bool | int | float | str | _Integer | _Infinity | _Complex | _Datetime | _Date | _Time | _Timedelta | _Decimal
    | _Bytes | _Other | _List | _Parts | _Dict | _Series | _Table | None
)  # fmt: skip


def plain(wire: Wire) -> Plain:
    """The record as plain data; :class:`BadValue` when it cannot be."""
    if wire is None or isinstance(wire, str | bool | int | float):
        return wire
    try:
        return _plain(wire)
    except (ValueError, ArithmeticError, OverflowError) as problem:
        raise BadValue(str(problem)[:200]) from None


def _plain(wire: Wire) -> Plain:  # one branch for each kind of record
    match wire:
        case _List(type=kind, v=items):
            return _items(kind, [plain(item) for item in items])
        case _Parts(type=kind, names=names, v=items):
            if len(names) != len(items):
                raise BadValue("a record with more names than parts, or fewer")
            return Record(kind[:200], tuple(names), tuple(plain(item) for item in items))
        case _Complex(real=real, imag=imag):
            return complex(plain(real), plain(imag))
        case _Dict(v=pairs):
            made = mapping([_key(plain(key)) for key, _ in pairs], [plain(value) for _, value in pairs])
            return (
                made
                if made is not None
                else Other("dict with equal keys", "two of its keys are the same as plain data")
            )
        case _Table():
            return _table(wire)
        case _Series():
            column = _Column(wire.name, wire.dtype, wire.values)
            return Series(_column(column, len(wire.values)), _index(wire, len(wire.values)))
        case _Infinity(negative=negative):
            return float("-inf") if negative else float("inf")
        case _Integer(v=text):
            return _integer(text)
        case _Datetime(v=text):
            return datetime.fromisoformat(text)
        case _Date(v=text):
            return date.fromisoformat(text)
        case _Time(v=text):
            return time.fromisoformat(text)
        case _Timedelta(v=seconds):
            return timedelta(seconds=seconds)
        case _Decimal(v=text):
            return _decimal(text)
        case _Bytes(v=text):
            return bytes.fromhex(text)
        case _Other(type=kind, v=text):
            return Other(kind[:200], text[:2000])
        case _:
            return wire


def _integer(text: str) -> int:
    if len(text) > DIGITS + len("-0x"):
        raise BadValue("an integer of too many digits")
    return int(text, 16)


def _decimal(text: str) -> Decimal:
    """Written in full it must have no more digits than Python gives a number as text."""
    value = Decimal(text) if len(text) <= 2 * DECIMAL_DIGITS else None
    if value is None or (value.is_finite() and abs(value.adjusted()) > DECIMAL_DIGITS):
        raise BadValue("a decimal of too many digits")
    return value


def _items(kind: str, items: list[Plain]) -> Plain:
    """Most are lists; the parts of a tuple have their places, and those of a set none."""
    if kind == "tuple":
        return tuple(items)
    return Unordered(items) if kind in ("set", "frozenset") else items


def _table(wire: _Table) -> Table:
    if wire.height < 0:
        raise BadValue("a table of negative height")
    return Table(wire.height, tuple(_column(column, wire.height) for column in wire.columns), _index(wire, wire.height))


def _index(wire: _Table | _Series, height: int) -> tuple[Column, ...]:
    if wire.counted and wire.index:
        raise BadValue("an index that is counted and given")
    return tuple(_column(level, height) for level in wire.index)


def _column(wire: _Column, height: int) -> Column:
    if len(wire.values) != height:
        raise BadValue("columns of different heights")
    return Column(_key(plain(wire.name)), wire.dtype[:100], [plain(value) for value in wire.values])


def _key(value: Plain) -> Plain:
    """Labels and keys: a list becomes a tuple, what cannot be one a text."""
    if isinstance(value, Unordered):
        return tuple(sorted((_key(item) for item in value), key=repr))
    if isinstance(value, list | tuple):
        return tuple(_key(item) for item in value)
    return value if not isinstance(value, dict | Table | Series | Record | Other) else repr(value)[:200]
