"""DuckDB files, opened read-only, in a child process that can be killed.

::

    local: {engine: duckdb, path: databases/shop.duckdb, memory_limit: 2GB}
"""

from __future__ import annotations

from pathlib import Path

from karat.engines.drivers import driver
from karat.engines.embedded.memory import size_of
from karat.engines.embedded.messages import Database
from karat.engines.embedded_file import EmbeddedEngine, existing_file
from karat.engines.protocol import EngineConfig, EngineType


class DuckdbConfig(EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A database file and what a query on it may use."""

    path: str
    memory_limit: str = "2GB"
    disk_limit: str = "8GB"
    """What a query may write to a temporary folder when its memory is full."""
    threads: int = 2
    reverse_unordered: bool = False
    """Do not keep the order of rows that no ORDER BY orders: what then differs depends on chance."""


def _open(config: DuckdbConfig, folder: Path) -> EmbeddedEngine:
    driver("duckdb", "sql")
    path = existing_file(folder, config.path)
    memory = size_of(config.memory_limit, "the memory_limit of the duckdb engine")
    settings = {
        "enable_external_access": "false",
        "python_enable_replacements": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "allow_community_extensions": "false",
        "memory_limit": f"{memory}B",
        "threads": str(config.threads),
        "max_temp_directory_size": f"{size_of(config.disk_limit, 'the disk_limit of the duckdb engine')}B",
        **({"preserve_insertion_order": "false"} if config.reverse_unordered else {}),
        "lock_configuration": "true",
    }
    return EmbeddedEngine(Database("duckdb", str(path.resolve()), memory, tuple(settings.items())), (".wal",))


engine = EngineType("duckdb", "DuckDB files", DuckdbConfig, _open)
