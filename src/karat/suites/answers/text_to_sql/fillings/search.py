"""The search for a filling on which a prediction and gold differ, and its shrinking to a few rows."""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any  # Any: made rows and results, as they are stored in details

import msgspec

from karat.suites.answers.records import Verdict
from karat.suites.answers.text_to_sql.components.difference import Component
from karat.suites.answers.text_to_sql.fillings.generate_rows import Hints, hints_of, made_filling
from karat.suites.answers.text_to_sql.fillings.scratch import Filling, Scratch, ScratchTable
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row
from karat.suites.answers.text_to_sql.strict.gold_query import read_gold
from karat.suites.answers.text_to_sql.strict.gold_status import proves_little
from karat.suites.answers.text_to_sql.strict.judge import Asked, judge

SECONDS = 2.0
SHRINKING = 1.0
"""Seconds for taking away the rows that are not needed."""
ENOUGH = 40
"""Fillings with a result to speak of on which the two agree, after which a case of empty gold is taken as settled."""


class Counterexample(msgspec.Struct, frozen=True, omit_defaults=True):
    """Rows on which two queries differ, both results, and a script that makes the database again."""

    made_rows: dict[str, list[list[Any]]]
    """Table → the generated rows."""
    made_columns: dict[str, list[str]]
    """Table → its column names."""
    gold_result: list[list[Any]]
    """What the gold query returns on these rows."""
    answer_result: list[list[Any]]
    """What the predicted query returns on these rows."""
    reason: str
    """What ``strict`` says about the answer on these rows."""
    made_cause: str = "other"
    """``ties``, ``name_not_key``, ``nulls``, ``duplicates``, ``boundary``, ``join_kind`` or ``other``."""
    rebuild_script: str = ""
    """An SQL script that creates the database with these rows."""


class Searched(msgspec.Struct, frozen=True):
    """What was found, and on how many telling fillings the two agreed."""

    found: Counterexample | None
    agreed: int = 0


def search(
    gold: str,
    sql: str,
    tables: Sequence[ScratchTable],
    asked: Asked,
    *,
    components: Sequence[Component] = (),
    seed: int = 1,
    seconds: float = SECONDS,
    heap: int = 0,
) -> Searched:
    """The first filling, seeded, on which strict says that the answer is not right. ``heap`` limits the memory of
    SQLite in this whole process, so it is for a child alone: see :mod:`.guarded`."""
    hints = hints_of(gold, sql)
    chance = random.Random(seed)  # noqa: S311 (made rows, no secret)
    scratch = Scratch(tables, heap=heap)
    end, agreed, tried = time.monotonic() + seconds, 0, 0
    try:
        while time.monotonic() < end:
            tried += 1
            filling = made_filling(scratch.tables, hints, chance)
            verdict, ran = _judged(scratch, filling, gold, sql, asked)
            if verdict is None:
                if tried >= 20 and not agreed and _always_fails(scratch, gold, sql):
                    break
                continue
            if verdict.state == "right":
                agreed += not proves_little(ran.rows)
                continue
            small = _shrunk(scratch, scratch.rows(), gold, sql, asked, end + SHRINKING)
            shown = _shown(scratch, small, gold, sql, asked, components, hints)
            if shown is not None:
                return Searched(shown, agreed)
    finally:
        scratch.close()
    return Searched(None, agreed)


def _always_fails(scratch: Scratch, gold: str, sql: str) -> bool:
    return scratch.run(gold).result is None or scratch.run(sql).result is None


def _judged(scratch: Scratch, filling: Filling, gold: str, sql: str, asked: Asked) -> tuple[Verdict | None, Ran]:
    """The verdict on a filling; None where it says nothing: it is not legal, a query fails there, or its result is
    chance."""
    if not scratch.fill(filling):
        return None, Ran()
    ours, theirs = scratch.run(gold), scratch.run(sql)
    if ours.result is None or theirs.result is None:
        return None, ours
    verdict = judge(gold, "sqlite", ours, theirs, asked, scratch.run, sql)
    if verdict.state == "right":
        return verdict, ours
    if verdict.state == "needs_review" and verdict.reason != "ties_all":
        return None, ours
    query = read_gold(gold, "sqlite")
    for text, ran, cut in ((gold, ours, query.ordered and query.limit is not None), (sql, theirs, False)):
        again = scratch.run(text, backwards=True)
        if not cut and (again.result is None or Counter(again.rows) != Counter(ran.rows)):
            return None, ours
    return verdict, ours


def _shrunk(scratch: Scratch, rows: Filling, gold: str, sql: str, asked: Asked, end: float) -> Filling:
    """Without every row that is not needed for the difference."""
    kept = {name: list(found) for name, found in rows.items()}
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for name in sorted(kept, key=lambda one: -len(kept[one])):
            for place in range(len(kept[name]) - 1, -1, -1):
                fewer = {**kept, name: kept[name][:place] + kept[name][place + 1 :]}
                verdict, _ = _judged(scratch, fewer, gold, sql, asked)
                if verdict is not None and verdict.state != "right":
                    kept, changed = {table: list(found) for table, found in fewer.items()}, True
    return _without_needless_nulls(scratch, kept, gold, sql, asked, end)


