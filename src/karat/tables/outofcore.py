"""CSV files too large to hold: compared by DuckDB, which keeps to a memory limit and spills to disk.

First the same cheap test as for large tables: sums of 64-bit hashes of every column and of every row, in one pass over each
file. Then, if columns that are not the same texts are numbers, both sides are sorted and compared side by side, under a few
mappings of the columns whose ends and sums allow it. Other formats and rounding are not tried: where they, or another
mapping, could still make the tables equal, the match is not settled, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from karat.tables.alignment import SHOWN_COLUMNS
from karat.tables.mapping import preferred
from karat.tables.matching import Match
from karat.tables.options import CompareOptions
from karat.tables.outofcore_columns import ColumnSums, File, certainly_missing, could_equal, mappings, number, scan
from karat.tables.reading import header_of
from karat.tables.table import Limits, TableError
from karat.tables.view import SHOWN_LETTERS

if TYPE_CHECKING:
    import duckdb

HELD_BYTES = 512 * 1024**2
"""Files below this are read into memory instead."""
MEMORY = "2500MB"
MOST_MAPPINGS = 4
"""Each mapping that is tried sorts both files once more."""
NOT_TRIED = "the files are too large to hold: other formats of dates and numbers, and rounding, were not tried"


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
        gold_file = scan(connection, gold, gold_names, wanted)
        pred_file = scan(connection, pred, pred_names, tuple(range(len(pred_names))))
        sizes = {"gold_size": [gold_file.rows, len(wanted)], "pred_size": [pred_file.rows, len(pred_names)]}
        if gold_file.rows != pred_file.rows:
            return Match(False, reason="row_count", evidence=sizes, cell_f1=0.0, row_share=0.0)
        candidates, loose = _candidates(gold_file, pred_file, options)
        tries = list(islice(mappings(candidates), MOST_MAPPINGS))
        if not tries:
            return _missing(gold_file, pred_file, candidates, sizes)
        found = []
        for mapping in tries:
            if ignore_order and not loose and _same_row_hashes(connection, gold_file, pred_file, mapping):
                return Match(True, mapping=tuple(mapping))
            different = _different(connection, gold_file, pred_file, mapping, loose, options, ordered=not ignore_order)
            if different == 0:
                return Match(True, mapping=tuple(mapping), normalised=("tolerance",) if loose else ())
            found.append((different, mapping))
    different, mapping = min(found)
    settled = not loose and all(len(options) == 1 for options in candidates)
    evidence = {**sizes, "different_rows": different}
    if not settled:
        evidence["not_tried"] = f"{NOT_TRIED}; mappings of columns tried: {len(tries)}"
    share = round(1 - different / max(1, gold_file.rows), 6)
    reason = "values_differ" if loose else "rows_scrambled" if ignore_order else "order_differs"
    return Match(False, settled, tuple(mapping), (), reason, evidence, share, share)


def _missing(gold: File, pred: File, candidates: Sequence[Sequence[int]], sizes: dict[str, Any]) -> Match:
    """Some gold column has no candidate, or none is left for it. Not every rule was tried, so that this seldom settles it."""
    free = [other for other in pred.sums if _alike(other, pred) > _alike(other, gold)]
    missing = [index for index, options in enumerate(candidates) if not options]
    settled = len(pred.sums) < len(gold.sums) or any(certainly_missing(gold.sums[index], free) for index in missing)
    names = [gold.names[gold.columns[index]] for index in missing]
    evidence = {**sizes, "columns": [{"gold": name[:SHOWN_LETTERS]} for name in names[:SHOWN_COLUMNS]]}
    if not settled:
        evidence["not_tried"] = NOT_TRIED
    return Match(False, settled, (), (), "missing_column", evidence, 0.0, 0.0)


def _alike(column: ColumnSums, file: File) -> int:
    """How many columns of a file have the texts of this one."""
    return sum(column.same_texts(other) for other in file.sums)


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


def _candidates(gold: File, pred: File, options: CompareOptions) -> tuple[list[list[int]], list[int]]:
    """For each gold column the prediction columns that could be it, likeliest first; and those gold columns whose texts no column
    has, so that they are compared as numbers.
    """
    same = [[p for p, other in enumerate(pred.sums) if one.same_texts(other)] for one in gold.sums]
    loose = [index for index, found in enumerate(same) if not found]
    for index in loose:
        one = gold.sums[index]
        same[index] = [p for p, other in enumerate(pred.sums) if could_equal(one, other, gold.rows, options)]
    return preferred(same, [gold.names[column] for column in gold.columns], pred.names), loose


def _same_row_hashes(connection: duckdb.DuckDBPyConnection, gold: File, pred: File, mapping: Sequence[int]) -> bool:
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
    gold: File,
    pred: File,
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
        chosen += [f"{number(columns[index])} AS n{place}" for place, index in enumerate(loose)]
        order = "" if ordered else " ORDER BY " + ", ".join(["k", *(f"n{place}" for place in range(len(loose)))])
        sides.append(f"(SELECT {', '.join(chosen)} FROM {file.source}{order})")  # noqa: S608
    close = [_close(place, gold.sums[index], pred.sums[mapping[index]], options) for place, index in enumerate(loose)]
    same = " AND ".join(["g.k = p.k", *close])
    query = f"SELECT count(*) FILTER (WHERE NOT ({same})) FROM {sides[0]} g POSITIONAL JOIN {sides[1]} p"  # noqa: S608
    return int(connection.execute(query).fetchall()[0][0])


def _close(place: int, gold: ColumnSums, pred: ColumnSums, options: CompareOptions) -> str:
    """When two numbers side by side are equal. Whole ones must be the same: they may name things, as ids do. In a column of numbers
    below 1 the absolute tolerance shrinks with the largest: see :func:`karat.tables.cells.as_gold`.
    """
    g, p = f"g.n{place}", f"p.n{place}"
    if not gold.fractions and not pred.fractions:
        return f"{g} IS NOT DISTINCT FROM {p}"
    floor = options.abs_tol * (min(1.0, gold.largest) or 1.0)
    near = f"abs({g} - {p}) <= greatest({floor!r}, {options.rel_tol!r} * greatest(abs({g}), abs({p})))"
    return f"coalesce({near}, {g} IS NULL AND {p} IS NULL)"


def is_huge(*paths: Path) -> bool:
    """Whether one of these files is too large to be held."""
    return any(path.is_file() and path.stat().st_size >= HELD_BYTES for path in paths)
