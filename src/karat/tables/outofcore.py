"""CSV files too large to hold: compared by DuckDB, which keeps to a memory limit and spills to disk.

First the same cheap test as for large tables: sums of 64-bit hashes of every column and of every row, in one pass over each
file. Then, if columns that are not the same texts are numbers, both sides are sorted and compared side by side, under a few
mappings of the columns whose ends and sums allow it. Other formats are not tried, nor other pairs of rows than those that
lie side by side: where they, or another mapping, could still make the tables equal, the match is not settled, and says so.
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
from karat.tables.numbers import NOISE, SLACK, small_scale
from karat.tables.options import CompareOptions
from karat.tables.outofcore_columns import (
    ColumnSums,
    File,
    certainly_missing,
    could_equal,
    decimals,
    mappings,
    number,
    scan,
    text_hash,
    whole,
    whole_digits,
)
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
NOT_TRIED = "the files are too large for memory: other formats of dates and numbers were not tried"


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
            different, needed = _different(
                connection, gold_file, pred_file, mapping, loose, options, ordered=not ignore_order
            )
            if different == 0:
                return Match(True, mapping=tuple(mapping), normalised=needed)
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
        row = text_hash(columns)
        found = connection.execute(f"SELECT sum({row}::HUGEINT), bit_xor({row}) FROM {file.source}").fetchall()  # noqa: S608
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
) -> tuple[int, tuple[str, ...]]:
    """How many rows differ side by side, in file order, or sorted by what is compared exactly and then by the numbers; and what was
    needed for the others to agree.
    """
    keys = [index for index in range(len(mapping)) if index not in loose]
    places = {index: place for place, index in enumerate(loose)}
    vast = [place for index, place in places.items() if gold.sums[index].vast or pred.sums[mapping[index]].vast]
    sides = []
    for file, columns in ((gold, gold.columns), (pred, mapping)):
        chosen = [f"{text_hash([columns[index] for index in keys])} AS k" if keys else "0 AS k"]
        for index, place in places.items():
            column = columns[index]
            chosen += [f"{number(column)} AS n{place}", f"{whole(column, f'n{place}')} AS w{place}"]
            chosen += [f"{decimals(column)} AS d{place}"]
            chosen += [f"CASE WHEN w{place} THEN {whole_digits(column)} END AS t{place}"] if place in vast else []
        sorting = ["k", *(f"n{place}" for place in places.values()), *(f"t{place}" for place in vast)]
        order = "" if ordered else " ORDER BY " + ", ".join(sorting)
        sides.append(f"(SELECT {', '.join(chosen)} FROM {file.source}{order})")  # noqa: S608
    close = [_close(place, gold.sums[index], options, vast=place in vast) for index, place in places.items()]
    same = " AND ".join(["g.k = p.k", *(each[0] for each in close)])
    counts = [f"count(*) FILTER (WHERE NOT ({same}))"]
    counts += [f"coalesce(bool_or({' OR '.join(each[why] for each in close) or 'false'}), false)" for why in (1, 2)]
    query = f"SELECT {', '.join(counts)} FROM {sides[0]} g POSITIONAL JOIN {sides[1]} p"  # noqa: S608
    different, rounded, tolerated = connection.execute(query).fetchall()[0]
    needed = {"rounding": rounded, "tolerance": tolerated}
    return int(different), tuple(name for name, is_so in needed.items() if is_so)


def _close(place: int, gold: ColumnSums, options: CompareOptions, *, vast: bool) -> tuple[str, str, str]:
    """When two numbers side by side are equal: :func:`karat.tables.numbers.why_equal` in SQL. Also when they are by rounding, and
    when by tolerance.
    """
    g, p = f"g.n{place}", f"p.n{place}"
    difference, largest = f"abs({g} - {p})", f"greatest(abs({g}), abs({p}))"
    floor = options.abs_tol * small_scale((gold.largest,))
    near = f"{difference} <= greatest({floor!r}, {options.rel_tol!r} * {largest})"
    few, more = f"g.d{place}", f"p.d{place}"
    least = f"least({few}, {more})"
    shorter = f"abs(CASE WHEN {few} < {more} THEN {g} ELSE {p} END)"
    rounded = "false"
    if options.rounding:
        rounded = (
            f"({few} <> {more} AND {difference} <= 0.5 * pow(10.0::DOUBLE, -greatest(0, {least})) * {SLACK!r}"
            f" + {NOISE!r} * {largest} AND {shorter} * {SLACK!r} >= pow(10.0::DOUBLE, 1 - {least}))"
        )
    whole = f"(g.w{place} AND p.w{place})" if options.exact_whole else "false"
    digits = f"g.t{place} = p.t{place}" if vast and options.exact_whole else f"{g} = {p}"
    same = f"CASE WHEN {whole} THEN {digits} ELSE {near} OR {rounded} END"
    return (
        f"coalesce({same}, {g} IS NULL AND {p} IS NULL)",
        f"(NOT {whole} AND NOT ({near}) AND {rounded})",
        f"(NOT {whole} AND {g} <> {p} AND {near})",
    )


def is_huge(*paths: Path) -> bool:
    """Whether one of these files is too large to be held."""
    return any(path.is_file() and path.stat().st_size >= HELD_BYTES for path in paths)
