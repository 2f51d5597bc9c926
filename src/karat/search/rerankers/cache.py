"""Scores of rerankers kept on disk, by reranker, revision, question and text: no pair is scored twice.

One SQLite file for each reranker and revision, beside the vectors. A batch is written as soon as it is there, in one
transaction.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np

from karat.core.files.private import make_file, make_folder
from karat.core.problems import UserError
from karat.search.rankers.formulas import Doubles
from karat.search.rerankers.reranker import Reranker, scores_of

SUFFIX = ".scores"
KEYS_AT_ONCE = 8192
_TABLE = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score REAL NOT NULL) WITHOUT ROWID"


class ScoreCache:
    """A folder of scores; without a folder nothing is kept."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def scores(self, reranker: Reranker, question: str, texts: Sequence[str]) -> Doubles:
        """The score of each text, from the cache as far as it has them; equal texts are scored once. Raises
        :class:`UserError` when the reranker fails; the batches before that are kept."""
        distinct = list(dict.fromkeys(texts))
        if self.folder is None:
            found = dict(zip(distinct, scores_of(reranker, question, distinct).tolist(), strict=True))
            return np.array([found[text] for text in texts])
        keys = {text: _key(question, text) for text in distinct}
        with self._open(reranker) as file:
            known = _read(file, list(keys.values()))
            lacking = [text for text in distinct if keys[text] not in known]
            reranker.use.cached += len(distinct) - len(lacking)
            step = reranker.batch or len(lacking) or 1
            for start in range(0, len(lacking), step):
                batch = lacking[start : start + step]
                made = scores_of(reranker, question, batch).tolist()
                rows = [(keys[text], score) for text, score in zip(batch, made, strict=True)]
                with file:
                    file.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)
                known.update(rows)
        return np.array([known[keys[text]] for text in texts])

    def path(self, reranker: Reranker) -> Path:
        """The file of this reranker and revision."""
        digest = hashlib.sha256(f"{reranker.name}\0{reranker.revision}".encode()).hexdigest()[:16]
        readable = re.sub(r"[^\w.-]+", "-", reranker.name)[:40].strip("-.")
        return (self.folder or Path()) / f"{readable}-{digest}{SUFFIX}"

    @contextmanager
    def _open(self, reranker: Reranker) -> Iterator[sqlite3.Connection]:
        path = self.path(reranker)
        try:
            make_folder(path.parent)
            make_file(path)
            with closing(sqlite3.connect(path, timeout=60.0)) as file:
                file.execute("PRAGMA journal_mode = WAL")
                file.execute("PRAGMA synchronous = NORMAL")
                file.execute(_TABLE)
                yield file
        except (OSError, sqlite3.Error) as error:
            raise UserError(
                f"cannot use the cache of scores {path}: {error}",
                hint="If the disk is not full and the file is writable, delete it: its contents can be recomputed.",
            ) from error


def _key(question: str, text: str) -> bytes:
    """Of both texts; the length of the question keeps the two apart."""
    asked = question.encode("utf-8", "surrogatepass")
    return hashlib.sha256(b"%d\0" % len(asked) + asked + text.encode("utf-8", "surrogatepass")).digest()


def _read(file: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, float]:
    known: dict[bytes, float] = {}
    for start in range(0, len(keys), KEYS_AT_ONCE):
        block = keys[start : start + KEYS_AT_ONCE]
        marks = ",".join("?" * len(block))
        query = f"SELECT key, score FROM scores WHERE key IN ({marks})"  # noqa: S608 (only marks)
        known.update(file.execute(query, block))
    return known
