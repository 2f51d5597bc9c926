"""The one way in for a user's file: a regular file, not too large, unpacked within bounds, and text where text is
expected.

A name may lead to a pipe that nobody fills, a device that never ends, or 13 MB of gzip that unpack to 3 GB. Each is a
:class:`FileRefused`, in bounded time and memory. What the file system itself refuses stays an ``OSError``.
"""

from __future__ import annotations

import errno
import gzip
import io
import os
import shlex
import stat
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.files.kinds import LOOKED_AT, MARKS, foreign_kind
from karat.core.files.limits import FILE_MB, MIB, UNPACKED_MB, Limit
from karat.core.problems import Problem, UserError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

GZIP = b"\x1f\x8b"
BOM = b"\xef\xbb\xbf"
NOTHING_YET = "it waits for something to read"
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)


class FileRefused(UserError, OSError):
    """A file that is not read, and why. An OSError too: who goes on after what a disk refuses goes on after this."""

    def __init__(self, path: str | Path, reason: str, *, hint: str = "", line: int = 0, column: int = 0) -> None:
        self.problem = Problem(reason, file=str(path), line=line, column=column, hint=hint)
        super().__init__(f"{path} cannot be read: {reason}", hint=hint, problems=[self.problem] if line else ())
        self.strerror = reason


def kind_of(mode: int) -> str:
    """What a mode stands for, where it is not a regular file."""
    return next((noun for test, noun in _KINDS if test(mode)), "not a regular file")


def why_not_there(path: Path, missing: str = "no such file or folder") -> str:
    """Why a path is neither a file nor a folder."""
    try:
        return f"it is {kind_of(path.stat().st_mode)}, not a file"
    except (OSError, ValueError):  # ValueError: a NUL character in its name
        return missing


_pretended: ContextVar[Mapping[str, bytes] | None] = ContextVar("pretended files", default=None)


@contextmanager
def pretending(contents: Mapping[Path, bytes]) -> Iterator[None]:
    """Inside this block, these files read as if they had these contents: a change is tried before it is written."""
    token = _pretended.set({os.path.realpath(path): content for path, content in contents.items()})
    try:
        yield
    finally:
        _pretended.reset(token)


def _in_place_of(content: bytes) -> io.BufferedReader:
    handle, name = tempfile.mkstemp(prefix="karat-")  # a real file: readers ask for its size
    os.unlink(name)  # noqa: PTH108 (a name that is gone at once)
    file = os.fdopen(handle, "w+b")
    file.write(content)
    file.seek(0)
    return io.BufferedReader(file.detach())


def open_bytes(path: str | Path, limit: Limit = FILE_MB) -> io.BufferedReader:
    """A regular file that is not too large, open for reading."""
    if (pretended := _pretended.get()) and (content := pretended.get(os.path.realpath(path))) is not None:
        return _in_place_of(content)
    if "\0" in str(path):
        raise FileRefused(str(path).replace("\0", "\\0"), "its name contains a NUL character")
    # Without O_NONBLOCK a pipe would wait here for somebody to write into it.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    try:
        about = os.fstat(handle)
        if not stat.S_ISREG(about.st_mode):
            raise FileRefused(path, f"it is {kind_of(about.st_mode)}, not a file", hint="Give a regular file.")
        if about.st_size > limit.value * MIB:
            raise _too_large(path, limit, "the file")
    except BaseException:
        os.close(handle)
        raise
    if not about.st_size:
        return io.BufferedReader(_MayBeSpecial(handle))
    return os.fdopen(handle, "rb")


class _MayBeSpecial(io.FileIO):
    """A file that says that it is empty, as those in /proc do. Some of them have nothing yet and wait for more."""

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        read = super().readinto(buffer)
        if read is None:
            raise BlockingIOError(errno.EAGAIN, NOTHING_YET)
        return read

    def readall(self) -> bytes:
        read = super().readall()
        if read is None:
            raise BlockingIOError(errno.EAGAIN, NOTHING_YET)
        return read


def read_bytes(path: str | Path, limit: Limit = FILE_MB, *, utf_16: bool = False) -> bytes:
    """The whole of a file that should hold text, as it is. One that is plainly something else is refused by its name.

    ``utf_16``: who calls can read that as well.
    """
    with open_bytes(path, limit) as file:
        most = limit.value * MIB
        data = file.read(os.fstat(file.fileno()).st_size + 1)
        while len(data) <= most and (more := file.read(MIB)):  # it grew, or says that it is empty and is not (/proc)
            data += more
    if len(data) > most:
        raise _too_large(path, limit, "the file")
    refuse_foreign(path, data[:LOOKED_AT], utf_16=utf_16)
    return data


