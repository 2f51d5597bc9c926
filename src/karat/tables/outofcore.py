"""CSV files too large to hold: compared by DuckDB, which keeps to a memory limit and spills to disk.

First the same cheap test as for large tables: sums of 64-bit hashes of every column and of every row, in one pass over each
file. Then, if columns that are not the same texts are numbers, both sides are sorted and compared side by side. Where
sorting does not bring equal rows together, no rule can tell within these means, and the match is not settled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

from karat.tables.bipartite import perfect_matching
from karat.tables.mapping import preferred
from karat.tables.matching import Match
from karat.tables.options import CompareOptions
from karat.tables.reading import header_of
from karat.tables.table import Limits, TableError

if TYPE_CHECKING:
    import duckdb

HELD_BYTES = 512 * 1024**2
"""Files below this are read into memory instead."""
MEMORY = "2500MB"


class _File(msgspec.Struct, frozen=True):
    """A CSV file as DuckDB reads it, with the columns that are compared."""

    source: str
    names: tuple[str, ...]
    columns: tuple[int, ...]
    rows: int
    marks: tuple[tuple[Any, ...], ...]
    """For each of ``columns``: sum and exclusive or of its hashes, how many are null, how many are no plain number."""


def match_csv_files(
    gold: Path,
    pred: Path,
    *,
    columns: Sequence[int] | None = None,
    ignore_order: bool = False,
    options: CompareOptions | None = None,
    limits: Limits | None = None,
    memory: str = MEMORY,
) -> Match:
    """Compares two CSV files without holding either. Raises :class:`TableError` for what cannot be read."""
    options, limits = options or CompareOptions(), limits or Limits()
    gold_names, pred_names = header_of(gold, limits), header_of(pred, limits)
    wanted = tuple(columns or range(len(gold_names)))
    if any(not 0 <= column < len(gold_names) for column in wanted):
        raise TableError(
            f"a column is asked for that gold has not: it has columns 0 to {len(gold_names) - 1}", "columns"
        )
    with _connection(memory, (gold, pred)) as connection:
        gold_file = _scan(connection, gold, gold_names, wanted)
        pred_file = _scan(connection, pred, pred_names, tuple(range(len(pred_names))))
        sizes = {"gold_size": [gold_file.rows, len(wanted)], "pred_size": [pred_file.rows, len(pred_names)]}
        if gold_file.rows != pred_file.rows:
            return Match(False, reason="row_count", evidence=sizes, cell_f1=0.0, row_share=0.0)
        mapping, loose, ambiguous = _mapping(gold_file, pred_file)
        if mapping is None:
            return Match(False, reason="missing_column", evidence=sizes, cell_f1=0.0, row_share=0.0)
        if ignore_order and not loose and _same_row_hashes(connection, gold_file, pred_file, mapping):
            return Match(True, mapping=tuple(mapping))
        different = _different(connection, gold_file, pred_file, mapping, loose, options, ordered=not ignore_order)
        if different == 0:
            return Match(True, mapping=tuple(mapping), normalised=("tolerance",) if loose else ())
        share = round(1 - different / max(1, gold_file.rows), 6)
        reason = "values_differ" if loose else "rows_scrambled" if ignore_order else "order_differs"
        return Match(
            False,
            not loose and not ambiguous,
            tuple(mapping),
            (),
            reason,
            {**sizes, "different_rows": different},
            share,
            share,
        )


@contextmanager
def _connection(memory: str, files: Sequence[Path]) -> Iterator[duckdb.DuckDBPyConnection]:
    import duckdb

    with TemporaryDirectory(prefix="karat-") as folder:
        connection = duckdb.connect(
            config={"memory_limit": memory, "temp_directory": folder, "preserve_insertion_order": "true"}
        )
        try:
            yield connection
        except duckdb.Error as error:
            names = " and ".join(path.name for path in files)
            line = str(error).strip().splitlines()[0][:300]
            for path in files:
                line = line.replace(str(path), path.name)
            raise TableError(f"{names}: {line}", "unreadable") from None
        finally:
            connection.close()


def _scan(connection: duckdb.DuckDBPyConnection, path: Path, names: Sequence[str], columns: tuple[int, ...]) -> _File:
    structure = ", ".join(f"'c{index}': 'VARCHAR'" for index in range(len(names)))
    quoted = str(path).replace("'", "''")
    source = (
        f"read_csv('{quoted}', columns={{{structure}}}, auto_detect=false, header=true, delim=',', quote='\"', escape='\"', "
        "nullstr='', strict_mode=true, max_line_size=16777216)"
    )
    marks = ", ".join(
        f"sum(hash(c{c})::HUGEINT), bit_xor(hash(c{c})), count(*) - count(c{c}), count(c{c}) - count(TRY_CAST(c{c} AS DOUBLE))"
        for c in columns
    )
    found = connection.execute(f"SELECT count(*), {marks} FROM {source}").fetchall()[0]  # noqa: S608
    grouped = tuple(tuple(found[1 + 4 * i : 5 + 4 * i]) for i in range(len(columns)))
    return _File(source, tuple(names), columns, int(found[0]), grouped)


def _mapping(gold: _File, pred: _File) -> tuple[list[int] | None, list[int], bool]:
    """The likeliest mapping; those gold columns whose texts are not the same, and that are numbers throughout; and whether
    another mapping would be possible too.
    """
    same = [[p for p, mark in enumerate(pred.marks) if mark[:3] == wanted[:3]] for wanted in gold.marks]
    loose = [index for index, options in enumerate(same) if not options]
    taken = {p for options in same for p in options if len(options) == 1}
    numbers = [p for p, mark in enumerate(pred.marks) if not mark[3] and p not in taken]
    for index in loose:
        wanted = gold.marks[index]
        same[index] = [p for p in numbers if pred.marks[p][2] == wanted[2]] if not wanted[3] else []
    names = [gold.names[column] for column in gold.columns]
    ambiguous = any(len(options) > 1 for options in same)
    return perfect_matching(preferred(same, names, pred.names)), loose, ambiguous


def _same_row_hashes(connection: duckdb.DuckDBPyConnection, gold: _File, pred: _File, mapping: Sequence[int]) -> bool:
    sums = []
    for file, columns in ((gold, gold.columns), (pred, mapping)):
        row = ", ".join(f"c{column}" for column in columns)
        found = connection.execute(
            f"SELECT sum(hash({row})::HUGEINT), bit_xor(hash({row})) FROM {file.source}"  # noqa: S608
        ).fetchall()
        sums.append(found)
    return bool(sums[0] == sums[1])


def _different(
    connection: duckdb.DuckDBPyConnection,
    gold: _File,
    pred: _File,
    mapping: Sequence[int],
    loose: Sequence[int],
    options: CompareOptions,
    *,
    ordered: bool,
) -> int:
    """How many rows differ side by side: in file order, or sorted by what is compared exactly and then by the numbers."""
    keys = [index for index in range(len(mapping)) if index not in loose]
    sides = []
    for file, columns in ((gold, gold.columns), (pred, mapping)):
        row = ", ".join(f"c{columns[index]}" for index in keys)
        chosen = [f"hash({row}) AS k" if keys else "0 AS k"]
        chosen += [f"TRY_CAST(c{columns[index]} AS DOUBLE) AS n{place}" for place, index in enumerate(loose)]
        order = "" if ordered else " ORDER BY " + ", ".join(["k", *(f"n{place}" for place in range(len(loose)))])
        sides.append(f"(SELECT {', '.join(chosen)} FROM {file.source}{order})")  # noqa: S608
    close = [
        f"coalesce(abs(g.n{i} - p.n{i}) <= greatest({options.abs_tol!r}, {options.rel_tol!r} * "
        f"greatest(abs(g.n{i}), abs(p.n{i}))), g.n{i} IS NULL AND p.n{i} IS NULL)"
        for i in range(len(loose))
    ]
    same = " AND ".join(["g.k = p.k", *close])
    query = f"SELECT count(*) FILTER (WHERE NOT ({same})) FROM {sides[0]} g POSITIONAL JOIN {sides[1]} p"  # noqa: S608
    return int(connection.execute(query).fetchall()[0][0])


def is_huge(*paths: Path) -> bool:
    """Whether one of these files is too large to be held."""
    return any(path.is_file() and path.stat().st_size >= HELD_BYTES for path in paths)
