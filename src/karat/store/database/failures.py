"""Errors of databases and disks, said so that a person can fix them.

Only what somebody outside the program can change becomes a :class:`UserError`; anything else is a bug and keeps its
traceback. Driver texts are not quoted: they may name the user, and they speak of sockets and pages where a person needs
to know what to do.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from sqlalchemy.exc import DBAPIError

from karat.core.problems import UserError
from karat.store.blocks.block import DamagedBlock
from karat.store.database.address import Address, PostgresAddress, SqliteAddress

_NOT_LOST = "Everything stored before is safe."
_DAMAGED = (
    "karat store check lists what is wrong, and karat store repair saves what can be saved. Where neither can open the "
    'file: sqlite3 OLD ".recover" | sqlite3 NEW.'
)
_CORRUPT = ("SQLITE_CORRUPT", "SQLITE_ERROR", "SQLITE_MISMATCH")
"""SQLite's names for a file whose pages, or whose tables, are not as they should be."""


class Unavailable(UserError):
    """What may pass by itself: a lock, a full disk, a server that cannot be reached. Nothing of what was tried is
    stored."""

    waited = False
    """Whether it was tried again for as long as was allowed."""


@contextmanager
def explained(address: Address, look: Callable[[], UserError | None] = lambda: None) -> Iterator[None]:
    """Turn what goes wrong inside into a :class:`UserError` that names the store.

    ``look`` says whether the store is damaged. It is asked about what nobody foresaw: a table that is not there, a
    value of the wrong kind. Where it finds nothing, the error is a bug and stays as it is.
    """
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        original = error.orig if isinstance(error, DBAPIError) else error
        said = _explanation(address, original)
        if said is None or (getattr(original, "sqlite_errorname", None) or "").startswith(_CORRUPT):
            said = look() or said
        if said is None:
            raise
        raise said from None  # what a server says may name the user
    except (zlib.error, msgspec.DecodeError, UnicodeDecodeError, DamagedBlock) as error:
        hint = _DAMAGED if isinstance(address, SqliteAddress) else "Restore the database from a backup."
        plain = UserError(f"the store {address.shown} is damaged: a stored value cannot be read", hint=hint)
        raise look() or plain from error
    except OverflowError as error:
        raise UserError(f"a number is too large for the store {address.shown}: it takes 64 bits") from error
    except OSError as error:
        raise os_failure(address.shown, error) from error
    except (TypeError, ValueError, LookupError, AttributeError) as error:
        said = look()
        if said is None:
            raise
        raise said from error


@contextmanager
def damage_explained(address: Address) -> Iterator[None]:
    """As ``explained``, for questions that every whole store answers: where SQLite cannot even say which tables a file
    has, that is damage and no bug."""
    with explained(address):
        try:
            yield
        except (DBAPIError, sqlite3.Error) as error:
            raise unreadable(address.shown, error) or error from None


def unreadable(shown: str, error: DBAPIError | sqlite3.Error) -> UserError | None:
    """That a file is damaged, in SQLite's words; None for what is no damage, such as a lock. A name that is no UTF-8
    is the driver's own finding, and has no code."""
    original = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(original, "sqlite_errorname", None) or "SQLITE_ERROR"
    if not isinstance(original, sqlite3.Error) or code not in ("SQLITE_ERROR", "SQLITE_CORRUPT"):
        return None
    return UserError(f"the store {shown} is damaged: {str(original).splitlines()[0]}", hint=_DAMAGED)


