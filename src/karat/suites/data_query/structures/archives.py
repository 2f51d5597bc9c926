"""Files in an archive, told by the first bytes: gzip holds one, zip holds many. Bounded, and no archive in an
archive."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from karat.core.files.kinds import HTML, LOOKED_AT, UTF_16, foreign_kind
from karat.core.files.limits import FILE_MB, MIB
from karat.core.files.reading import GZIP, FileRefused, open_bytes, refuse_foreign
from karat.suites.data_query.structures.records import Unusable

MOST_MIB = 256
"""MiB that all files of an archive have together, unpacked."""
MOST_ENTRIES = 1_000
SUFFIXES = (".xml", ".json", ".csv", ".gz", ".zip")
"""How structure files end, in a folder or an archive."""
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_CHUNK = 256 * 1024


def unpacked(file: Path) -> Iterator[tuple[str, bytes | Unusable]]:
    """(name, content) of a file, or of each file in it. What is wrong with one of them comes in place of its content.
    Raises Unusable, FileRefused or OSError for the file as a whole."""
    with open_bytes(file) as handle:
        start = handle.peek(LOOKED_AT)[:LOOKED_AT]
        if start.startswith(GZIP):
            yield str(file), _gunzipped(handle)
        elif start.startswith(ZIP) and _is_plain_zip(start):
            yield from _zipped(file, handle)
        else:
            if foreign_kind(start) not in (HTML, UTF_16):  # these are left to who reads the content
                refuse_foreign(file, start)
            data = handle.read(FILE_MB.value * MIB + 1)
            if len(data) > FILE_MB.value * MIB:
                raise FileRefused(file, f"the file is larger than {FILE_MB.value:,} MiB", hint=FILE_MB.hint)
            yield str(file), data


def _is_plain_zip(start: bytes) -> bool:
    """Not an Excel or Word file, which are zip archives too."""
    kind = foreign_kind(start)
    return kind is None or kind.noun == "a zip archive"


def _gunzipped(handle: io.BufferedReader) -> bytes:
    most = MOST_MIB * MIB
    pieces: list[bytes] = []
    size = 0
    engine = zlib.decompressobj(wbits=31)
    whole_members = True
    try:
        while data := handle.read(_CHUNK):
            while data:
                piece = engine.decompress(data, most + 1 - size)
                pieces.append(piece)
                size += len(piece)
                if size > most:
                    raise _too_large()
                data = engine.unconsumed_tail
                whole_members = engine.eof
                if engine.eof:  # another member may follow
                    data = engine.unused_data
                    if data and not data.startswith(GZIP[: len(data)]):
                        data = b""  # padding
                    engine = zlib.decompressobj(wbits=31)
    except zlib.error as error:
        raise Unusable(f"the gzip data is damaged: {error}", hint="Download the file again.") from error
    if not whole_members:  # what is there may look like a whole list of codes, and a shorter one is a wrong one
        raise Unusable("the gzip data is cut off", hint="Download the file again.")
    whole = b"".join(pieces)
    if not whole:
        raise Unusable("the gzip data is damaged or empty", hint="Download the file again.")
    _refuse_nested(whole)
    return whole


def _zipped(file: Path, handle: io.BufferedReader) -> Iterator[tuple[str, bytes | Unusable]]:
    try:
        with zipfile.ZipFile(handle) as archive:
            entries = [one for one in archive.infolist() if _wanted(one)]
            if len(archive.infolist()) > MOST_ENTRIES:
                raise Unusable(
                    f"the archive has more than {MOST_ENTRIES:,} entries", hint="Unpack it and give the files."
                )
            if not entries:
                raise Unusable("the archive has no structure files", hint=f"They end in {', '.join(SUFFIXES[:3])}.")
            left = MOST_MIB * MIB
            for entry in sorted(entries, key=lambda one: one.filename):
                found = _entry(archive, entry, left)
                left -= len(found) if isinstance(found, bytes) else 0
                yield f"{file}!{entry.filename}", found
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, ValueError) as error:
        raise Unusable(f"the zip archive is damaged: {error}", hint="Download the file again.") from error


def _entry(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, left: int) -> bytes | Unusable:
    if entry.flag_bits & 1:
        return Unusable("it is encrypted", hint="Unpack the archive and give the files.")
    pieces: list[bytes] = []
    size = 0
    try:
        with archive.open(entry) as file:
            while piece := file.read(_CHUNK):
                pieces.append(piece)
                size += len(piece)
                if size > left:
                    raise _too_large()
    except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error, OSError) as error:
        return Unusable(f"it is damaged: {error}", hint="Download the archive again.")
    data = b"".join(pieces)
    try:
        _refuse_nested(data)
    except Unusable as error:
        return error
    return data


def _wanted(entry: zipfile.ZipInfo) -> bool:
    parts = entry.filename.replace(os.sep, "/").split("/")
    hidden = any(part.startswith((".", "__MACOSX")) and part not in (".", "..") for part in parts)
    return not entry.is_dir() and not hidden and parts[-1].lower().endswith(SUFFIXES)


def _refuse_nested(data: bytes) -> None:
    if data.startswith((GZIP, *ZIP)):
        raise Unusable("it is an archive in an archive", hint="Unpack the outer archive and give the files in it.")


def _too_large() -> Unusable:
    return Unusable(f"unpacked, the archive is larger than {MOST_MIB} MiB", hint="Unpack it and give the files.")