def refuse_foreign(path: str | Path, start: bytes, *, utf_16: bool = False) -> None:
    """Raise for a file that begins as one without text does, with what it is and what to do."""
    kind = foreign_kind(start, utf_16=utf_16)
    if kind is not None:
        raise FileRefused(path, f"it is {kind.noun}", hint=kind.hint.replace("FILE", _quoted(path)))


def _quoted(path: str | Path) -> str:
    return shlex.quote(str(path))


def is_empty(path: str | Path) -> bool:
    """Whether this is a file with nothing in it, or nothing but blanks."""
    try:
        with open_bytes(path) as file:
            start = file.read(LOOKED_AT + 1)
    except OSError:
        return False
    return len(start) <= LOOKED_AT and not start.removeprefix(BOM).strip()


def read_text(path: str | Path, limit: Limit = FILE_MB) -> str:
    """The whole of a UTF-8 file, without a byte order mark."""
    return as_text(read_bytes(path, limit), path)


def as_text(data: bytes, path: str | Path) -> str:
    """The text of a file's bytes, or the line and column at which they are not text."""
    try:
        return data.removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        bare = data.removeprefix(BOM)
        begin = bare.rfind(b"\n", 0, error.start) + 1
        line, column = bare.count(b"\n", 0, error.start) + 1, len(bare[begin : error.start].decode()) + 1
        raise FileRefused(
            path, "it is not UTF-8 text", hint="Save the file as UTF-8.", line=line, column=column
        ) from error


# -- gzip -------------------------------------------------------------------------------------------------------------


def is_gzip(path: str | Path) -> bool:
    """Whether a file is compressed, by what it begins with."""
    with open_bytes(path) as file:
        return file.read(len(GZIP)) == GZIP


class Unpacked:
    """The bytes of a file, unpacked where it is compressed, up to the limit and no further."""

    def __init__(self, path: str | Path, file: io.BufferedReader) -> None:
        self._path = path
        self._source: io.BufferedReader | gzip.GzipFile = file
        self._limit = FILE_MB
        if file.peek(len(GZIP))[: len(GZIP)] == GZIP:
            self._source, self._limit = gzip.GzipFile(fileobj=file), UNPACKED_MB
        self._left = self._limit.value * MIB
        refuse_foreign(path, self._beginning())

    def _beginning(self) -> bytes:
        """The first bytes, which stay to be read."""
        try:
            return self._source.peek(LOOKED_AT)[:LOOKED_AT]
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return b""  # the caller sees damaged data and reports it

    def read(self, size: int = -1) -> bytes:
        """Up to this many bytes."""
        wanted = self._left + 1 if size < 0 else min(size, self._left + 1)
        return self._counted(lambda: self._source.read(wanted))

    def read1(self, size: int) -> bytes:
        """As many bytes as are available at once: what is good before damage is not lost with it."""
        return self._counted(lambda: self._source.read1(min(size, self._left + 1)))

    def _counted(self, read: Callable[[], bytes]) -> bytes:
        try:
            data = read()
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FileRefused(self._path, f"the gzip data is damaged: {str(error).rstrip('.')}") from error
        self._left -= len(data)
        if self._left < 0:
            raise _too_large(self._path, self._limit, "the unpacked content of the file")
        return data


@contextmanager
def open_unpacked(path: str | Path) -> Iterator[Unpacked]:
    """A file, plain or gzip, open for reading."""
    with open_bytes(path) as file:
        yield Unpacked(path, file)


def read_unpacked(path: str | Path) -> bytes:
    """The whole of a file, plain or gzip."""
    with open_unpacked(path) as file:
        return file.read()


def text_to_show(path: str | Path, most: int) -> str:
    """The beginning of a file as a person would see it, unpacked and decoded. What holds no text is refused: it would
    show as noise."""
    with open_bytes(path) as file:
        if file.peek(2)[:2] in MARKS:
            return file.read(most).decode("utf-16", "replace")
        return Unpacked(path, file).read(most).decode("utf-8", "replace")


def _too_large(path: str | Path, limit: Limit, what: str) -> FileRefused:
    return FileRefused(path, f"{what} is larger than {limit.value:,} MiB", hint=limit.hint)
