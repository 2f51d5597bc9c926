"""The rows of two CSV files too large to hold, side by side under a mapping of their columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from karat.tables.explain.column_similarity import identity
from karat.tables.options import CompareOptions
from karat.tables.outofcore.columns import ColumnSums, File, decimals, number, text_hash, whole, whole_digits
from karat.tables.values.cells import NULL, WORDS, parse
from karat.tables.values.number_texts import LETTERS_FIRST
from karat.tables.values.numbers import NOISE, SLACK, TWO_DIGITS, VAST, half_unit, small_scale

if TYPE_CHECKING:
    import duckdb

_TEXTS_READ = 50_000
_SPACE = r"[\s\v\x1c-\x1f\x{85}\p{Z}]*"
_WORDS = "|".join(sorted(re.escape(word) for word in WORDS))
_MAY_BE_MORE = rf"(?is){_SPACE}([^A-Za-z].*|{LETTERS_FIRST}.*|({_WORDS}){_SPACE})"
_ONE_MEANING_EACH = r"0000[-/]00?[-/]00?([T ]00?:00(:00(\.0{1,6})?)?)?Z?"
"""Dates in one format, with 0 for each digit: other digits are another moment. With an offset they may be the same."""
_WHOLE = r"[+-]?0+"
_MARGIN = 1 + 1e-6

Close = Callable[[int, ColumnSums, ColumnSums, CompareOptions], tuple[str, str, str]]
"""When two numbers side by side are equal, in SQL; when they are by rounding, and when by tolerance."""


def whole_alike(gold: ColumnSums, pred: ColumnSums, options: CompareOptions) -> bool:
    """Whether two numbers of these columns are equal only when they are the same."""
    return options.exact_whole and gold.plain and pred.plain and gold.whole and pred.whole


def rule(place: int, gold: ColumnSums, _: ColumnSums, options: CompareOptions) -> tuple[str, str, str]:
    """:func:`karat.tables.values.numbers.why_equal` in SQL."""
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
    both_whole = f"(g.w{place} AND p.w{place})" if options.exact_whole else "false"
    digits = f"{g} = {p} AND g.t{place} IS NOT DISTINCT FROM p.t{place}"
    same = f"CASE WHEN {both_whole} THEN {digits} ELSE {near} OR {rounded} END"
    return (
        f"coalesce({same}, {g} IS NULL AND {p} IS NULL)",
        f"(NOT {both_whole} AND NOT ({near}) AND {rounded})",
        f"(NOT {both_whole} AND {g} <> {p} AND {near})",
    )


def at_the_widest(place: int, gold: ColumnSums, pred: ColumnSums, options: CompareOptions) -> tuple[str, str, str]:
    """Every two numbers of these columns that could be equal are, and so are all between them: see
    :func:`karat.tables.values.numbers.widest`. Where sorted numbers are further apart, no other pairing brings them
    together.
    """
    g, p = f"g.n{place}", f"p.n{place}"
    largest = f"greatest(abs({g}), abs({p}))"
    widths = [repr(options.abs_tol * small_scale((gold.largest,))), f"{options.rel_tol!r} * {largest}"]
    if options.rounding:
        unit = half_unit(min(gold.decimals or 0, pred.decimals or 0))
        widths.append(f"least({unit!r}, {TWO_DIGITS!r} * {largest})")
    near = f"abs({g} - {p}) <= greatest({', '.join(widths)}) * {_MARGIN!r} + {NOISE!r} * {largest}"
    return f"coalesce({near}, {g} IS NULL AND {p} IS NULL)", "false", "false"


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
    close: Close = rule,
) -> tuple[int, tuple[str, ...]]:
    """How many rows differ side by side, in file order, or sorted by what is compared exactly and then by the numbers;
    and what was needed for the others to agree. The ``loose`` columns are compared as numbers, all others as texts;
    those ``without`` are left out, unless they are among the loose ones.
    """
    sums = {index: (gold.sums[index], pred.sums[mapping[index]]) for index in range(len(mapping))}
    texts = [index for index in sums if index not in loose and index not in without]
    exact = [index for index in loose if whole_alike(*sums[index], options)]
    places = {index: place for place, index in enumerate(index for index in loose if index not in exact)}
    sides = []
    for file, columns in ((gold, gold.columns), (pred, mapping)):
        keys = [text_hash([columns[index] for index in texts])] if texts else []
        keys += [_exactly(columns[index]) for index in exact]
        chosen = [f"hash({', '.join(keys)}) AS k" if keys else "0 AS k"]
        for index, place in places.items():
            column, n = columns[index], f"n{place}"
            chosen += [f"{number(column)} AS {n}", f"{whole(column, n)} AS w{place}", f"{decimals(column)} AS d{place}"]
            chosen += [f"CASE WHEN w{place} AND abs({n}) >= {VAST!r} THEN {whole_digits(column)} END AS t{place}"]
        sorting = ["k", *(f"{each}{place}" for place in places.values() for each in "nt")]
        order = "" if ordered else " ORDER BY " + ", ".join(sorting)
        sides.append(f"(SELECT {', '.join(chosen)} FROM {file.source}{order})")
    found = [close(place, *sums[index], options) for index, place in places.items()]
    same = " AND ".join(["g.k = p.k", *(each[0] for each in found)])
    counts = [f"count(*) FILTER (WHERE NOT ({same}))"]
    counts += [f"coalesce(bool_or({' OR '.join(each[why] for each in found) or 'false'}), false)" for why in (1, 2)]
    query = f"SELECT {', '.join(counts)} FROM {sides[0]} g POSITIONAL JOIN {sides[1]} p"
    different, rounded, tolerated = connection.execute(query).fetchall()[0]
    needed = {"rounding": rounded, "tolerance": tolerated}
    return int(different), tuple(name for name, is_so in needed.items() if is_so)


def _exactly(column: int) -> str:
    """A whole number, as what it is compared by; adding 0 makes one zero of the two."""
    n = number(column)
    return f"({n}) + 0.0, CASE WHEN abs({n}) >= {VAST!r} THEN {whole_digits(column)} END"


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

    Texts and whole numbers are compared exactly. In file order, the rule itself then decides about the other numbers.
    Otherwise one column of them at a time is paired, sorted, as well as can be, and taken as equal wherever tolerance
    or rounding could explain it: where rows differ even so, they differ.
    """
    if options.case_or_space or options.nested:
        return False
    pairs = [(gold.sums[index], pred.sums[p]) for index, p in enumerate(mapping)]
    plain = [index for index, (one, two) in enumerate(pairs) if one.plain and two.plain]
    texts = [index for index in range(len(pairs)) if index not in plain]
    if any(not pairs[index][0].same_texts(pairs[index][1]) for index in texts):
        return False
    if any(_may_mean_more(connection, gold, index, options) for index in texts):
        return False
    if ordered:
        return different_rows(connection, gold, pred, mapping, plain, options, ordered=True)[0] > 0
    whole = [index for index in plain if whole_alike(*pairs[index], options)]
    near = [index for index in plain if index not in whole]
    for chosen in [[index] for index in near] or [[]]:
        loose = [*whole, *chosen]
        different, _ = different_rows(
            connection, gold, pred, mapping, loose, options, ordered=False, without=near, close=at_the_widest
        )
        if different:
            return True
    return False


