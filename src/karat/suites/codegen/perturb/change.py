"""One table on its way to a changed copy, and what the reference says about it."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Sequence

import msgspec

from karat.suites.codegen.perturb.kinds.limits import Limit, around
from karat.suites.codegen.perturb.kinds.linked_rows import LinkedRows
from karat.suites.codegen.perturb.kinds.missing import Missing
from karat.suites.codegen.perturb.profile import Profile
from karat.suites.codegen.perturb.random_values import FEW, closed, new_value, redrawn, without_repeats
from karat.suites.codegen.records import Cell, Columns

NUMBERED = 20
"""Whole numbers from here on without a gap are numbers of things, no ratings or levels."""


class Hints(msgspec.Struct, frozen=True):
    """What the reference says about its tables."""

    named: frozenset[Cell] = frozenset()
    """Constants of the reference: rows with these values are what it is about."""
    counts_different: bool = False
    """It counts different values or drops repeated rows and the question asks for that, so that keys may repeat."""
    more_columns: bool = True
    """It names the columns that it takes, so that others make no difference."""
    keep_order: bool = False
    """Its result depends on the order of rows."""
    limits: tuple[Limit, ...] = ()
    """What its conditions compare columns with."""
    compared: frozenset[str] = frozenset()
    """Columns that its conditions compare with something that is no constant, such as another column."""
    folds_case: bool = False
    """It compares texts without regard to case."""
    ties_free: bool = False
    """Equal numbers make no difference to what is asked."""
    says_ties: bool = False
    """The question says what equal numbers have, so that the largest may be equal too."""
    ranks_in_place: bool = False
    """It says what equal numbers have and sorts no rows, so that ties make no second order of them."""
    whole_values: bool = False
    """It takes no number apart and makes no text of one."""
    calendar: bool = False
    """It takes months, quarters or years of dates."""
    zones: bool = False
    """It converts time zones."""
    missing: Missing = Missing()
    """Which cells may go missing where none is."""
    beginnings: frozenset[str] = frozenset()
    """Texts that it looks for at the beginning of cells."""
    endings: frozenset[str] = frozenset()
    """Texts that it looks for at the end of cells."""
    seeks_repeats: bool = False
    """It asks whether rows or values repeat, so that they may."""
    numbers: tuple[float, ...] = ()
    """The numbers that it names, also those within texts: ``'24h'``."""
    ordered: frozenset[str] = frozenset()
    """Columns that its conditions compare with a constant by ``<`` or ``>``: they hold quantities, no codes."""
    hours: bool = False
    """It takes the time of day."""
    strips: bool = False
    """It takes blanks away before it compares texts."""
    sequential: bool = False
    """It compares rows with those before or after them."""
    mentioned: frozenset[str] = frozenset()
    """Texts of the tables that the question names: a column of which it names all has no further member."""
    equal_texts: frozenset[str] = frozenset()
    """Texts that it compares whole cells with."""
    same_texts: frozenset[str] = frozenset()
    """Those of them that it compares with ``==``, be it a cell or what it takes out of one."""
    open_limits: bool = False
    """The question does not say whether a limit itself is in: none of its values comes into a copy by chance."""


class Change:
    """One table on its way to a copy."""

    def __init__(self, columns: Columns, profile: Profile, hints: Hints, pick: random.Random, seed: int) -> None:
        self.columns = columns
        self.profile = profile
        self.hints = hints
        self.pick = pick
        self.seed = seed
        self.height = profile.height
        self.rows = list(range(profile.height))

    def rows_named(self, besides: str = "") -> list[int]:
        """The rows that hold most of the texts that the reference names, in other columns than this one."""
        texts = {value for value in self.hints.named if isinstance(value, str)}
        counts = [0] * self.height
        for name, values in self.columns.items():
            for row, value in enumerate(values if name != besides else ()):
                counts[row] += value in texts
        most = max(counts, default=0)
        return [row for row in self.rows if counts[row] == most > 0]

    def take(self, rows: Sequence[int]) -> Columns:
        """These rows as they are. A key that would repeat is renewed."""
        made = {name: [values[row] for row in rows] for name, values in self.columns.items()}
        for name, about in self.profile.columns.items():
            if about.key:
                made[name] = self._renewed(name, made[name])
        return made

    def _renewed(self, name: str, values: Sequence[object]) -> list[Cell]:
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
        """Rows whose blocks come from different rows; keys are in their order and are renewed where they run out."""
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
        """The same with free numbers, dates and flags drawn again, in these rows or all."""
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

    def all_different(self, made: Columns) -> Columns:
        """The same without a repeated number or date in columns that had none."""
        for name, about in self.profile.columns.items():
            if about.different and self.profile.free(name) and name in made:
                made[name] = without_repeats(made[name], self.columns[name], about, self.pick)
        return made

    def off_limits(self, made: Columns) -> Columns:
        """The same without values right at a limit, unless the table had them."""
        for limit in self.hints.limits:
            known = self.columns.get(limit.column)
            if known is None or limit.column not in made:
                continue
            at = {*around(limit, limit.column, known, self.profile.columns[limit.column])[:2]} - set(known)
            others = [value for value in known if value is not None]
            values = made[limit.column]
            made[limit.column] = [self.pick.choice(others) if value in at else value for value in values]
        return made

    def kept_apart(self, made: Columns) -> Columns:
        """The same without rows in which two columns are equal that never are: no team plays itself."""
        pairs = [(first, second) for first, second in self.profile.apart if first in made and second in made]
        height = len(next(iter(made.values()), ()))
        rows = [
            row
            for row in range(height)
            if all(made[first][row] is None or made[first][row] != made[second][row] for first, second in pairs)
        ]
        if len(rows) == height or len(rows) < 2:
            return made
        return {name: [values[row] for row in rows] for name, values in made.items()}

    def all_named(self, different: Collection[Cell]) -> bool:
        """Whether the question names every one of these texts: then there are no others for it."""
        return bool(self.hints.mentioned) and set(different) <= self.hints.mentioned | self.hints.named

    def linked_blocks(self) -> list[LinkedRows]:
        """The columns that belong together and of which one may change in a row, if the others follow."""
        grid = set(self.profile.grid or ())
        return [
            LinkedRows(self.columns, self.profile, block)
            for block in self.profile.blocks
            if len(block) > 1 and not grid & set(block)
            if all(self.profile.columns[name].parent is None for name in block)
        ]

    def categories(self) -> list[tuple[str, ...]]:
        """Blocks of text that rows are grouped by: few values, three at least (the two of a flag are all there are).
        So are codes (see ``codes``)."""
        found = []
        for block in self.profile.blocks:
            about = [self.profile.columns[name] for name in block]
            different = {value for value in self.columns[block[0]] if value is not None}
            coded = len(block) == 1 and self.codes(block[0], different)
            if any(one.kind != "text" or one.key or one.parent is not None for one in about) and not coded:
                continue
            if closed(different) or self.all_named(different):
                continue
            if 3 <= len(different) <= max(20, self.height // 2) and len(different) < self.height:
                found.append(block)
        return found

    def codes(self, name: str, different: set[Cell]) -> bool:
        """Whether a column holds whole numbers with gaps that the reference uses and does not name, such as 200, 302
        and 404: there may be others between them. Of 1, 2, 3 nobody knows whether there is a 4; after 101, 102, 103
        there may be more."""
        if self.profile.columns[name].kind != "whole" or not self.profile.free(name) or not different:
            return False
        used = name in self.hints.missing.used and not different & self.hints.named
        gaps = max(different) - min(different) >= 2 * len(different)
        return used and len(different) <= FEW and (gaps or min(different) >= NUMBERED)


def _all_different(values: Sequence[object]) -> bool:
    return len(set(values)) == len(values)
