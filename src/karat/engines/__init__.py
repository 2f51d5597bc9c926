"""Where SQL runs: embedded databases and servers, read-only, with a time limit, a row limit and a cache.

>>> import sqlite3, karat
>>> with sqlite3.connect("doctest_engines.sqlite") as database:
...     _ = database.execute("CREATE TABLE ships (seats)"), database.execute("INSERT INTO ships VALUES (120)")
>>> engine = karat.engines.open_engine({"engine": "sqlite", "path": "doctest_engines.sqlite"})
>>> list(engine.run("SELECT seats FROM ships", timeout=10, row_limit=10).rows())
[('120',)]
>>> engine.close()
"""

import logging

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
