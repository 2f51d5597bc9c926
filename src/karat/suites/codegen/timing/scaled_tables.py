"""A task's tables with many times their rows, to see how code grows with its data.

Rows are drawn as in the changed copies (``resampled``): columns that belong together come from one row, others from
different rows, free numbers and dates are new within their range. Keys are renewed, so that there are as many more of
them as of rows, and foreign keys point to all of them: code that does something for each key has more to do. Keys that
are there stay, and columns that were in order are so again. The same tables always give the same.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import count

from karat.suites.codegen.perturb.copies import in_old_order
from karat.suites.codegen.perturb.profile import Column, Profile, parsed, profiles_of
from karat.suites.codegen.perturb.random_values import FEW, alike, between, decimals
from karat.suites.codegen.records import Cell, Columns

CELLS = 1_000_000
"""Tables of more cells are not made: sending them would cost more than it tells."""
SEED = 20_240_602
TRIES = 5


def scaled(
    tables: Mapping[str, Columns], scale: int, drawing: int = 0, *, most: int = CELLS
) -> dict[str, Columns] | None:
    """Each table with this many times its rows; None when that is too much, nothing, or would repeat what must not
    repeat: two columns that are the key together."""
    cells = sum(len(values) for columns in tables.values() for values in columns.values())
    if not 0 < cells * scale <= most:
        return None
    try:
        return _made(tables, scale, drawing)
    except OverflowError:  # dates after the last that there is
        return None


def _made(tables: Mapping[str, Columns], scale: int, drawing: int) -> dict[str, Columns] | None:
    profiles = profiles_of(tables)
    if any(profile.grid is not None for profile in profiles.values()):
        return None
    made: dict[str, Columns] = {}
    for name, columns in tables.items():
        pick = random.Random(f"{SEED}{drawing}{scale}{name}")  # noqa: S311 (no secret)
        made[name] = _drawn(columns, profiles[name], scale, pick) if profiles[name].height else dict(columns)
    for name, profile in profiles.items():
        pick = random.Random(f"{SEED}{drawing}{scale}{name} keys")  # noqa: S311 (no secret)
        for label, about in profile.columns.items():
            if about.parent is not None and (label,) in profile.blocks:
                table, key = about.parent
                there = made[table][key]
                made[name][label] = [None if value is None else pick.choice(there) for value in made[name][label]]
    return {name: in_old_order(columns, profiles[name]) for name, columns in made.items()}


def _drawn(columns: Columns, profile: Profile, scale: int, pick: random.Random) -> Columns:
    rows, height = range(profile.height), profile.height * scale
    made: Columns = {}
    for block in profile.blocks:
        about = profile.columns[block[0]]
        if len(block) == 1 and about.key:
            made[block[0]] = _renewed(columns[block[0]], about, scale, pick)
            continue
        taken = pick.choices(rows, k=height)
        made.update({name: [columns[name][row] for row in taken] for name in block})
        if len(block) == 1 and about.parent is None:
            made[block[0]] = _anew(made[block[0]], columns[block[0]], about, pick)
    return {name: made[name] for name in columns}


def _renewed(known: Sequence[Cell], about: Column, scale: int, pick: random.Random) -> list[Cell]:
    """The keys that are there, then as many new ones as are needed, in their form."""
    made, taken = list(known), set(known)
    after = _after(known, about)
    for _ in range(scale - 1):
        for like in known:
            if after is not None:
                value = next(after)
            else:
                tries = (alike(like, pick) for _ in range(TRIES))
                value = next((one for one in tries if one not in taken), f"{like} {len(taken)}")
            taken.add(value)
            made.append(value)
    return made


def _after(known: Sequence[Cell], about: Column) -> Iterator[Cell] | None:
    """Numbers and days that come after the last, or before the first where they fall; None for texts."""
    step = -1 if about.order < 0 else 1
    if about.kind == "whole":
        start = min(known) if step < 0 else max(known)
        return (start + step * place for place in count(1))
    if about.kind == "dated":
        moments = [moment for text in known if (moment := parsed(text, about.form)) is not None]
        start = min(moments) if step < 0 else max(moments)
        return ((start + step * timedelta(days=place)).strftime(about.form) for place in count(1))
    return None


def _anew(values: list[Cell], known: Sequence[Cell], about: Column, pick: random.Random) -> list[Cell]:
    """The same with numbers and dates drawn again within their range, without repeats where there were none."""
    own = [value for value in known if value is not None]
    draw = _drawing(own, about, pick) if own else None
    if draw is None:
        return values
    made = [None if value is None else draw() for value in values]
    return _all_different(made, draw) if about.different else made


def _drawing(own: Sequence[Cell], about: Column, pick: random.Random) -> Callable[[], Cell] | None:
    """What gives one new value; None where values are only drawn from those that are there."""
    if about.kind == "whole" and len(set(own)) > min(FEW, 0.8 * len(own)):
        return lambda: pick.randint(*sorted((pick.choice(own), pick.choice(own))))
    if about.kind == "number" and all(map(math.isfinite, own)):
        whole, places = all(float(one).is_integer() for one in own), max(map(decimals, own))
        chance, height = pick.random, len(own)  # much quicker than pick.choice, and there are millions
        return lambda: _number(
            own[int(chance() * height)], own[int(chance() * height)], 0 if whole else places, chance()
        )
    if about.kind == "date":
        return lambda: between(pick.choice(own), pick.choice(own), pick)
    if about.kind == "dated":
        moments = [moment for text in own if (moment := parsed(text, about.form)) is not None]
        return lambda: between(pick.choice(moments), pick.choice(moments), pick).strftime(about.form)
    return None


def _number(low: float, high: float, places: int, share: float) -> float:
    return round(float(low + (high - low) * share), places)


def _all_different(values: Sequence[Cell], draw: Callable[[], Cell]) -> list[Cell]:
    """New values for repeated ones: drawn while that finds some, then those after the largest."""
    seen: set[Cell] = set()
    last = max(value for value in values if value is not None)
    made: list[Cell] = []
    tries = TRIES
    for value in values:
        if value is not None and value in seen:
            value = next((one for _ in range(tries) if (one := draw()) not in seen), None)
            if value is None:
                tries = 0  # the range is as good as used up
                last = value = last + (timedelta(days=1) if isinstance(last, date) else 1)
            last = max(last, value)
        seen.add(value)
        made.append(value)
    return made