def _may_mean_more(connection: duckdb.DuckDBPyConnection, file: File, index: int, options: CompareOptions) -> bool:
    """Whether two different texts of a column may mean the same: numbers and dates in several formats, words for
    null."""
    c = f"c{file.columns[index]}"
    formats = connection.execute(
        f"SELECT DISTINCT regexp_replace({c}, '[0-9]', '0', 'g') FROM {file.source} "
        f"WHERE regexp_full_match({c}, ?) LIMIT 2",
        [_MAY_BE_MORE],
    ).fetchall()
    if not formats:
        return False
    if len(formats) == 1:
        one_each = f"{_ONE_MEANING_EACH}|{_WHOLE}" if options.exact_whole else _ONE_MEANING_EACH
        if re.fullmatch(one_each, formats[0][0]):
            return False
    texts = connection.execute(
        f"SELECT DISTINCT {c} FROM {file.source} WHERE regexp_full_match({c}, ?) LIMIT {_TEXTS_READ + 1}",
        [_MAY_BE_MORE],
    ).fetchall()
    cells = [parse(text, options) for (text,) in texts]
    if file.sums[index].nulls:
        cells.append(NULL)
    return len(texts) > _TEXTS_READ or any(cell.numeric for cell in cells) or len({*map(identity, cells)}) < len(cells)


def other_texts(
    connection: duckdb.DuckDBPyConnection, gold: File, pred: File, index: int, p: int, options: CompareOptions
) -> bool:
    """Whether it is certain that a gold column and a prediction column hold other texts: those that one has more often
    than the other, if they are not too many, mean other things.
    """
    sides = []
    for file, column, sign in ((gold, gold.columns[index], 1), (pred, p, -1)):
        sides.append(f"SELECT c{column} AS c, {sign} AS n FROM {file.source}")
    texts = connection.execute(
        f"SELECT c, sum(n) FROM ({' UNION ALL '.join(sides)}) GROUP BY c HAVING sum(n) <> 0 LIMIT {_TEXTS_READ + 1}"
    ).fetchall()
    if len(texts) > _TEXTS_READ:
        return False
    more: Counter[tuple[str, str, float]] = Counter()
    for text, count in texts:
        cell = parse(text, options)
        if not cell.numeric:  # what a number is equal to depends on its neighbours
            more[identity(cell)] += int(count)
    return any(more.values())
