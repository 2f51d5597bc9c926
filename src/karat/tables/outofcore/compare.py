"""CSV files too large to hold: compared by DuckDB, which keeps to a memory limit and spills to disk.

First the same cheap test as for large tables: sums of 64-bit hashes of every column and of every row, in one pass over
each file. Then, if columns that are not the same texts are numbers, both sides are sorted and compared side by side,
under a few mappings of the columns whose ends and sums allow it. Other formats are not tried, nor other pairs of rows
than those that lie side by side: where they, or another mapping, could still make the tables equal, the match is not
settled, and says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from karat.core.json_types import JsonObject
from karat.tables.explain.alignment import SHOWN_COLUMNS
from karat.tables.explain.labels import LABELS_SWAPPED, label_evidence
from karat.tables.explain.side_by_side import SHOWN_LETTERS
from karat.tables.files.reading import header_of
from karat.tables.matching import Match
from karat.tables.options import CompareOptions
from karat.tables.outofcore.columns import ColumnSums, File, certainly_missing, could_equal, mappings, scan, text_hash
from karat.tables.outofcore.rows import different_rows, other_texts, refuted
from karat.tables.small.mapping import by_header, preferred
from karat.tables.table import Limits, TableError

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
            f"a column was requested that gold does not have: it has columns 0 to {len(gold_names) - 1}", "columns"
        )
    with _connection(memory, (gold, pred)) as connection:
        gold_file = scan(connection, gold, gold_names, wanted)
        pred_file = scan(connection, pred, pred_names, tuple(range(len(pred_names))))
        sizes = {"gold_size": [gold_file.rows, len(wanted)], "pred_size": [pred_file.rows, len(pred_names)]}
        if gold_file.rows != pred_file.rows:
            return Match(False, reason="row_count", evidence=sizes, cell_f1=0.0, row_share=0.0)
        candidates, loose = _candidates(gold_file, pred_file, options)
        header = by_header([gold_names[column] for column in wanted], pred_names)
        decided = header is not None and all(p in found for p, found in zip(header, candidates, strict=True))
        tries = list(islice(mappings(candidates), MOST_MAPPINGS))
        if not tries:
            return _missing(connection, gold_file, pred_file, candidates, header, sizes, options)
        found: list[tuple[int, list[int]]] = []
        for mapping in tries:
            if ignore_order and not loose and _same_row_hashes(connection, gold_file, pred_file, mapping):
                passed = Match(True, mapping=tuple(mapping))
                return _labelled(passed, gold_file, pred_file, header, sizes, refused=[each for _, each in found])
            different, needed = different_rows(
                connection, gold_file, pred_file, mapping, loose, options, ordered=not ignore_order
            )
            if different == 0:
                passed = Match(True, mapping=tuple(mapping), normalised=needed)
                return _labelled(passed, gold_file, pred_file, header, sizes, refused=[each for _, each in found])
            found.append((different, mapping))
        different, mapping = found[0] if decided else min(found)
        settled = (decided or all(len(options) == 1 for options in candidates)) and refuted(
            connection, gold_file, pred_file, mapping, options, ordered=not ignore_order
        )
    evidence = {**sizes, "different_rows": different}
    if not settled:
        evidence["not_tried"] = f"{NOT_TRIED}; mappings of columns tried: {len(tries)}"
    share = round(1 - different / max(1, gold_file.rows), 6)
    reason = "values_differ" if loose else "rows_scrambled" if ignore_order else "order_differs"
    return Match(False, settled, tuple(mapping), (), reason, evidence, share, share)


def _labelled(
    match: Match,
    gold: File,
    pred: File,
    header: Sequence[int] | None,
    sizes: JsonObject,
    *,
    refused: Sequence[Sequence[int]],
) -> Match:
    """The rows agree, and do not under the headers if these name another mapping that was possible. A header of gold
    may then be on the texts of another gold column, or on other cells than gold's: see
    :mod:`karat.tables.explain.labels`. ``refused``: the mappings under which the rows were found to differ.
    """
    mapping = [p for p in match.mapping if p is not None]
    swapped, elsewhere = [], []
    for g, labelled in enumerate(header or mapping):
        copies = [o for o, p in enumerate(mapping) if pred.sums[p].same_texts(pred.sums[labelled])]
        holder = mapping.index(labelled) if labelled in mapping else None if g in copies else next(iter(copies), None)
        if holder not in (None, g):
            swapped.append((g, holder))
        elif labelled != mapping[g] and (g not in copies or header in refused):
            elsewhere.append((g, mapping[g]))
    if not swapped and not elsewhere:
        return match
    names = [gold.names[column] for column in gold.columns]
    labels = label_evidence(swapped, names) if swapped else label_evidence(elsewhere, names, pred.names)
    evidence = {**sizes, "labels": labels}
    return Match(False, False, match.mapping, (), LABELS_SWAPPED, evidence)


def _missing(
    connection: duckdb.DuckDBPyConnection,
    gold: File,
    pred: File,
    candidates: Sequence[Sequence[int]],
    header: Sequence[int] | None,
    sizes: JsonObject,
    options: CompareOptions,
) -> Match:
    """Some gold column has no candidate, or none is left for it. Not every rule was tried, so that this does not always
    settle it. A column that is there under its header has other values.
    """
    free = [other for other in pred.sums if _alike(other, pred) > _alike(other, gold)]
    missing = [index for index, options in enumerate(candidates) if not options]
    settled = len(pred.sums) < len(gold.sums) or any(certainly_missing(gold.sums[index], free) for index in missing)
    columns = []
    for index in missing[:SHOWN_COLUMNS]:
        columns.append({"gold": gold.names[gold.columns[index]][:SHOWN_LETTERS]})
        if header is not None:
            settled = settled or other_texts(connection, gold, pred, index, header[index], options)
            columns[-1]["nearest"] = pred.names[header[index]][:SHOWN_LETTERS]
    evidence = {**sizes, "columns": columns}
    if not settled:
        evidence["not_tried"] = NOT_TRIED
    reason = "values_differ" if header is not None and missing else "missing_column"
    return Match(False, settled, tuple(header or ()), (), reason, evidence, 0.0, 0.0)


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
    """For each gold column the prediction columns that could be it, likeliest first; and those gold columns whose texts
    no column has, so that they are compared as numbers.
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
        found = connection.execute(f"SELECT sum({row}::HUGEINT), bit_xor({row}) FROM {file.source}").fetchall()
        sums.append(found)
    return bool(sums[0] == sums[1])


def is_huge(*paths: Path) -> bool:
    """Whether one of these files is too large to be held."""
    return any(path.is_file() and path.stat().st_size >= HELD_BYTES for path in paths)
