"""Where runs, predictions and scores are kept: SQLite in a file by default, PostgreSQL for a team.

Importing this is cheap. The database libraries are loaded when a store is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any  # Any: names are imported when they are first used

from karat.store.opening import open_store
from karat.store.records import RunRecord, RunRow, ScoringRow, Status, parse_run, run_name

if TYPE_CHECKING:
    from karat.store.store import Store

__all__ = ["RunRecord", "RunRow", "ScoringRow", "Status", "Store", "open_store", "parse_run", "run_name"]


def __getattr__(name: str) -> Any:
    if name == "Store":
        from karat.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
