"""What a store holds, in the words of its users: runs, cases, answers. Most of them are in blocks."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from sqlalchemy import Connection, Table, func, select
from sqlalchemy.exc import DBAPIError

from karat.store.cases.cases import CASES
from karat.store.predictions.answer_blocks import RESPONSES
from karat.store.schema import notes, predictions, reviews, run_blocks, runs, scorings


def contents_of(connection: Connection) -> dict[str, int]:
    """Noun → how many; without what cannot be counted, and what is not there."""

    def in_blocks(kind: str) -> int:
        query = select(func.coalesce(func.sum(run_blocks.c.rows), 0)).where(run_blocks.c.kind == kind)
        return int(connection.execute(query).scalar_one())

    def in_table(table: Table) -> int:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()

    counts: dict[str, Callable[[], int]] = {
        "run": lambda: in_table(runs),
        "case": lambda: in_blocks(CASES),
        "answer": lambda: in_blocks(RESPONSES) + in_table(predictions),
        "scoring": lambda: in_table(scorings),
        "review": lambda: in_table(reviews),
        "note": lambda: in_table(notes),
    }
    found = {}
    for noun, count in counts.items():
        try:
            if number := count():
                found[noun] = number
        except (DBAPIError, sqlite3.Error):
            continue
    return found
