"""One cell of a row with another value, and the cells beside it so that what held between them still holds.

An order's total is its price times its units, and it is shipped after it was ordered. Without this no copy could have a
total right at a limit, or an order of another year: two right solutions, of which one uses the price and one the total,
must agree on every copy.

The other dates of the row move by as many days, and what is a part of them (a month, a year) follows. Of the other
numbers some move by as much or grow as many times, in the first way after which all of this is as it was in the table:

- one column decides another: a product has one category
- two numbers or dates are in a fixed order; two numbers have a fixed difference, sum or ratio
- a number is computed from two others, or is a part of a date
- a text contains another one
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import chain, combinations, permutations
from typing import TypeAlias

from karat.suites.codegen.perturb.profile import WAYS, Profile, decides, near, parsed, parts_of_date, written
from karat.suites.codegen.perturb.random_values import decimals
from karat.suites.codegen.records import Cell, Columns

Row: TypeAlias = dict[str, Cell]
Link: TypeAlias = Callable[[Row], bool]
MOST = 4
"""Numbers beside the one that is set: with more, no row is changed."""


class LinkedRows:
    """One block of columns that belong together."""

    def __init__(self, columns: Columns, profile: Profile, block: Sequence[str]) -> None:
        self.block = tuple(block)
        self.known = {name: [value for value in columns[name] if value is not None] for name in block}
        self.kinds = {name: profile.columns[name].kind for name in block}
        self.forms = {name: profile.columns[name].form for name in block}
        self.dates = [name for name in block if self.kinds[name] in ("date", "dated")]
        self.numbers = [name for name in block if self.kinds[name] in ("whole", "number")]
        self.parts = [
            (number, day, part)
            for day in self.dates
            for number in self.numbers
            for part in parts_of_date(columns[day], columns[number], self.forms[day])
        ]
        self.follow = {number for number, _, _ in self.parts}
        """The numbers that are a part of a date."""
        rows = [row for row in _rows(columns, self.block) if None not in row.values()]
        apart = {pair for pair in permutations(self.dates, 2) if self._gap_is_fixed(rows, *pair)}
        """Dates that are a fixed time apart: as they move together, each still decides the other."""
        self.links = list(_links(rows, columns, self.block, self.numbers, self.dates, {*self.follow, *apart}))

    def _gap_is_fixed(self, rows: Sequence[Row], a: str, b: str) -> bool:
        try:
            gaps = {self._moment(b, row[b]) - self._moment(a, row[a]) for row in rows}
        except TypeError:  # a date and a moment
            return False
        return len(gaps) == 1

    def with_value(self, row: Mapping[str, Cell], name: str, value: Cell) -> Row | None:
        """This row with another value in one column; None when no way is known to keep what holds."""
        if row[name] is None or any(row[one] is None for one in self.block):
            return None
        try:
            tried = self._dates(row, name, value) if name in self.dates else self._numbers(row, name, value)
            return next((made for made in tried if all(link(made) for link in self.links)), None)
        except (TypeError, OverflowError, ZeroDivisionError):  # zones that differ, a year that there is not
            return None

    def _dates(self, row: Mapping[str, Cell], name: str, value: Cell) -> Iterator[Row]:
        by = self._moment(name, value) - self._moment(name, row[name])
        moved: Row = {one: self._written(one, self._moment(one, row[one]) + by) for one in self.dates}
        parts = [(number, part(self._moment(day, moved[day]))) for number, day, part in self.parts]
        made = {**row, **moved, **dict(parts)}
        if all(made[number] == one for number, one in parts):
            yield made

    def _moment(self, name: str, value: Cell) -> Cell:
        return parsed(value, self.forms[name]) if self.forms[name] else value

    def _written(self, name: str, moment: Cell) -> Cell:
        return written(moment, self.forms[name]) if self.forms[name] else moment

    def _numbers(self, row: Mapping[str, Cell], name: str, value: Cell) -> Iterator[Row]:
        """Those whose numbers stay within what the column shows come first."""
        if name not in self.numbers or name in self.follow:
            return
        others = [one for one in self.numbers if one != name and one not in self.follow]
        if len(others) > MOST:
            return
        made = [{**row, name: value, **beside} for beside in self._beside(row, name, value, others)]
        fitting = [one for one in made if all(self._fits(other, one[other]) for other in others)]
        inside = [one for one in fitting if all(self._inside(other, one[other]) for other in others)]
        yield from inside
        yield from (one for one in fitting if one not in inside)

    def _beside(self, row: Mapping[str, Cell], name: str, value: Cell, others: Sequence[str]) -> Iterator[Row]:
        by, times = value - row[name], value / row[name] if row[name] else 0.0
        for some in chain.from_iterable(combinations(others, size) for size in range(len(others), -1, -1)):
            yield {one: self._as_in(one, row[one] + by) for one in some}
            yield {one: self._as_in(one, row[one] * times) for one in some}
        for one in others:  # a total of one unit is its price
            yield {other: self._as_in(other, value if other == one else 1) for other in others}

    def _as_in(self, name: str, number: Cell) -> Cell:
        known = self.known[name]
        if all(float(one).is_integer() for one in known):
            return type(known[0])(round(number))
        return round(number, max(map(decimals, known[:50])))

    def _fits(self, name: str, number: Cell) -> bool:
        """Whether the column may hold it at all: no number below 0 where none is, no share above 1."""
        low, high = min(self.known[name]), max(self.known[name])
        end = 1 if high <= 1 else 100 if 50 < high <= 100 else number
        return bool((number >= 0 or low < 0) and (number <= end or low < 0))

    def _inside(self, name: str, number: Cell) -> bool:
        return bool(min(self.known[name]) <= number <= max(self.known[name]))


def _links(
    rows: Sequence[Row],
    columns: Columns,
    block: Sequence[str],
    numbers: Sequence[str],
    dates: Sequence[str],
    follow: Collection[str | tuple[str, str]],
) -> Iterator[Link]:
    """What holds in every row of the table. ``follow``: parts of dates and pairs of dates that follow by themselves."""
    pairs, of_two = list(permutations(block, 2)), list(combinations(numbers, 2))
    fixed = {
        (a, b): [link for way in WAYS if _all(link := _fixed(a, b, way, rows[0]), rows)] for a, b in of_two if rows
    }
    every: list[Link] = [
        _one_of(dict(zip(columns[a], columns[b], strict=True)), a, b)
        for a, b in pairs
        if b not in follow and (a, b) not in follow and not (fixed.get((a, b)) or fixed.get((b, a)))
        if decides(columns[a], columns[b])
    ]
    every += [_ordered(a, b) for group in (numbers, dates) for a, b in permutations(group, 2)]
    every += [_contains(a, b) for a, b in pairs]
    every += [_computed(a, b, c, way) for a, b in of_two for c in numbers if c not in (a, b) for way in WAYS]
    yield from chain.from_iterable(fixed.values())
    yield from (link for link in every if _all(link, rows))


def _all(link: Link, rows: Sequence[Row]) -> bool:
    return all(link(row) for row in rows)


def _rows(columns: Columns, block: Sequence[str]) -> Iterator[Row]:
    for values in zip(*(columns[name] for name in block), strict=True):
        yield dict(zip(block, values, strict=True))


def _one_of(values: Mapping[Cell, Cell], a: str, b: str) -> Link:
    """A value that is not known decides nothing that could be kept."""
    return lambda row: row[a] in values and values[row[a]] == row[b]


def _ordered(a: str, b: str) -> Link:
    return lambda row: bool(row[a] <= row[b])


def _computed(a: str, b: str, c: str, way: Callable[[Cell, Cell], Cell]) -> Link:
    return lambda row: near(way(row[a], row[b]), row[c])


def _contains(a: str, b: str) -> Link:
    return lambda row: isinstance(row[a], str) and isinstance(row[b], str) and row[a] in row[b]


def _fixed(a: str, b: str, way: Callable[[Cell, Cell], Cell], first: Row) -> Link:
    known = way(first[a], first[b])
    return lambda row: abs(way(row[a], row[b]) - known) <= 1e-6 * max(1.0, abs(known))
