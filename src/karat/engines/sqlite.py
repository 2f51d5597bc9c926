"""SQLite files, opened read-only, in a child process that can be killed.

::

    local: {engine: sqlite, path: databases/shop.sqlite, memory_limit: 2GB}
"""

from __future__ import annotations

from pathlib import Path

from karat.engines.embedded.memory import size_of
from karat.engines.embedded.messages import Database
from karat.engines.embedded.sqlite import REVERSED
from karat.engines.embedded_file import EmbeddedEngine, existing_file
from karat.engines.protocol import EngineConfig, EngineType


class SqliteConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A database file and what a query on it may use."""

    path: str
    memory_limit: str = "2GB"
    reverse_unordered: bool = False
    """Return rows that no ORDER BY orders the other way round: what then differs depends on chance."""


def _open(config: SqliteConfig, folder: Path) -> EmbeddedEngine:
    path = existing_file(folder, config.path)
    memory = size_of(config.memory_limit, "the memory_limit of the sqlite engine")
    settings = ((REVERSED, "yes"),) if config.reverse_unordered else ()
    return EmbeddedEngine(Database("sqlite", str(path.resolve()), memory, settings), ("-wal",))


engine = EngineType("sqlite", "SQLite files", SqliteConfig, _open)
