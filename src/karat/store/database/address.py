"""Which database a store URL means, and how that is said to people: without user name, password or options."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from karat.core.problems import UserError, did_you_mean

_POSTGRES = ("postgresql+psycopg", "postgresql", "postgres")
_SQLITE = ("sqlite", "sqlite+pysqlite")
_FORMS = "A store is sqlite:///FILE, a plain file name, or postgresql://USER:PASSWORD@HOST/DATABASE."
_SLASHES_FORGOTTEN = re.compile(r"(?:postgres|sqlite)[\w+]*:", re.IGNORECASE)
_PLACE = re.compile(r"[\w.,%-]*(?:\[[0-9a-fA-F:.]+\])?(?::\d{1,5})?(?:/[\w.%-]*)?")


class SqliteAddress(msgspec.Struct, frozen=True):
    """A database file."""

    path: Path

    @property
    def shown(self) -> str:
        """The file as the user wrote it."""
        return str(self.path)


class PostgresAddress(msgspec.Struct, frozen=True):
    """A database on a server. ``url`` holds the password: it goes to the driver and nowhere else."""

    url: str
    shown: str

    def __repr__(self) -> str:
        return f"PostgresAddress({self.shown!r})"

    __str__ = __repr__


Address = SqliteAddress | PostgresAddress


def parse_address(url: str) -> Address:
    """A store URL, or a plain file name, as an address."""
    scheme, mark, rest = url.partition("://")
    if not mark:
        if _SLASHES_FORGOTTEN.match(url):
            raise UserError('the store URL has no "://" after its first word', hint=_FORMS)
        return _sqlite(url)
    scheme = scheme.lower()
    if scheme in _SQLITE:
        if not rest.startswith("/"):
            raise UserError(
                "a SQLite store needs three slashes before its file", hint="Write sqlite:///.karat/karat.db."
            )
        return _sqlite(rest[1:])
    if scheme in _POSTGRES:
        return PostgresAddress(f"postgresql+psycopg://{rest}", redacted(url))
    known = re.fullmatch(r"[a-z0-9+.-]{1,30}", scheme)  # else it may be anything, a password too
    named = f'"{scheme}" is not a kind of store' if known else "the store URL cannot be read"
    hint = did_you_mean(scheme, (*_POSTGRES, "sqlite")) if known else ""
    raise UserError(named, hint=f"{hint} {_FORMS}".strip())


def _sqlite(text: str) -> SqliteAddress:
    if not text or text == ":memory:" or text.startswith("file:"):
        raise UserError(
            "a store needs a file: what is kept in memory would be lost", hint="Write sqlite:///.karat/karat.db."
        )
    if "?" in text:
        raise UserError("a SQLite store takes no options after its file name", hint="Leave out everything from ? on.")
    if "\x00" in text:
        raise UserError("the name of the store's file contains a NUL character", hint=_FORMS)
    return SqliteAddress(Path(text))


def redacted(url: str) -> str:
    """The URL with its user-info as ``***`` and without its options, which may hold a password as well.

    Only what is plainly a host, port and database is shown. A password with an unescaped /, ? or @ in it, or a
    forgotten host, leaves ``***`` alone.
    """
    scheme, _, rest = url.partition("://")
    address, _, options = rest.partition("?")
    user, at, place = address.rpartition("@")
    if "@" in options or not _PLACE.fullmatch(place):
        return f"{scheme.lower()}://***"
    return f"{scheme.lower()}://{'***@' if at and user else ''}{place}"
