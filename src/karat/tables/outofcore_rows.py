"""The rows of two CSV files too large to hold, side by side under a mapping of their columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.tables.cells import NULL_WORDS, half_unit, parse
from karat.tables.likeness import identity
from karat.tables.options import CompareOptions
from karat.tables.outofcore_columns import ColumnSums, File, number

if TYPE_CHECKING:
    import duckdb

_TEXTS_READ = 50_000
_WORDS = "|".join(sorted(re.escape(word) for word in NULL_WORDS | {"true", "false"}))
_MAY_BE_MORE = rf"(?i)\s*([0-9+.$€£¥₹−-].*|US\$.*|({_WORDS})\s*)"
_MOST_ROUNDED = 0.06
"""More than rounding that shows two digits can move a number, as a share of it."""


def different_rows(
    connection: duckdb.DuckDBPyConnection,
    gold: File,
    pred: File,
    mapping: Sequence[int],
    loose: Sequence[int],
    options: CompareOptions,
    *,
    ordered: bool,
    without: Sequence[int] = (),
) -> int:
    """How many rows differ side by side: in file order, or sorted by what is compared exactly and then by the numbers. Columns
    ``without`` are left out, unless they are among the loose ones.
    """
    keys = [index for index in range(len(mapping)) if index not in loose and index not in without]
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


def refuted(
    connection: duckdb.DuckDBPyConnection,
    gold: File,
    pred: File,
    mapping: Sequence[int],
    options: CompareOptions,
    *,
    ordered: bool,
) -> bool:
    """Whether it is certain that no rule makes the rows agree under this mapping.

    Texts and whole numbers are compared exactly. Of the numbers with fractions one at a time is then paired, sorted, as well as can
    be, and taken as equal wherever rounding could explain it: where rows differ even so, they differ.
    """
    pairs = [(gold.sums[index], pred.sums[p]) for index, p in enumerate(mapping)]
    plain = [one.plain and two.plain for one, two in pairs]
    if options.case_or_space or any(
        not ok and not one.same_texts(two) for ok, (one, two) in zip(plain, pairs, strict=True)
    ):
        return False
    if any(not ok and _may_mean_more(connection, gold, index, options) for index, ok in enumerate(plain)):
        return False
    fractions = [index for index, (one, two) in enumerate(pairs) if plain[index] and one.fractions + two.fractions]
    whole = [index for index, ok in enumerate(plain) if ok and index not in fractions]
    for chosen in [[index] for index in fractions] or [[]]:
        wide = _widest(connection, gold, pred, chosen[0], mapping[chosen[0]], options) if chosen else options
        loose = [*whole, *chosen]
        if different_rows(connection, gold, pred, mapping, loose, wide, ordered=ordered, without=fractions):
            return True
    return False


def _widest(
    connection: duckdb.DuckDBPyConnection, gold: File, pred: File, index: int, p: int, options: CompareOptions
) -> CompareOptions:
    """Tolerances under which every two numbers of these columns are equal that rounding could make so."""
    if not options.rounding:
        return options
    shown = []
    for file, column in ((gold, gold.columns[index]), (pred, p)):
        c = f"c{column}"
        decimals = f"CASE WHEN contains(lower({c}), 'e') THEN 0 WHEN contains({c}, '.') THEN length({c}) - instr({c}, '.') ELSE 0 END"
        found = connection.execute(f"SELECT min({decimals}) FROM {file.source}").fetchall()  # noqa: S608
        shown.append(int(found[0][0] or 0))
    rounded = half_unit(min(shown)) * 1.01 / (min(1.0, gold.sums[index].largest) or 1.0)
    rel_tol = options.rel_tol if min(shown) >= 2 else max(options.rel_tol, _MOST_ROUNDED)
    return msgspec.structs.replace(options, rel_tol=rel_tol, abs_tol=max(options.abs_tol, rounded))


def _may_mean_more(connection: duckdb.DuckDBPyConnection, file: File, index: int, options: CompareOptions) -> bool:
    """Whether two different texts of a column may mean the same: numbers and dates in several formats, words for null."""
    c = f"c{file.columns[index]}"
    found = connection.execute(
        f"SELECT count(DISTINCT regexp_replace({c}, '[0-9]', '0', 'g')) FROM {file.source} "  # noqa: S608
        f"WHERE regexp_full_match({c}, ?)",
        [_MAY_BE_MORE],
    ).fetchall()
    if found[0][0] <= 1:  # all in one format
        return False
    texts = connection.execute(
        f"SELECT DISTINCT {c} FROM {file.source} WHERE regexp_full_match({c}, ?) LIMIT {_TEXTS_READ + 1}",  # noqa: S608
        [_MAY_BE_MORE],
    ).fetchall()
    cells = [parse(text, options) for (text,) in texts]
    return len(texts) > _TEXTS_READ or any(cell.numeric for cell in cells) or len({*map(identity, cells)}) < len(cells)


def other_texts(
    connection: duckdb.DuckDBPyConnection, gold: File, pred: File, index: int, p: int, options: CompareOptions
) -> bool:
    """Whether it is certain that a gold column and a prediction column hold other texts: those that one has more often than the
    other, if they are not too many, mean other things.
    """
    sides = []
    for file, column, sign in ((gold, gold.columns[index], 1), (pred, p, -1)):
        sides.append(f"SELECT c{column} AS c, {sign} AS n FROM {file.source}")  # noqa: S608
    texts = connection.execute(
        f"SELECT c, sum(n) FROM ({' UNION ALL '.join(sides)}) GROUP BY c HAVING sum(n) <> 0 LIMIT {_TEXTS_READ + 1}"  # noqa: S608
    ).fetchall()
    if len(texts) > _TEXTS_READ:
        return False
    more: Counter[tuple[str, str, float]] = Counter()
    for text, count in texts:
        cell = parse(text, options)
        if not cell.numeric:  # what a number is equal to depends on its neighbours
            more[identity(cell)] += int(count)
    return any(more.values())