def _without_needless_nulls(
    scratch: Scratch, kept: Filling, gold: str, sql: str, asked: Asked, end: float
) -> dict[str, Sequence[Row]]:
    """A value in the place of each null that the difference does not need: those that are left are its cause."""
    rows: dict[str, Sequence[Row]] = dict(kept)
    for table in scratch.tables:
        for place, row in enumerate(rows.get(table.name, ())):
            for column, cell in enumerate(row):
                if cell is not None or time.monotonic() > end:
                    continue
                value: object = 1 if table.columns[column].kind == "number" else "a"
                if table.columns[column].form:
                    value = next((row[column] for row in table.sample if row[column] is not None), None)
                now = list(rows[table.name])
                now[place] = (*now[place][:column], value, *now[place][column + 1 :])
                tried = {**rows, table.name: now}
                verdict, _ = _judged(scratch, tried, gold, sql, asked)
                whole = {name: len(found) for name, found in tried.items() if found}
                there = {name: len(found) for name, found in scratch.rows().items() if found}
                if verdict is not None and verdict.state != "right" and whole == there:
                    rows = tried
    return rows


def _shown(
    scratch: Scratch,
    filling: Filling,
    gold: str,
    sql: str,
    asked: Asked,
    components: Sequence[Component],
    hints: Hints,
) -> Counterexample | None:
    """None where the rows, filled in once more, do not tell the two apart: what cannot be shown was not found."""
    verdict, ours = _judged(scratch, filling, gold, sql, asked)
    if verdict is None or verdict.state == "right":
        return None
    theirs = scratch.run(sql)
    rows = {name: found for name, found in scratch.rows().items() if found or name.lower() in hints.tables}
    used = [table for table in scratch.tables if table.name in rows]
    return Counterexample(
        {name: [list(row) for row in found] for name, found in rows.items()},
        {table.name: [column.name for column in table.columns] for table in used},
        [list(row) for row in ours.rows],
        [list(row) for row in theirs.rows],
        verdict.reason,
        _cause(verdict, components, (ours.rows, theirs.rows), _named_columns(used, rows, gold, sql), gold, sql),
        _script(used, rows, gold, sql),
    )


def _cause(
    verdict: Verdict | None,
    components: Sequence[Component],
    results: Sequence[Sequence[Row]],
    columns: Sequence[Row],
    gold: str,
    sql: str,
) -> str:
    """Why the two differ there, as far as the parts and the made ``columns`` tell that the queries name. Where one
    result has no rows, nothing is tied."""
    parts = {one.part for one in components}
    cut = " limit " in f" {gold} ".lower().replace("\n", " ") or " limit " in f" {sql} ".lower().replace("\n", " ")
    may_tie = cut and all(results) and bool(parts & {"ordering", "limit", "sub-queries"})
    if (verdict is not None and verdict.reason == "ties_all") or may_tie:
        return "ties"
    if "grouping" in parts:
        return "name_not_key"
    if "joins" in parts and not parts & {"tables"}:
        return "join_kind"
    if "distinct" in parts or (verdict is not None and verdict.reason == "duplicates"):
        return "duplicates"
    if any(cell is None for column in columns for cell in column):
        return "nulls"
    if parts & {"value", "filters", "having"}:
        return "boundary"
    return "nulls" if any(cell is None for rows in results for row in rows for cell in row) else "other"


def _named_columns(tables: Sequence[ScratchTable], rows: Filling, *texts: str) -> list[Row]:
    """The made columns whose names are in one of the queries; all of them where one says ``*``."""
    text = " ".join(texts).lower()
    every = "*" in re.sub(r"\(\s*\*\s*\)", "", text)  # count(*) names no column
    return [
        tuple(row[place] for row in rows.get(table.name, ()))
        for table in tables
        for place, column in enumerate(table.columns)
        if every or column.name.lower() in text
    ]


def _script(tables: Sequence[ScratchTable], rows: Filling, gold: str, sql: str) -> str:
    """SQL that makes the database again, and both queries."""
    lines = []
    for table in tables:
        lines.append(f"{table.ddl.rstrip(';')};")
        lines += [f"{table.into} ({', '.join(map(_literal, row))});" for row in rows.get(table.name, ())]
    return "\n".join([*lines, "", "-- gold", f"{gold.rstrip('; ')};", "-- answer", f"{sql.rstrip('; ')};", ""])


def _literal(cell: Any) -> str:
    if cell is None:
        return "NULL"
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'"
    return str(cell) if isinstance(cell, int | float) else "'" + str(cell).replace("'", "''") + "'"
