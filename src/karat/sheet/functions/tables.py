"""Where rows come from: files, and the number of the current row."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.values import NA, Array, Failure, Value, Wrong, number, text, whole

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


def _chunks(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    found: list[Value] = []
    for files, size, overlap, *rest in calls:
        try:
            cover = _share(rest[0]) if rest and rest[0] is not None else Fraction(1)
            encoding = text(rest[1], "CHUNKS") if len(rest) > 1 else ""
            found.append(resources.chunks(text(files, "CHUNKS"), _wholes(size), _wholes(overlap), cover, encoding))
        except Wrong as wrong:
            found.append(Failure(wrong.message, wrong.hint))
    return found


def _wholes(value: Value) -> list[int]:
    """One number of tokens, or several to compare."""
    items = value.items if isinstance(value, Array) else [value]
    return [whole(item, "CHUNKS") for item in items if item is not NA]


def _share(value: Value) -> Fraction:
    share = Fraction(str(number(value, "CHUNKS")))
    if not 0 < share <= 1:
        raise Wrong(f"CHUNKS needs cover to be above 0 and up to 1, but was given {text(value, 'CHUNKS')}")
    return share


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
        "CHUNKS",
        "tables",
        (
            (
                Parameter("files", "text files in the sheet's folder, such as docs/*.md"),
                Parameter("size", "tokens of a chunk; 200|400 compares both", "any"),
                Parameter("overlap", "tokens that a chunk shares with the one before; 0|50 compares both", "any"),
                Parameter("cover", "the share of a span that must be retrieved, 1 if left out", optional=True),
                Parameter("encoding", "o200k_base (if left out), or cl100k_base", optional=True),
            ),
        ),
        "The files cut into chunks: a table with the fields doc, start, end (characters), text, size and overlap.",
        Example(
            'CHUNKS("*.txt", 4, 1)[text]',
            ["one two three four", " four five"],
            files={"a.txt": "one two three four five"},
        ),
        do_all=_chunks,
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
