"""Vectors kept on disk, by model, revision, role and the hash of the text: what was embedded once is not embedded
again.

One SQLite file for each model and revision. A batch is written as soon as it is there, in one transaction: a model that
fails half-way loses nothing of what came before, and two processes may fill the same file. A model may say in ``batch``
how many texts it wants in one call; that many are kept at a time.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from karat.core.files.private import make_file, make_folder
from karat.core.problems import UserError
from karat.search.models.rows import TEXTS_AT_ONCE, checked_rows
from karat.search.records import Floats, Model, Role

FORMAT = "karat vectors 1"
SUFFIX = ".vectors"
KEYS_AT_ONCE = 8192
"""Hashes in one query; SQLite takes 32,766 values."""
_PATIENCE = 60.0
"""Seconds to wait for another process."""

_TABLES = """
CREATE TABLE IF NOT EXISTS about (
    format TEXT NOT NULL, model TEXT NOT NULL, revision TEXT NOT NULL, dimensions INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS vectors (id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, vector BLOB NOT NULL);
"""
# The key is the index and the vectors lie in the order they came: an index over the vectors themselves would scatter
# them.


@dataclass(frozen=True)
class Kept:
    """What one file of a cache holds."""

    model: str
    revision: str
    dimensions: int
    vectors: int
    bytes: int


class VectorCache:
    """A folder of vectors. It is made when the first vector is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def embed(
        self,
        model: Model,
        texts: Sequence[str],
        role: Role,
        *,
        watch: Callable[[int, int], None] | None = None,
    ) -> Floats:
        """A row for each text, from the cache as far as it has them. Equal texts are embedded once.

        ``watch`` is called with (texts embedded, texts to embed) after each batch. UserError when the model fails
        or its vectors are unusable; the batches before that are kept.
        """
        if model.embed is None:
            raise TypeError(f"the model {model.name!r} has no vectors, only scores")
        distinct = list(dict.fromkeys(texts))
        if not distinct:
            return np.zeros((0, 0), np.float32)
        keys = [_key(text, role) for text in distinct]
        with self._open(model) as file:
            dimensions = _dimensions(file)
            table, there = _read(file, keys, dimensions or 0)
            lacking = np.flatnonzero(~there)
            step = model.batch or TEXTS_AT_ONCE
            for start in range(0, len(lacking), step):
                places = lacking[start : start + step]
                batch = [distinct[place] for place in places]
                made = checked_rows(model.embed(batch, role), batch, model.name, dimensions)
                if dimensions is None:
                    dimensions = made.shape[1]
                    table = np.empty((len(distinct), dimensions), np.float32)
                _write(file, model, [keys[place] for place in places], made)
                table[places] = made
                if watch is not None:
                    watch(min(start + step, len(lacking)), len(lacking))
        if len(distinct) == len(texts):
            return table
        numbers = {text: place for place, text in enumerate(distinct)}
        return table[[numbers[text] for text in texts]]

    def path(self, model: Model) -> Path:
        """The file of this model and revision; the readable part of its name is for people only."""
        digest = hashlib.sha256(f"{model.name}\0{model.revision}".encode()).hexdigest()[:16]
        readable = re.sub(r"[^\w.-]+", "-", model.name)[:40].strip("-.")
        return self.folder / f"{readable}-{digest}{SUFFIX}"

    def contents(self) -> tuple[Kept, ...]:
        """What each file holds, by the model's name."""
        found = []
        for path in sorted(self.folder.glob(f"*{SUFFIX}")):
            with (
                _file_errors(path),
                closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as file,
            ):
                about = file.execute("SELECT model, revision, dimensions FROM about").fetchone()
                count = file.execute("SELECT count(*) FROM vectors").fetchone()[0]
            if about:
                model, revision, dimensions = about
                found.append(Kept(model, revision, dimensions, count, path.stat().st_size))
        return tuple(found)

    @contextmanager
    def _open(self, model: Model) -> Iterator[sqlite3.Connection]:
        path = self.path(model)
        try:
            make_folder(self.folder)
            make_file(path)
        except OSError as error:
            raise UserError(f"cannot create the folder {self.folder} for vectors: {error.strerror or error}") from error
        with _file_errors(path), closing(sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)) as file:
            _set_up(file)
            _check(file, model, path)
            yield file


def _set_up(file: sqlite3.Connection) -> None:
    """A new file becomes one of this form. Where several processes do so at once, SQLite refuses all but one without
    waiting as it does elsewhere, so the waiting is done here."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            file.execute("PRAGMA page_size = 16384")  # several vectors to a page
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA synchronous = NORMAL")
            file.executescript(_TABLES)
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.02)


@contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """SQLite's errors in our words."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unusable(path, str(error)) from error


def _unusable(path: Path, why: str) -> UserError:
    return UserError(
        f"cannot use the vector cache {path}: {why}",
        hint="If the disk is not full and the file is writable, delete it: its contents can be recomputed.",
    )


def _check(file: sqlite3.Connection, model: Model, path: Path) -> None:
    """The file is the one of this model, or new."""
    about = file.execute("SELECT format, model, revision FROM about").fetchone()
    if about not in (None, (FORMAT, model.name, model.revision)):
        raise _unusable(path, "it belongs to another model or another version of karat")


def _dimensions(file: sqlite3.Connection) -> int | None:
    found = file.execute("SELECT dimensions FROM about").fetchone()
    return int(found[0]) if found else None


def _key(text: str, role: Role) -> bytes:
    """The role's first letter, then the hash of the text; half a surrogate pair counts as itself."""
    return role[:1].encode() + hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _read(file: sqlite3.Connection, keys: Sequence[bytes], dimensions: int) -> tuple[Floats, NDArray[np.bool_]]:
    """(a row for each key, whether it was there). A vector of a wrong length is as good as none."""
    table = np.empty((len(keys), dimensions), np.float32)
    there = np.zeros(len(keys), np.bool_)
    place_of = {key: place for place, key in enumerate(keys)} if dimensions else {}
    for start in range(0, len(place_of), KEYS_AT_ONCE):
        block = keys[start : start + KEYS_AT_ONCE]
        marks = ",".join("?" * len(block))
        where = f"key IN ({marks}) AND length(vector) = ?"
        query = f"SELECT key, vector FROM vectors WHERE {where}"  # noqa: S608 (only marks)
        found = file.execute(query, (*block, 4 * dimensions)).fetchall()
        if found:
            places = np.fromiter((place_of[key] for key, _ in found), np.int64, len(found))
            table[places] = np.frombuffer(b"".join([vector for _, vector in found]), "<f4").reshape(-1, dimensions)
            there[places] = True
    return table, there


def _write(file: sqlite3.Connection, model: Model, keys: Sequence[bytes], rows: Floats) -> None:
    """Keep a batch, whole or not at all."""
    length = rows.shape[1]
    file.execute("BEGIN IMMEDIATE")
    try:
        known = _dimensions(file)
        if known is None:
            file.execute("INSERT INTO about VALUES (?, ?, ?, ?)", (FORMAT, model.name, model.revision, length))
        elif known != length:  # another process came first, with other vectors
            raise UserError(f'the model "{model.name}" gives vectors of length {length} here and {known} elsewhere')
        stored = (row.tobytes() for row in np.ascontiguousarray(rows, "<f4"))
        file.executemany(
            "INSERT INTO vectors (key, vector) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET vector = excluded.vector",
            zip(keys, stored, strict=True),
        )
        file.execute("COMMIT")
    except BaseException:
        file.execute("ROLLBACK")
        raise
