"""How an answer to gold SQL is shown: both queries, both results, and the made rows that tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.case_form import CellTable, Grid, Grids, Term, TermPart, Terms, View, paired
from karat.core.presentation.code_views import Code, Codes
from karat.core.problems import count_of
from karat.suites.answers.text_to_sql.queries.query_marks import marked
from karat.tables.explain.cells import cell_text, listed, mappings
from karat.tables.explain.sample import TableSample
from karat.tables.explain.sample_grid import sample_grid

if TYPE_CHECKING:
    from karat.suites.answers.details import SqlDetails
    from karat.suites.answers.text_to_sql.fillings.search import Counterexample

MOST_SHOWN = 12
"""Rows of made tables that are drawn."""


def sql_views(sql: SqlDetails, evidence: Mapping[str, object], table: CellTable | None) -> list[View]:
    """Queries, the parts that differ, the cells that differ, results, and the rows that refute a pass. Where the cells
    are drawn, the results are folded: they would say the same again."""
    views: list[View] = [_queries(sql)]
    if sql.components:
        views.append(
            Terms(
                tuple(TermPart(one.part, paired((), _terms(one.missing), _terms(one.extra))) for one in sql.components)
            )
        )
    cells = table is not None and not _shows_all(sql, table)
    if table is not None and cells:
        views.append(table)
    if sql.first_rows:
        same = len(sql.first_rows) == 2 and sql.first_rows["gold"] == sql.first_rows["answer"]
        views.append(msgspec.structs.replace(_results(sql, sql.first_rows, evidence), folded=cells or same))
    if sql.counterexample is not None:
        views += _made(sql.counterexample)
    return views


def unjudged_results(sql: SqlDetails) -> tuple[Grids, ...]:
    """Both results as they are; of a query that gave none, the one that there is."""
    return (_results(sql, sql.first_rows, {}),) if sql.first_rows else ()


def _terms(texts: Sequence[str]) -> tuple[Term, ...]:
    """Each text once, with how often it is there."""
    return tuple(Term(text, note=f"{count} times" if count > 1 else "") for text, count in Counter(texts).items())


def _shows_all(sql: SqlDetails, table: CellTable) -> bool:
    """Whether the two results say all that the table of cells would: both are whole, and no cell of a row differs."""
    whole = len(sql.first_rows) == 2 and all(
        one.full_size == (len(one.rows), len(one.columns)) for one in sql.first_rows.values()
    )
    return whole and not any(column.differs for column in table.columns)


def _queries(sql: SqlDetails) -> Codes:
    gold, given = marked(sql.gold_sql, sql.sql, [one.part for one in sql.components])
    seconds = sql.timing.get("answer")
    took = f"{sql.dialect} · {1000 * seconds:,.0f} ms" if seconds is not None else sql.dialect
    codes = [Code("Gold", gold, sql.dialect)]
    if sql.sql:
        codes.append(Code("Answer", given, took))
    count = len(sql.components)
    return Codes("Two queries", tuple(codes), count_of(count, "part differs", "parts differ") if count else "")


def _results(sql: SqlDetails, results: Mapping[str, TableSample], evidence: Mapping[str, object]) -> Grids:
    rows = mappings(evidence.get("rows"))
    gone = tuple(", ".join(map(cell_text, listed(row["gold"]))) for row in rows if "pred" not in row and "gold" in row)
    extra = {int(str(row["pred_row"])) - 1 for row in rows if "gold" not in row and "pred_row" in row}
    grids = []
    for key, title in (("gold", "Gold"), ("answer", "Answer")):
        if (one := results.get(key)) is None:
            continue
        mine = key == "answer"
        gone_here = tuple(f"row missing: {row}" for row in gone) if mine else ()
        unwanted = frozenset(extra) if mine else frozenset[int]()
        grids.append(msgspec.structs.replace(sample_grid(title, one), gone=gone_here, unwanted=unwanted))
    return Grids("Two results", tuple(grids), f"on {sql.db}" if sql.db else "")


def _made(found: Counterexample) -> tuple[Grids, Grids]:
    """The rows, and beside each other what the two queries return on them."""
    grids = [
        _grid(name, found.made_columns.get(name, []), rows, count_of(len(rows), "row"))
        for name, rows in found.made_rows.items()
    ]
    results = []
    for title, rows in (("Gold", found.gold_result), ("Answer", found.answer_result)):
        width = max(map(len, rows), default=0)
        names = [f"column {place + 1}" for place in range(width)]
        results.append(_grid(title, names, rows, count_of(len(rows), "row")))
    count = sum(map(len, found.made_rows.values()))
    lead = {
        "ties": "They differ where rows are tied at a cut.",
        "name_not_key": "They differ where two things share a name.",
        "nulls": "They differ where a value is missing.",
        "duplicates": "They differ where rows repeat.",
        "boundary": "They differ at the edge of a condition.",
        "join_kind": "They differ where a row has no partner in the other table.",
    }.get(found.made_cause, "")
    title = "Smallest data that tell them apart"
    data = Grids(title, tuple(grids), count_of(count, "row"), lead, found.rebuild_script)
    return data, Grids("Two results on these rows", tuple(results))


def _grid(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], note: str) -> Grid:
    shown = tuple(tuple(cell_text(cell) for cell in row) for row in rows[:MOST_SHOWN])
    return Grid(title, tuple(columns), shown, note, more=max(len(rows) - MOST_SHOWN, 0))
