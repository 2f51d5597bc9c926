"""Changed copies of a task's tables. The same task always gives the same copies.

| kind | change |
|---|---|
| ``resampled`` | 1.3 times the rows, each part of a row drawn again, numbers and dates anew within their range |
| ``numbers`` | as many rows with the same keys and texts, numbers and dates anew; once with the first and last row as they were |
| ``values`` | each column in another order than the others, keys as they were |
| ``smaller`` | a third of the rows, without the largest or smallest numbers and without one category |
| ``new_category`` | more rows, half of them with a category that was not there; once with a category renamed too |
| ``nulls`` | some cells missing: of all kinds, of numbers, of texts |
| ``duplicated`` | every row twice, with keys of its own |
| ``repeated`` | some rows once more as they are; keys repeat only where the reference counts different ones |
| ``row_order`` | the rows in another order |
| ``columns`` | the columns in another order, and two more that nobody asked for |

Columns that belong together stay together (see ``profile``). Values that the reference names stay in the tables. Where the result depends on the
order of rows, columns that were in order stay so.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from karat.suites.codegen.perturb.drawing import new_value, redrawn
from karat.suites.codegen.perturb.profile import Columns, Profile, profiles_of

SEED = 20_240_601
NULLS = 0.15
PLAN = (
    ("resampled", 0),
    ("numbers", 0),
    ("smaller", 0),
    ("nulls", 0),
    ("new_category", 0),
    ("values", 0),
    ("row_order", 0),
    ("columns", 0),
    ("duplicated", 0),
    ("repeated", 0),
    *((kind, seed) for seed in (1, 2) for kind in ("resampled", "numbers", "smaller", "nulls")),
    ("new_category", 1),
    ("values", 1),
    ("row_order", 1),
)
"""What is tried, in this order. The first of each kind is all of ``perturb: quick``."""
NEEDS_FREE_ORDER = frozenset({"row_order", "duplicated", "repeated"})


class Hints(msgspec.Struct, frozen=True):
    """What the reference says about its tables."""

    named: frozenset[Any] = frozenset()
    """Constants of the reference: rows with these values are what it is about."""
    counts_different: bool = False
    """It counts different values or drops repeated rows, so that keys may repeat."""
    more_columns: bool = True
    """It names the columns that it takes, so that others make no difference."""
    keep_order: bool = False
    """Its result depends on the order of rows."""


class Copier:
    """The tables of one task, and what they are."""

    def __init__(self, tables: Mapping[str, Columns], hints: Hints) -> None:
        self.tables = tables
        self.hints = hints
        self.profiles = profiles_of(tables)

    def copy(self, kind: str, seed: int) -> dict[str, Columns] | None:
        """One changed copy; None when this kind changes nothing here."""
        if self.hints.keep_order and (kind in NEEDS_FREE_ORDER or (kind == "new_category" and self._bound_unique())):
            return None
        made: dict[str, Columns] = {}
        for name, columns in self.tables.items():
            pick = random.Random(f"{SEED}{kind}{seed}{name}")  # noqa: S311 (no secret)
            change = _Change(columns, self.profiles[name], self.hints, pick, seed)
            made[name] = KINDS[kind](change) if change.height else dict(columns)
        if kind != "columns":
            self._join_up(made, random.Random(f"{SEED}{kind}{seed}"))  # noqa: S311
        if self.hints.keep_order:
            made = {name: _ordered(columns, self.profiles[name]) for name, columns in made.items()}
        same = all(list(made[name].items()) == list(columns.items()) for name, columns in self.tables.items())
        return None if same else made

    def _bound_unique(self) -> bool:
        return any(profile.bound_unique(self.tables[name]) for name, profile in self.profiles.items())

    def _join_up(self, made: dict[str, Columns], pick: random.Random) -> None:
        """Foreign keys point to rows that are there; now and then to a new one."""
        for name, profile in self.profiles.items():
            for label, about in profile.columns.items():
                if about.parent is None or label not in made[name]:
                    continue
                table, key = about.parent
                there = made[table][key]
                before = set(self.tables[table][key])
                added = [value for value in there if value not in before]
                known = set(there)
                if (label,) not in profile.blocks:
                    rows = [row for row, value in enumerate(made[name][label]) if value is None or value in known]
                    if rows:
                        made[name] = {one: [values[row] for row in rows] for one, values in made[name].items()}
                    continue
                made[name][label] = [
                    value
                    if value is None or (value in known and not (added and pick.random() < 0.2))
                    else pick.choice(added or there)
                    for value in made[name][label]
                ]


class _Change:
    """One table on its way to a copy."""

    def __init__(self, columns: Columns, profile: Profile, hints: Hints, pick: random.Random, seed: int) -> None:
        self.columns = columns
        self.profile = profile
        self.hints = hints
        self.pick = pick
        self.seed = seed
        self.height = profile.height
        self.rows = list(range(profile.height))

    def take(self, rows: Sequence[int]) -> Columns:
        """These rows as they are. A key that would repeat is renewed."""
        made = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        for name, about in self.profile.columns.items():
            if about.key:
                made[name] = self._renewed(name, made[name])
        return made

    def _renewed(self, name: str, values: Sequence[Any]) -> list[Any]:
        known, about = self.columns[name], self.profile.columns[name]
        taken, seen, made = set(known), set(), []
        for value in values:
            if value in seen:
                value = new_value(value, about, taken, known, self.pick)
                taken.add(value)
            seen.add(value)
            made.append(value)
        return made

    def mixed(self, height: int, rows_of: Callable[[], list[int]]) -> Columns:
        """Rows whose blocks come from different rows; keys stand in their order and are renewed where they run out."""
        made: Columns = {}
        for block in self.profile.blocks:
            kept = len(block) == 1 and self.profile.columns[block[0]].key
            rows = [place % self.height for place in range(height)] if kept else rows_of()
            made.update({name: [self.columns[name][row] for row in rows] for name in block})
        whole = {name: made[name] for name in self.columns}
        for name, about in self.profile.columns.items():
            if about.key:
                whole[name] = self._renewed(name, whole[name])
        return whole

    def anew(self, made: Columns, rows: Sequence[int] | None = None) -> Columns:
        """The same with free numbers, dates and flags drawn anew, in these rows or all."""
        for name, about in self.profile.columns.items():
            if not self.profile.free(name) or about.kind in ("text", "other"):
                continue
            values = made[name]
            wanted = list(range(len(values))) if rows is None else list(rows)
            fresh = redrawn([values[row] for row in wanted], about, self.pick)
            if self.hints.keep_order and _all_different(self.columns[name]) and not _all_different([*values, *fresh]):
                fresh = self.pick.sample([values[row] for row in wanted], len(wanted))
            made[name] = list(values)
            for row, value in zip(wanted, fresh, strict=True):
                made[name][row] = value
        return made

    def categories(self) -> list[tuple[str, ...]]:
        """Blocks of text that rows are grouped by: few values, three at least (the two of a flag are all there are)."""
        found = []
        for block in self.profile.blocks:
            about = [self.profile.columns[name] for name in block]
            if any(one.kind != "text" or one.key or one.parent is not None for one in about):
                continue
            different = {value for value in self.columns[block[0]] if value is not None}
            if 3 <= len(different) <= max(20, self.height // 2) and len(different) < self.height:
                found.append(block)
        return found


def _all_different(values: Sequence[Any]) -> bool:
    return len(set(values)) == len(values)


def _resampled(change: _Change) -> Columns:
    if change.hints.keep_order and change.profile.bound_unique(change.columns):
        return change.anew(_values(change))
    height = max(change.height + 1, int(change.height * 1.3))
    return change.anew(change.mixed(height, lambda: change.pick.choices(change.rows, k=height)))


def _numbers(change: _Change) -> Columns:
    rows = change.rows[1:-1] if change.seed == 0 and change.height > 3 else change.rows
    made = change.take(change.rows)
    for block in change.profile.blocks:
        if len(block) > 1 and any(change.profile.columns[name].kind in ("whole", "number") for name in block):
            drawn = change.pick.choices(change.rows, k=len(rows))
            for name in block:
                made[name] = list(made[name])
                for row, source in zip(rows, drawn, strict=True):
                    made[name][row] = change.columns[name][source]
    return change.anew(made, rows)


def _values(change: _Change) -> Columns:
    return change.mixed(change.height, lambda: change.pick.sample(change.rows, change.height))


def _smaller(change: _Change) -> Columns:
    least = max(change.height // 3, min(2, change.height))
    left = set(change.rows)
    kept = _rows_with(change, change.hints.named)
    gone: list[set[int]] = []
    for name, about in change.profile.columns.items():
        values = change.columns[name]
        known = [value for value in values if value is not None]
        if about.kind in ("whole", "number", "date", "dated") and not about.key and len(set(known)) > 1:
            ends = [end for end, wanted in ((max(known), change.seed != 1), (min(known), change.seed != 0)) if wanted]
            gone += [{row for row, value in enumerate(values) if value == end} for end in ends]
    blocks = change.categories()
    for block in change.pick.sample(blocks, len(blocks)):
        values = change.columns[block[0]]
        free = sorted({value for value in values if value is not None and value not in change.hints.named})
        if free:
            without = change.pick.choice(free)
            gone.append({row for row, value in enumerate(values) if value == without})
    for rows in gone:
        if len(left - rows) >= least and (not kept or left - rows & kept):
            left -= rows
    surplus = len(left) - least
    loose = sorted(left - set(sorted(kept)[: max(1, least // 2)]))
    left -= set(change.pick.sample(loose, min(surplus, len(loose))))
    return change.take(sorted(left))


def _rows_with(change: _Change, named: frozenset[Any]) -> set[int]:
    """Rows that hold a value which the reference names."""
    texts = {value for value in named if isinstance(value, str)}
    return {row for values in change.columns.values() for row, value in enumerate(values) if value in texts}


def _new_category(change: _Change) -> Columns:
    pick = change.pick
    added = [pick.choice(change.rows) for _ in range(max(2, change.height // 4))]
    made = change.take([*change.rows, *added])
    made = change.anew(made, range(change.height, change.height + len(added)))
    for block in change.categories():
        new: dict[str, Any] = {}
        for name in block:
            about, values = change.profile.columns[name], change.columns[name]
            known = [value for value in values if value is not None]
            new[name] = new_value(pick.choice(known), about, set(known), known, pick)
        rows = list(range(change.height, change.height + len(added), 2))
        if change.seed:
            free = sorted({value for value in change.columns[block[0]] if value is not None} - change.hints.named)
            old = pick.choice(free) if free else None
            rows += [row for row, value in enumerate(made[block[0]]) if value == old and old is not None]
        for name in block:
            made[name] = [new[name] if row in set(rows) else value for row, value in enumerate(made[name])]
    return made


def _nulls(change: _Change) -> Columns:
    """Parts of a row that belong together go missing together."""
    made = change.take(change.rows)
    wanted = ({"whole", "number", "text", "dated", "date"}, {"whole", "number"}, {"text"})[change.seed]
    for block in change.profile.blocks:
        about = [change.profile.columns[name] for name in block]
        stays = any(one.key or one.parent is not None or one.kind not in wanted for one in about)
        if stays or change.height < 2 or (change.hints.keep_order and any(one.order for one in about)):
            continue
        rows = {row for row in change.rows if change.pick.random() < NULLS} or {change.pick.choice(change.rows)}
        for name in block:
            made[name] = [None if row in rows else value for row, value in enumerate(made[name])]
    return made


def _duplicated(change: _Change) -> Columns:
    return change.take([*change.rows, *change.rows])


def _repeated(change: _Change) -> Columns:
    keyed = any(about.key for about in change.profile.columns.values())
    if change.profile.is_parent or (keyed and not change.hints.counts_different):
        return dict(change.columns)
    again = change.pick.choices(change.rows, k=max(1, change.height // 3))
    if change.hints.named and (about := sorted(_rows_with(change, change.hints.named))):
        again.append(change.pick.choice(about))
    rows = [*change.rows, *again]
    return {name: [values[row] for row in rows] for name, values in change.columns.items()}


def _row_order(change: _Change) -> Columns:
    rows = change.pick.sample(change.rows, change.height)
    if change.height > 1 and rows[0] == 0:
        rows = [*rows[1:], 0]
    if change.height > 2 and rows[-1] == change.height - 1:
        rows = [rows[-1], *rows[:-1]]
    return change.take(rows)


def _columns(change: _Change) -> Columns:
    names = change.pick.sample(list(change.columns), len(change.columns))
    if names == list(change.columns):
        names.reverse()
    made = {name: list(change.columns[name]) for name in names}
    if not change.hints.more_columns:
        return made
    words = [change.pick.choice(("ok", "checked", "late")) for _ in change.rows]
    numbers = [change.pick.randint(1, 99) for _ in change.rows]
    return {"remark__": words, **made, "batch__": numbers}


def _ordered(columns: Columns, profile: Profile) -> Columns:
    """Columns that were in order are so again, each with what belongs to it."""
    made = dict(columns)
    for block in profile.blocks:
        name = next((name for name in block if profile.columns[name].order and name in columns), "")
        if not name or None in columns[name]:
            continue
        falls = profile.columns[name].order < 0
        rows = sorted(range(len(columns[name])), key=columns[name].__getitem__, reverse=falls)
        made.update({one: [columns[one][row] for row in rows] for one in block})
    return made


KINDS: dict[str, Callable[[_Change], Columns]] = {
    "resampled": _resampled,
    "numbers": _numbers,
    "values": _values,
    "smaller": _smaller,
    "new_category": _new_category,
    "nulls": _nulls,
    "duplicated": _duplicated,
    "repeated": _repeated,
    "row_order": _row_order,
    "columns": _columns,
}
