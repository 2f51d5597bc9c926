"""Where SQL runs: embedded databases and servers, read-only, with a time limit, a row limit and a cache.

>>> import sqlite3, karat
>>> with sqlite3.connect("doctest_engines.sqlite") as database:
...     _ = database.execute("CREATE TABLE ships (seats)"), database.execute("INSERT INTO ships VALUES (120)")
>>> engine = karat.engines.open_engine({"engine": "sqlite", "path": "doctest_engines.sqlite"})
>>> list(engine.run("SELECT seats FROM ships", timeout=10, row_limit=10).rows())
[('120',)]
>>> engine.close()
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.engines.opening import open_engine
    from karat.engines.protocol import Engine, EngineConfig, EngineError, EngineType, ResultTable
    from karat.engines.query.fetching import as_table as result_table
    from karat.engines.query.guard import check as check_query

__all__ = [
    "Engine",
    "EngineConfig",
    "EngineError",
    "EngineType",
    "ResultTable",
    "check_query",
    "open_engine",
    "result_table",
]

logging.getLogger("sqlglot").addHandler(logging.NullHandler())  # its warnings about a query are not for the terminal

_HOMES = {
    "open_engine": ("opening", "open_engine"),
    "check_query": ("query.guard", "check"),
    "result_table": ("query.fetching", "as_table"),
}
"""Name → its module, and what it is called there; the other names are in ``protocol``."""


def __getattr__(name: str) -> object:
    """On first use: a process that only runs queries starts in a third of the time without them."""
    from importlib import import_module

    if name not in __all__:
        raise AttributeError(f"module 'karat.engines' has no attribute {name!r}")
    module, called = _HOMES.get(name, ("protocol", name))
    return getattr(import_module(f"karat.engines.{module}"), called)