def os_failure(shown: str, error: OSError) -> UserError:
    """What the operating system refused."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return _full(shown)
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return read_only_failure(shown)
    return UserError(f"the store {shown} cannot be opened: {error.strerror or error}")


def read_only_failure(shown: str) -> UserError:
    """Something must be written and may not be."""
    hint = "Make the file and its folder writable, or choose another store with --store."
    return UserError(f"the store {shown} cannot be written: its file or folder is read-only", hint=hint)


def _full(shown: str) -> UserError:
    hint = f"{_NOT_LOST} Make room, then continue with karat run --resume RUN."
    return Unavailable(f"the disk that holds the store {shown} is full", hint=hint)


def _explanation(address: Address, error: BaseException | None) -> UserError | None:
    if isinstance(address, SqliteAddress):
        return _sqlite(address, error) if isinstance(error, sqlite3.Error) else None
    return _postgres(address, error)


def _sqlite(address: SqliteAddress, error: sqlite3.Error) -> UserError | None:
    shown = address.shown
    name: str = getattr(error, "sqlite_errorname", None) or ""
    if name == "SQLITE_FULL" or (name.startswith("SQLITE_IOERR") and _no_room(address.path)):
        return _full(shown)
    if name.startswith("SQLITE_READONLY"):
        return read_only_failure(shown)
    if name == "SQLITE_NOTADB":
        return UserError(
            f"{shown} is not a store: it is not a SQLite database", hint="Name another file, or move this one away."
        )
    if name.startswith("SQLITE_CORRUPT"):
        return UserError(f"the store {shown} is damaged", hint=_DAMAGED)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        hint = f"Another process is writing to it. Wait for it or stop it, then try again. {_NOT_LOST}"
        return Unavailable(f"the store {shown} stayed locked for too long", hint=hint)
    if name.startswith("SQLITE_CANTOPEN"):
        hint = "Check the permissions of the file and its folder, and whether the disk is full."
        return UserError(f"the store {shown} cannot be opened", hint=hint)
    if name.startswith("SQLITE_IOERR"):
        hint = f"{_NOT_LOST} The disk may be failing, or be a network folder, where SQLite is not safe."
        return UserError(f"reading or writing the store {shown} failed: {error}", hint=hint)
    if name == "SQLITE_TOOBIG" or "too big" in str(error):
        return UserError(f"an answer is too large for the store {shown}: SQLite takes 1 GB")
    return None


def _no_room(path: Path) -> bool:
    try:
        return shutil.disk_usage(path.parent).free < 64 * 1024
    except OSError:
        return False


_BY_STATE = {
    "28P01": ("refused the user name or password", "Check the user and password in the store's URL."),
    "28000": ("refused this user", "Check the user in the store's URL and the server's pg_hba.conf."),
    "3D000": ("has no such database", "Create it with createdb, or name another in the store's URL."),
    "53100": ("has a full disk", f"{_NOT_LOST} Make room on the server, then continue with karat run --resume RUN."),
    "53200": ("is out of memory", f"{_NOT_LOST} Try again."),
    "53300": ("has too many connections", "Close some, or raise max_connections on the server."),
    "55P03": ("kept the run locked for too long", f"Another process is writing to the same run. {_NOT_LOST}"),
    "57P03": ("is starting or stopping", "Try again in a moment."),
    "40001": ("let another transaction go first", f"{_NOT_LOST} Try again."),
    "40P01": ("ended a deadlock with another transaction", f"{_NOT_LOST} Try again."),
    "25P03": ("ended a transaction that stood still", f"This process was stopped, or its machine slept. {_NOT_LOST}"),
    "25006": ("is read-only", "Use a server that can be written to: this one is a standby or set to read only."),
    "42501": (
        "does not let this user do that",
        "Grant it: GRANT USAGE, CREATE ON SCHEMA public TO the user, and permissions on karat's tables.",
    ),
}
_PASSING = ("53100", "53200", "53300", "55P03", "57P03", "40001", "40P01", "25P03")
"""Of these, what may be otherwise in a moment."""
_TOO_LARGE = {
    "22003": "a number is too large for the store {}: it takes 64 bits",
    "54000": "a case id or an answer is too large for the store {}: PostgreSQL takes 2,700 bytes for an id and 1 GB "
    "for an answer",
}
_BY_WORDS = (  # while connecting there is no state, only the words of libpq and the server
    ("password authentication failed", "28P01"),
    ("no password supplied", "28P01"),
    ("no pg_hba.conf entry", "28000"),
    ("peer authentication failed", "28000"),
    ("too many connections", "53300"),
    ("too many clients", "53300"),
    ("starting up", "57P03"),
    ("shutting down", "57P03"),
)


def _postgres(address: PostgresAddress, error: BaseException | None) -> UserError | None:
    words = str(error).lower()
    state = getattr(error, "sqlstate", None) or next((found for word, found in _BY_WORDS if word in words), "")
    if not state and "does not exist" in words:
        state = "3D000" if "database" in words else "28000"
    if state in _BY_STATE:
        what, hint = _BY_STATE[state]
        kind = Unavailable if state in _PASSING else UserError
        return kind(f"the PostgreSQL server of {address.shown} {what}", hint=hint)
    if state in _TOO_LARGE:
        return UserError(_TOO_LARGE[state].format(address.shown))
    if _is_operational(error, state) or state.startswith(("08", "57")):
        hint = f"Check that the server is running, and the host, port and network ({_reason(words)}). {_NOT_LOST}"
        return Unavailable(f"the PostgreSQL server of {address.shown} cannot be reached", hint=hint)
    return None


def is_nonsense(error: BaseException | None) -> bool:
    """Whether what came over the connection is no answer of a server. The driver has a name for errors inside itself,
    and servers give a state with theirs."""
    kinds = {kind.__name__ for kind in type(error).__mro__}
    return "InternalError" in kinds and not getattr(error, "sqlstate", None)


def _is_operational(error: BaseException | None, state: str) -> bool:
    """Whether the connection failed. The driver's own timeouts are operational errors with a name of their own; with a
    state, such a name says what the server refused."""
    kinds = type(error).__mro__ if not state else (type(error),)
    return any(kind.__name__ == "OperationalError" for kind in kinds) or is_nonsense(error)


def _reason(words: str) -> str:
    for word in ("connection refused", "timeout", "no such file or directory", "network is unreachable", "ssl"):
        if word in words:
            return word
    if "could not translate host name" in words or "resolve host" in words or "name or service not known" in words:
        return "the host name is unknown"
    return "the connection failed or was lost"
