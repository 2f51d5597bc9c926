"""Where rows come from: files, and the number of the current row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.values import Failure, Value, Wrong, text

if TYPE_CHECKING:
    from karat.sheet.compute.resources import Resources


def _inputs(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    found: list[Value] = []
    for file, *table in calls:
        try:
            found.append(resources.read(text(file, "INPUT"), text(table[0], "INPUT") if table else ""))
        except Wrong as wrong:
            found.append(Failure(wrong.message, wrong.hint))
    return found


TABLES = (
    Function(
        "INPUT",
        "tables",
        (
            (
                Parameter("file", "a CSV, Parquet or DuckDB file in the sheet's folder"),
                Parameter("table", "which table of a DuckDB file", optional=True),
            ),
        ),
        "The table in a file. A CSV column is numeric if all its cells are numbers; 001 is text.",
        Example('INPUT("fruit.csv")[price].SUM()', 5, files={"fruit.csv": "name,price\nApple,3\nLemon,2\n"}),
        do_all=_inputs,
        gives=1,
        kind="Input",
    ),
    Function(
        "ROW",
        "tables",
        ((),),
        "The number of the current row in its table, from 1.",
        Example("ROW()", 1),
        kind="Row number",
    ),
)
