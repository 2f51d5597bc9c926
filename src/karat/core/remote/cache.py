"""Copies of remote files under ``.karat/cache/remote``, by content: a file is kept once, and a tree of links shows a
URL as it was at one moment.

``blobs/`` holds the files by their hash. ``trees/KEY/NAME`` is a file or folder as it was fetched; its key depends on
the URL and the contents alone, so the same contents are always at the same path. ``names/KEY`` is the URL of a tree,
and ``urls/`` what was last seen at each. Everything there can be deleted: what is needed is fetched again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.files.private import FILE_MODE, FOLDER, make_folder
from karat.core.files.project_folder import find_project
from karat.core.problems import UserError
from karat.core.remote.address import Address
from karat.core.remote.names import safe_parts

INSIDE = ("cache", "remote")
TREES = "trees"
READ_ONLY = 0o400


class Kept(msgspec.Struct, frozen=True):
    """One file: its name below the folder (empty: it is all there is), what the store calls this version of it, and
    where its content is."""

    name: str
    version: str
    size: int
    digest: str


class Seen(msgspec.Struct, frozen=True):
    """What was at a URL when it was last fetched: a folder of files; with ``file`` the one that was asked for, the
    others are what it names."""

    url: str
    files: tuple[Kept, ...]
    file: str = ""


def cache_folder() -> Path:
    """Where copies are kept: with the project of the working folder, or in the working folder itself."""
    project = find_project()
    return (project.parent if project is not None else Path.cwd()).joinpath(FOLDER, *INSIDE)


def kept_size() -> tuple[int, int]:
    """How many files are kept, and how many bytes they take."""
    sizes = [file.stat().st_size for file in (cache_folder() / "blobs").glob("*/*") if file.is_file()]
    return len(sizes), sum(sizes)


def last_seen(address: Address) -> Seen | None:
    """What was last fetched from a URL; None when nothing was, or what is known of it cannot be read."""
    try:
        return msgspec.json.decode(_seen_file(address).read_bytes(), type=Seen)
    except (OSError, msgspec.DecodeError):
        return None


def remember(address: Address, seen: Seen) -> None:
    """Note down what was fetched, for the next time."""
    write_bytes(_seen_file(address), msgspec.json.encode(seen))


def _seen_file(address: Address) -> Path:
    return cache_folder() / "urls" / f"{hashlib.sha256(address.url.encode()).hexdigest()[:32]}.json"


def is_kept(file: Kept) -> bool:
    """Whether the content of a file is still here."""
    try:
        return _blob(file.digest).stat().st_size == file.size
    except OSError:
        return False


def keep(fill: Callable[[IO[bytes]], None]) -> tuple[str, int]:
    """Keep what ``fill`` writes: (its hash, its size). Nothing is left behind where it fails."""
    folder = cache_folder() / "blobs"
    make_folder(folder)
    handle, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=".part")
    part = Path(name)
    try:
        with os.fdopen(handle, "w+b") as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
            out.seek(0)
            digest = hashlib.file_digest(out, "sha256").hexdigest()
            size = out.seek(0, os.SEEK_END)
        part.chmod(READ_ONLY)
        blob = _blob(digest)
        make_folder(blob.parent)
        part.replace(blob)
    finally:
        part.unlink(missing_ok=True)
    return digest, size


def blob(kept: Kept) -> Path:
    """The content of a file."""
    return _blob(kept.digest)


def _blob(digest: str) -> Path:
    return cache_folder() / "blobs" / digest[:2] / digest


def tree_of(folder: Address, seen: Seen) -> Path:
    """The path of a file or folder with these contents, made where it is not there yet; whole or not at all."""
    said = msgspec.json.encode([folder.shown, seen.file, sorted((one.name, one.digest) for one in seen.files)])
    key = hashlib.sha256(said).hexdigest()[:32]
    trees = cache_folder() / TREES
    tree, base = trees / key, safe_parts(folder.name, folder.shown)[0]
    if not _is_whole(tree / base, seen):
        make_folder(trees)
        write_bytes(cache_folder() / "names" / key, folder.shown.encode())
        part = Path(tempfile.mkdtemp(dir=trees, prefix=".", suffix=".part"))
        try:
            for one in seen.files:
                _link(_blob(one.digest), part.joinpath(base, *one.name.split("/")), one, folder)
            with contextlib.suppress(FileNotFoundError):  # one with files missing, from which somebody deleted
                shutil.rmtree(tree)
            with contextlib.suppress(OSError):  # another process was quicker, and its tree is the same
                part.rename(tree)
        finally:
            shutil.rmtree(part, ignore_errors=True)
    return tree / base / seen.file if seen.file else tree / base


def _is_whole(base: Path, seen: Seen) -> bool:
    try:
        return all(base.joinpath(one.name).stat().st_size == one.size for one in seen.files)
    except OSError:
        return False


def _link(blob: Path, file: Path, kept: Kept, address: Address) -> None:
    try:
        make_folder(file.parent)
        if file.exists() or not file.parent.is_dir():
            raise FileExistsError
    except (FileExistsError, NotADirectoryError) as error:
        raise UserError(
            f'two objects in {address.shown} need the same file name on this machine: "{kept.name}" and another',
            hint="One is the folder of the other, or they differ only in upper and lower case. Rename one of them.",
        ) from error
    try:
        os.link(blob, file)
    except OSError:  # a file system without links
        shutil.copyfile(blob, file)
        file.chmod(READ_ONLY & FILE_MODE)
