"""What is said between the parent and a child: one request, and a reply to each of its queries."""

from __future__ import annotations

from typing import Literal

import msgspec

from karat.engines.protocol import ErrorKind, ResultTable

Kind = Literal["sqlite", "duckdb"]


class Database(msgspec.Struct, frozen=True, array_like=True):
    """A file and how it is opened. Two engines with the same settings share what is open."""

    kind: Kind
    path: str
    memory: int
    """Bytes that a query may use."""
    settings: tuple[tuple[str, str], ...] = ()


class Query(msgspec.Struct, frozen=True, array_like=True):
    """One query of several, and where it runs."""

    database: Database
    sql: str


class Request(msgspec.Struct, frozen=True, array_like=True):
    """``run`` a query for its table, ``open`` a database without one, ``close`` it, or give the ``rows`` of several
    queries, each within the time and up to the number of rows."""

    verb: Literal["run", "rows", "open", "close"]
    database: Database
    sql: str = ""
    timeout: float = 60.0
    row_limit: int = 0
    queries: tuple[Query, ...] = ()


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """A table, or why there is none. ``hint`` is there when the database cannot be opened at all."""

    table: ResultTable | None = None
    kind: ErrorKind = "sql_error"
    message: str = ""
    hint: str | None = None
    rows: bytes = b""
    """Values, packed (:mod:`karat.engines.embedded.values`)."""


encode = msgspec.msgpack.Encoder().encode
decode_request = msgspec.msgpack.Decoder(Request).decode
decode_replies = msgspec.msgpack.Decoder(list[Reply]).decode


def too_much(database: Database) -> str:
    """What is said of a query that went beyond its memory."""
    return f"the query was stopped at its memory limit of {database.memory / 1e6:,.0f} MB"
