"""DA-Code's databases: the tables that count (``condition_tabs``, else all of the gold), each compared as a CSV is. The
worst table is the figure, official and strict."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from karat.core.json_types import Json
from karat.sandbox import Column

MOST_CELLS = 2_000_000


def gold_tables(file: str, options: Mapping[str, Json]) -> dict[str, list[Column]] | None:
    """The tables of a gold database; None where it cannot be read, or is larger than a result may be."""
    try:
        with closing(sqlite3.connect(f"{Path(file).resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            there = [row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            chosen = [str(name) for name in options.get("condition_tabs") or there]
            found: dict[str, list[Column]] = {}
            cells = 0
            for name in chosen:
                quoted = name.replace('"', '""')
                rows = database.execute(f'SELECT * FROM "{quoted}"')  # noqa: S608 (a name of the gold, quoted)
                heads = [about[0] for about in rows.description]
                values = rows.fetchmany(MOST_CELLS)
                cells += len(values) * len(heads)
                if cells > MOST_CELLS:
                    return None
                found[name] = [Column(head, "", [row[place] for row in values]) for place, head in enumerate(heads)]
    except sqlite3.Error:
        return None
    return found


def options_of(place: int, options: Mapping[str, Json]) -> dict[str, Json]:
    """The options of one table: lists hold one entry for each."""
    found: dict[str, Json] = {}
    for key in ("condition_cols", "ignore_order"):
        given = options.get(key)
        if isinstance(given, list) and place < len(given):
            found[key] = given[place]
    return found
