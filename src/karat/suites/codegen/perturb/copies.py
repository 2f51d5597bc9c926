"""Changed copies of a task's tables. The same task always gives the same copies.

| kind | change |
|---|---|
| ``resampled`` | 1.3 times the rows, each part of a row drawn again, new numbers and dates within their range |
| ``numbers`` | as many rows with the same keys and texts, new numbers and dates; once with the first and last row as
they were |
| ``values`` | each column in another order than the others, keys as they were |
| ``uneven`` | the numbers in another order, so that one category has the smallest and another one the largest |
| ``smaller`` | a third of the rows, without the largest or smallest numbers and without one category; of a table in
which every pair of two columns is there, whole members (see ``kinds.grids``) |
| ``new_category`` | more rows, half of them with a category that was not there; once with a category renamed too |
| ``limits`` | more rows, with numbers and dates right at the limits of conditions, just below and just above (see
``kinds.limits``) |
| ``nulls`` | some more cells missing in columns where some are: of all kinds, of numbers, of texts |
| ``duplicated`` | every row twice, with keys of its own |
| ``repeated`` | some rows once more as they are, where rows repeat; keys repeat only where the question asks for
different ones |
| ``unseen_nulls`` | some cells missing in columns where none is, if that has one meaning (see ``kinds.missing``) |
| ``row_order`` | the rows in another order |
| ``columns`` | the columns in another order, and two more that nobody asked for |
| ``beyond`` | numbers and dates beyond their range in columns that the reference uses (see ``kinds.out_of_range``) |
| ``gaps`` | days of other years, where those of a table follow each other without a gap (see ``kinds.grids``) |
| ``durations`` | ends later than any start shows, or right at a time that is named (see ``kinds.durations``) |
| ``blanks`` | blanks around texts, where the reference takes them away |
| ``childless`` | rows that no other table points to, where some are already (see ``kinds.childless``) |
| ``close`` | numbers and dates right beside others (see ``kinds.close_values``) |
| ``other_texts`` | many texts in another wording and length (see ``kinds.other_texts``) |
| ``similar``, ``letter_case``, ``ties``, ``digits`` | values that code easily takes for others (see
``kinds.near_misses``) |

A copy holds what the question is about and nothing else, so that two right solutions agree on it: a column without
missing or repeated values has none in a copy, a pair of columns that is a key stays one, and weekdays, months and the
like get no new members. Columns that belong together stay together (see ``profile``). Values that the reference names
stay in the tables. Where the result depends on the order of rows, columns that were in order stay so.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from karat.suites.codegen.perturb.change import Change, Hints
from karat.suites.codegen.perturb.copy_kinds import KINDS
from karat.suites.codegen.perturb.hierarchies import rejoined, rooted
from karat.suites.codegen.perturb.kinds.childless import childless
from karat.suites.codegen.perturb.profile import Profile, profiles_of
from karat.suites.codegen.records import Columns

SEED = 20_240_601
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
    ("limits", 0),
    ("limits", 1),
    *((kind, 0) for kind in ("similar", "letter_case", "ties", "digits", "beyond")),
    ("similar", 1),
    ("beyond", 1),
    *(("beyond", seed) for seed in (2, 3, 4, 5)),
    ("durations", 0),
    ("durations", 1),
    ("blanks", 0),
    ("childless", 0),
    *(("gaps", seed) for seed in (0, 1, 2)),
    ("close", 0),
    *(("other_texts", seed) for seed in (0, 1, 2)),
    ("uneven", 0),
    ("uneven", 1),
    *(("unseen_nulls", seed) for seed in (0, 1, 2)),
)
"""What is tried, in this order. The first of each kind is all of ``perturb: quick``."""
NEEDS_FREE_ORDER = frozenset({"row_order", "duplicated", "repeated", "similar", "letter_case", "ties", "digits"})


class Copier:
    """The tables of one task, and what they are."""

    def __init__(self, tables: Mapping[str, Columns], hints: Hints) -> None:
        self.tables = tables
        self.hints = hints
        self.profiles = profiles_of(tables)

    def copy(self, kind: str, seed: int) -> dict[str, Columns] | None:
        """One changed copy; None when this kind changes nothing here."""
        bound = kind in NEEDS_FREE_ORDER and not (kind == "ties" and self.hints.ranks_in_place)
        if self.hints.keep_order and (bound or (kind == "new_category" and self._bound_unique())):
            return None
        made: dict[str, Columns] = {}
        changes: dict[str, Change] = {}
        for name, columns in self.tables.items():
            pick = random.Random(f"{SEED}{kind}{seed}{name}")  # noqa: S311 (no secret)
            change = Change(columns, self.profiles[name], self.hints, pick, seed)
            made[name] = KINDS[kind](change) if change.height else dict(columns)
            if kind not in ("repeated", "ties") and not (kind == "duplicated" and self.hints.seeks_repeats):
                made[name] = change.all_different(made[name])
            if kind != "limits" and self.hints.open_limits:
                made[name] = change.off_limits(made[name])
            changes[name] = change
            made[name] = change.kept_apart(made[name])
        if kind == "childless":
            made = childless(made, self.profiles, random.Random(f"{SEED}{kind}{seed}"))  # noqa: S311 (no secret)
        if kind != "columns":
            self._join_up(made, random.Random(f"{SEED}{kind}{seed}"))  # noqa: S311 (no secret)
            free = [name for name, profile in self.profiles.items() if not profile.is_parent]
            made.update({name: changes[name].kept_apart(made[name]) for name in free})
        if self.hints.keep_order:
            made = {name: in_old_order(columns, self.profiles[name]) for name, columns in made.items()}
        same = all(list(made[name].items()) == list(columns.items()) for name, columns in self.tables.items())
        return None if same else made

    def _bound_unique(self) -> bool:
        return any(profile.bound_unique(self.tables[name]) for name, profile in self.profiles.items())

    def _join_up(self, made: dict[str, Columns], pick: random.Random) -> None:
        """Foreign keys point to rows that are there; now and then to a new one."""
        for name, profile in self.profiles.items():
            for label, about in profile.columns.items():
                if about.parent is not None and about.parent[0] == name and label in made[name]:
                    made[name] = _with_own_rows(made[name], profile, label, about.parent[1], pick)
        for name, profile in self.profiles.items():
            for label, about in profile.columns.items():
                if about.parent is None or about.parent[0] == name or label not in made[name]:
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


def _with_own_rows(made: Columns, profile: Profile, label: str, key: str, pick: random.Random) -> Columns:
    """A table whose rows name other rows of it, each of them one that is there."""
    if (label,) in profile.blocks:
        return {**made, label: rejoined(made[key], made[label], pick)}
    rows = rooted(made[key], made[label])
    return {one: [values[row] for row in rows] for one, values in made.items()} if rows else made


def in_old_order(columns: Columns, profile: Profile) -> Columns:
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
