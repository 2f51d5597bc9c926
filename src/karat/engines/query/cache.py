"""Results kept on disk, by engine, database and SQL, so that scoring again does not query again.

An entry is a compressed JSON file named by the hash of its key, and holds the key again: a file that cannot be read, or
that answers another question, is as good as none and is written again. Errors are not kept.
"""

from __future__ import annotations

import hashlib
import zlib
from contextlib import suppress
from pathlib import Path

import msgspec

from karat.core.files.atomic import write_bytes
from karat.core.problems import UserError
from karat.engines.protocol import Engine, ResultTable
from karat.engines.query.guard import volatile


class CacheKey(msgspec.Struct, frozen=True):
    """What a result depends on. The fingerprint is a hash: it holds no address and no user name."""

    engine: str
    fingerprint: str
    sql: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(msgspec.json.encode(self)).hexdigest()


class _Kept(msgspec.Struct, frozen=True):
    key: CacheKey
    table: ResultTable


class ResultCache:
    """A folder of results."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: CacheKey) -> Path:
        digest = key.digest
        return self.folder / digest[:2] / f"{digest}.json.z"

    def get(self, key: CacheKey, row_limit: int) -> ResultTable | None:
        """The kept table, cut to the limit; none when there is none, or when it was cut shorter."""
        try:
            kept = msgspec.json.decode(zlib.decompress(self.path(key).read_bytes()), type=_Kept)
        except (OSError, zlib.error, msgspec.DecodeError, UnicodeDecodeError):
            return None
        heights = {len(column) for column in kept.table.columns}
        if kept.key != key or len(heights) > 1 or len(kept.table.names) != len(kept.table.columns):
            return None
        return _cut(kept.table, row_limit)

    def put(self, key: CacheKey, table: ResultTable) -> None:
        """Keep a table; another process may do the same at the same time, and either file is whole."""
        write_bytes(self.path(key), zlib.compress(msgspec.json.encode(_Kept(key, table)), level=3))


def _cut(table: ResultTable, row_limit: int) -> ResultTable | None:
    if table.height > row_limit:
        columns = tuple(column[:row_limit] for column in table.columns)
        return msgspec.structs.replace(table, columns=columns, truncated=True)
    return None if table.truncated and table.height < row_limit else table


def cached_run(
    engine: Engine, sql: str, cache: ResultCache | None, *, timeout: float, row_limit: int
) -> tuple[ResultTable, bool]:
    """The query's table, and whether it came from the cache. What may change with the clock or by chance is always
    run."""
    if cache is None or volatile(sql, engine.dialect):
        return engine.run(sql, timeout=timeout, row_limit=row_limit), False
    key = CacheKey(engine.name, engine.fingerprint(), sql)
    kept = cache.get(key, row_limit)
    if kept is not None:
        return kept, True
    table = engine.run(sql, timeout=timeout, row_limit=row_limit)
    with suppress(UserError):  # a full disk costs the cache, not the run
        cache.put(key, table)
    return table, False
