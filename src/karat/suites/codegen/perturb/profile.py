"""What a table's columns are, so that a changed copy still looks like the same kind of table.

- the kind of each column: whole numbers, numbers, dates, dates written as text, text, flags; ``other`` is never
  changed, only drawn again
- keys: columns of text or dates without a repeated value, and of whole numbers that are also called so (``order_id``)
  or only rise or fall (a handful of amounts may all differ by chance); foreign keys: columns whose values lie in a key
  of another table
- two columns whose pairs never repeat, each month and region once: they are the key together
- two columns of one kind that are never equal, a match's home and guest: in a copy they are not equal either
- columns that belong together (``total`` is ``price`` times ``units``, a product has one category, an end lies after
  its start): in a copy they move as one block, so that code which uses one of them in place of the others stays right
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import combinations, pairwise, permutations
from typing import Literal

import msgspec

from karat.suites.codegen.perturb.foreign_keys import parent_of
from karat.suites.codegen.perturb.never_equal import never_equal
from karat.suites.codegen.records import Cell, Columns

Kind = Literal["whole", "number", "flag", "date", "dated", "text", "other"]

FORMATS = (
    "%Y-%m-%d",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %H:%M:%SZ",
    "%Y-%m-%dT%H:%MZ",
    "%Y-%m-%dT%H:%M:%S%z",
    "%Y-%m-%d %H:%M:%S%z",
    "%Y-%m-%dT%H:%M%z",
)
"""Dates written as text of which new ones can be made. In other forms (``1/2/2024``) nobody knows which is the day."""
SUPPORT = 4
"""This many repeated rows must bear out that one column decides another."""
LIKE = 8
"""This many rows must bear out that two numbers are in a fixed order or sum."""
WIDEST = 40
"""Columns beyond these are not looked at for what belongs together."""

_KEY_WORDS = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "code", "index", "idx", "uid", "uuid", "sku", "pk"}
)
_DATE_LIKE = re.compile(r"\s*\d{1,4}[-/.]\d{1,2}([-/.]\d{1,4})?(\D.*)?|\s*\d{1,2}:\d{2}(:\d{2})?.*")


class Column(msgspec.Struct, frozen=True):
    """One column: its kind, whether it is a key, how its dates are written, and whether its rows are in order (1 up, -1
    down, 0 not)."""

    kind: Kind
    key: bool = False
    form: str = ""
    order: int = 0
    parent: tuple[str, str] | None = None
    """The table and key that its values come from."""
    nulls: bool = False
    """Whether values are missing. A column without a missing value has none in a copy either."""
    different: bool = False
    """Whether no number or date of it repeats, though it is no key: in a copy none does either, so that there are no
    new ties."""


class Profile(msgspec.Struct, frozen=True):
    """One table: its columns, and the blocks of columns that move together."""

    height: int
    columns: dict[str, Column]
    blocks: tuple[tuple[str, ...], ...]
    named_keys: frozenset[str] = frozenset()
    """Keys that foreign keys point to, of other tables or of its own."""
    is_parent: bool = False
    """Whether other tables point to it."""
    grid: tuple[str, str] | None = None
    """Two columns whose pairs never repeat, a month and a region: together they are the key."""
    repeats: bool = False
    """Whether some row is there twice."""
    apart: tuple[tuple[str, str], ...] = ()
    """Columns with the same texts or foreign keys that are never equal in a row."""

    def free(self, name: str) -> bool:
        """Whether a column may change by itself: no key, no foreign key, and no other column hangs on it."""
        about = self.columns[name]
        return not about.key and about.parent is None and (name,) in self.blocks

    def block(self, name: str) -> tuple[str, ...]:
        """The columns that move with this one, itself among them."""
        return next(block for block in self.blocks if name in block)

    def loose_keys(self, table: Columns, *, keep_order: bool = False) -> list[str]:
        """Texts without a repeated value beside a number or code that says which row it is, a title beside its ISBN:
        what either is says nothing about the other. (A country's name and its letters belong together.)
        ``keep_order``: not those that are in order."""
        keys = [name for name, about in self.columns.items() if about.key and (name,) in self.blocks]
        first = next((name for name in keys if name in self.named_keys), keys[0] if keys else "")
        if not first or not all(re.search(r"\d", str(value)) for value in table[first]):
            return []
        return [
            name
            for name in keys
            if name != first and self.columns[name].kind == "text" and not (keep_order and self.columns[name].order)
            if name not in self.named_keys and not _contained(list(map(str, table[first])), table[name])
        ]

    def bound_unique(self, table: Columns) -> bool:
        """Whether a column without a repeated value belongs to others: no new row can be made without a tie."""
        if self.grid is not None:
            return True
        bound = [name for block in self.blocks if len(block) > 1 for name in block]
        return any(len(set(map(repr, table[name]))) == len(table[name]) > 1 for name in bound)


def profiles_of(tables: Mapping[str, Columns]) -> dict[str, Profile]:
    """What is known of all tables of a task together."""
    found = {name: {label: _column(label, values) for label, values in table.items()} for name, table in tables.items()}
    for name, table in tables.items():
        for label, values in table.items():
            parent = None if found[name][label].key else parent_of(name, label, values, tables, found)
            if parent is not None:
                found[name][label] = msgspec.structs.replace(found[name][label], parent=parent)
    links = [(name, about.parent) for name, columns in found.items() for about in columns.values() if about.parent]
    return {
        name: _profile(
            table,
            found[name],
            frozenset(key for _, (parent, key) in links if parent == name),
            any(parent == name != child for child, (parent, _) in links),
        )
        for name, table in tables.items()
    }


def _profile(table: Columns, columns: dict[str, Column], named_keys: frozenset[str], is_parent: bool) -> Profile:
    blocks = _blocks(table, columns)
    grid = _grid(table, columns)
    if grid is not None:
        joined = [block for block in blocks if set(block) & set(grid)]
        merged = tuple(name for name in table if any(name in block for block in joined))
        blocks = (*(block for block in blocks if block not in joined), merged)
    rows = list(zip(*(map(repr, values) for values in table.values()), strict=False))
    bound = {name for block in blocks if len(block) > 1 for name in block}
    return Profile(
        height_of(table),
        {
            name: msgspec.structs.replace(
                column, key=column.key and name not in bound
            )  # a new day would need its month
            for name, column in columns.items()
        },
        blocks,
        named_keys,
        is_parent,
        grid,
        len(set(rows)) < len(rows),
        never_equal(
            table, [name for name, about in columns.items() if not about.key and (about.kind == "text" or about.parent)]
        ),
    )


def _grid(table: Columns, columns: Mapping[str, Column]) -> tuple[str, str] | None:
    """Two columns that say together which row it is: every pair once, each value in several rows, most pairs there."""
    if any(column.key for column in columns.values()):
        return None
    height = height_of(table)
    named = [
        name
        for name, column in list(columns.items())[:WIDEST]
        if column.kind in ("text", "dated", "date", "whole", "other") and not column.nulls
        if all(isinstance(value, str | int | date) for value in table[name])  # 2023-01 is no date that can be made
        if 2 <= len(set(table[name])) <= height // 2
    ]
    for first, second in combinations(named, 2):
        pairs = set(zip(table[first], table[second], strict=True))
        if len(pairs) == height and 2 * len(set(table[first])) * len(set(table[second])) <= 3 * height:
            if "whole" in (columns[first].kind, columns[second].kind) and height < LIKE:
                continue
            return first, second
    return None


def height_of(table: Columns) -> int:
    """How many rows a table has."""
    return max((len(values) for values in table.values()), default=0)


def _column(label: str, values: Sequence[object]) -> Column:
    known = [value for value in values if value is not None]
    kind, form = _kind(known)
    unique = kind in ("whole", "text", "dated") and len(known) == len(values) >= 2 and len(set(known)) == len(known)
    order = _order(known) if kind not in ("other", "flag") else 0
    called_so = bool(_KEY_WORDS & set(re.findall(r"[a-z]+", re.sub(r"([a-z])([A-Z])", r"\1 \2", label).lower())))
    key = unique and (kind != "whole" or called_so or bool(order))
    different = not key and kind in ("whole", "number", "date") and len(known) >= 2 and len(set(known)) == len(known)
    return Column(kind, key, form, order, nulls=len(known) < len(values), different=different)


def _kind(known: Sequence[Cell]) -> tuple[Kind, str]:
    types = {type(value) for value in known}
    if types == {bool}:
        return "flag", ""
    if types == {int}:
        return "whole", ""
    if types and types <= {int, float}:
        return "number", ""
    if types == {datetime} or types == {date}:
        return "date", ""
    if types != {str}:
        return "other", ""
    for form in FORMATS:
        if all(parsed(text, form) is not None for text in known):
            return "dated", form
    return ("other" if all(_DATE_LIKE.fullmatch(text) for text in known) else "text"), ""


def parsed(text: str, form: str) -> datetime | None:
    """The moment that a text of this form names; None when it is none."""
    try:
        moment = datetime.strptime(text, form)
    except ValueError:
        return None
    return moment if written(moment, form) == text else None


def written(moment: date, form: str) -> str:
    """A moment in this form; an offset has a colon, as in ISO 8601: ``+02:00``."""
    text = moment.strftime(form)
    return f"{text[:-2]}:{text[-2:]}" if form.endswith("%z") and text[-5:-4] in ("+", "-") else text


def _order(known: Sequence[Cell]) -> int:
    if len(known) < 3 or len(set(known)) < 3:
        return 0
    try:
        if all(a <= b for a, b in pairwise(known)):
            return 1
        return -1 if all(a >= b for a, b in pairwise(known)) else 0
    except TypeError:
        return 0


# -- columns that belong together --------------------------------------------------------------------------------------


def _blocks(table: Columns, columns: Mapping[str, Column]) -> tuple[tuple[str, ...], ...]:
    owner = {name: name for name in table}

    def root(name: str) -> str:
        while owner[name] != name:
            name = owner[name]
        return name

    looked_at = _looked_at(table, columns)
    for first, second in combinations(looked_at, 2):
        if root(first) != root(second) and _together(table, columns, first, second):
            owner[root(second)] = root(first)
    numbers = [name for name in looked_at if columns[name].kind in ("whole", "number") and _varies(table[name])]
    for first, second in combinations(numbers[:12], 2):
        for third in numbers[:12]:
            if third not in (first, second) and _computed(table[first], table[second], table[third]):
                owner[root(second)] = root(first)
                owner[root(third)] = root(first)
    blocks: dict[str, list[str]] = {}
    for name in table:
        blocks.setdefault(root(name), []).append(name)
    return tuple(tuple(names) for names in blocks.values())


def _looked_at(table: Columns, columns: Mapping[str, Column]) -> list[str]:
    """The columns that may hang on another one: no keys, and of equal ones the first. Which of two equal ones was asked
    for makes a difference."""
    found: dict[str, str] = {}
    for name, values in list(table.items())[:WIDEST]:
        about = columns[name]
        if not about.key or about.kind == "dated":
            found.setdefault(repr(values), name)
    return list(found.values())


def _together(table: Columns, columns: Mapping[str, Column], first: str, second: str) -> bool:
    a, b = table[first], table[second]
    if decides(a, b) or decides(b, a):
        return True
    kinds = columns[first].kind, columns[second].kind
    if set(kinds) <= {"whole", "number"}:
        return _varies(a) and _varies(b) and (_linear(a, b) or _in_order(a, b))
    if set(kinds) == {"date"} or (set(kinds) == {"dated"} and columns[first].form == columns[second].form):
        return _in_order(a, b)
    for (one, other), kind in zip(permutations((first, second)), permutations(kinds), strict=True):
        if kind == ("dated", "whole") or kind == ("date", "whole"):
            return any(parts_of_date(table[one], table[other], columns[one].form))
    return set(kinds) == {"text"} and _contained(a, b)


def _varies(values: Sequence[object]) -> bool:
    return len({value for value in values if value is not None}) > 1


def _pairs(*columns: Sequence[object]) -> list[tuple[Cell, ...]]:
    return [row for row in zip(*columns, strict=True) if None not in row]


def decides(a: Sequence[object], b: Sequence[object]) -> bool:
    """Whether every value of the first has one value of the second, borne out by rows that repeat it."""
    seen: dict[Cell, Cell] = {}
    repeats = 0
    for one, other in zip(a, b, strict=True):
        repeats += one in seen
        if seen.setdefault(one, other) != other:
            return False
    return repeats >= SUPPORT and _varies(b)


def _linear(a: Sequence[object], b: Sequence[object]) -> bool:
    """A fixed ratio, sum or difference."""
    pairs = _pairs(a, b)
    if len(pairs) < LIKE:
        return False
    ratio = [y / x for x, y in pairs if x]
    return any(
        len(found) == len(pairs) and max(found) - min(found) <= 1e-6 * max(1.0, abs(found[0]))
        for found in (ratio, [x + y for x, y in pairs], [y - x for x, y in pairs])
    )


def _in_order(a: Sequence[object], b: Sequence[object]) -> bool:
    """Whether one is never above the other although their ranges overlap: a start and an end, a low and a high."""
    pairs = _pairs(a, b)
    if len(pairs) < LIKE:
        return False
    lows, highs = zip(*pairs, strict=True)
    if max(lows) < min(highs) or max(highs) < min(lows):
        return False
    return all(x <= y for x, y in pairs) or all(x >= y for x, y in pairs)


def _computed(a: Sequence[object], b: Sequence[object], c: Sequence[object]) -> bool:
    """Whether the third is the sum, difference, product or ratio of the others, cents rounded."""
    rows = _pairs(a, b, c)
    return len(rows) >= SUPPORT and any(all(near(way(x, y), z) for x, y, z in rows) for way in WAYS)


def _ratio(x: float, y: float) -> float:
    return x / y if y else float("inf")


WAYS: tuple[Callable[[Cell, Cell], Cell], ...] = (
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: y - x,
    lambda x, y: x * y,
    _ratio,
    lambda x, y: _ratio(y, x),
)
"""How a number may be computed from two others."""


def near(found: float, given: float) -> bool:
    return abs(found - given) <= max(0.0051, 1e-6 * abs(given)) and (given != 0 or abs(found) < 0.0051)


DATE_PARTS: tuple[Callable[[Cell], Cell], ...] = (
    lambda day: day.year,
    lambda day: day.month,
    lambda day: day.day,
    lambda day: day.weekday(),
    lambda day: day.isoweekday(),
    lambda day: (day.month + 2) // 3,
    lambda day: day.isocalendar()[1],
    lambda day: getattr(day, "hour", -1),
)


def parts_of_date(dates: Sequence[object], numbers: Sequence[object], form: str) -> Iterator[Callable[[Cell], Cell]]:
    """The parts of the date that the number is in every row, such as its month."""
    moments = [(parsed(day, form) if form else day, number) for day, number in _pairs(dates, numbers)]
    known = [(moment, number) for moment, number in moments if moment is not None]
    if len(known) >= SUPPORT:
        yield from (part for part in DATE_PARTS if all(part(moment) == number for moment, number in known))


def _contained(a: Sequence[object], b: Sequence[object]) -> bool:
    pairs = _pairs(a, b)
    return len(pairs) >= SUPPORT and (all(x in y for x, y in pairs) or all(y in x for x, y in pairs))
