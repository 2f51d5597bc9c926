"""The kinds of changed copies, one function each; ``copies`` says what they are."""

from __future__ import annotations

from collections.abc import Callable

from karat.core.json_types import JsonObject
from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.limits import around
from karat.suites.codegen.perturb.near_misses import digits, letter_case, similar, ties
from karat.suites.codegen.perturb.random_values import closed, new_value
from karat.suites.codegen.records import Cell, Columns

NULLS = 0.15
"""The share of cells that go missing."""


def _resampled(change: Change) -> Columns:
    if change.profile.grid or (change.hints.keep_order and change.profile.bound_unique(change.columns)):
        return change.anew(_values(change))
    height = max(change.height + 1, int(change.height * 1.3))
    return change.anew(change.mixed(height, lambda: change.pick.choices(change.rows, k=height)))


def _numbers(change: Change) -> Columns:
    rows = change.rows[1:-1] if change.seed == 0 and change.height > 3 else change.rows
    made = change.take(change.rows)
    for block in change.profile.blocks:
        if set(block) & set(change.profile.grid or ()):
            continue
        if len(block) > 1 and any(change.profile.columns[name].kind in ("whole", "number") for name in block):
            drawn = change.pick.choices(change.rows, k=len(rows))
            for name in block:
                made[name] = list(made[name])
                for row, source in zip(rows, drawn, strict=True):
                    made[name][row] = change.columns[name][source]
    return change.anew(made, rows)


def _values(change: Change) -> Columns:
    return change.mixed(change.height, lambda: change.pick.sample(change.rows, change.height))


def _smaller(change: Change) -> Columns:
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


def _rows_with(change: Change, named: frozenset[object]) -> set[int]:
    """Rows that hold a value which the reference names."""
    texts = {value for value in named if isinstance(value, str)}
    return {row for values in change.columns.values() for row, value in enumerate(values) if value in texts}


def _new_category(change: Change) -> Columns:
    if change.profile.grid is not None:
        return _new_member(change, change.profile.grid)
    pick = change.pick
    added = [pick.choice(change.rows) for _ in range(max(2, change.height // 4))]
    made = change.take([*change.rows, *added])
    made = change.anew(made, range(change.height, change.height + len(added)))
    for block in change.categories():
        new: JsonObject = {}
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


def _new_member(change: Change, grid: tuple[str, str]) -> Columns:
    """One more member of a column that is half of a key: the rows of another member, under a new name."""
    free = [name for name in grid if change.profile.columns[name].kind == "text"]
    name = next((name for name in free if change.profile.columns[name].parent is None), "")
    different = set(change.columns.get(name, ()))
    if len(different) < 3 or closed(different):
        return change.anew(dict(change.columns))
    like = change.pick.choice(sorted(different))
    again = [row for row in change.rows if change.columns[name][row] == like]
    made = change.anew(change.take([*change.rows, *again]), range(change.height, change.height + len(again)))
    known = list(different)
    new = new_value(like, change.profile.columns[name], different, known, change.pick)
    made[name] = [*made[name][: change.height], *[new for _ in again]]
    return made


def _limits(change: Change) -> Columns:
    """More rows, each with one value at a limit; of rows with what the reference names, where it names some."""
    wanted: list[tuple[str, Cell]] = []
    for name, about in change.profile.columns.items():
        if about.parent is not None or change.profile.is_parent or len(change.profile.block(name)) > 1:
            continue
        values = [value for limit in change.hints.limits for value in around(limit, name, change.columns[name], about)]
        wanted += [(name, value) for value in dict.fromkeys(values)]
    if not wanted or change.profile.grid is not None:
        return dict(change.columns)
    about_it = sorted(_rows_with(change, change.hints.named)) or change.rows
    places = [one for one in wanted for _ in range(1 if _only_once(change, one[0]) else 4)]
    sources = [change.pick.choice(about_it if place % 2 else change.rows) for place in range(len(places))]
    made = change.take([*change.rows, *sources])
    for at, (name, value) in enumerate(places):
        if not _only_once(change, name) or value not in made[name]:
            made[name] = list(made[name])
            made[name][change.height + at] = value
    return made


def _only_once(change: Change, name: str) -> bool:
    about = change.profile.columns[name]
    return about.key or about.different


def _unseen_nulls(change: Change) -> Columns:
    return _nulls(change, unseen=True)


def _nulls(change: Change, *, unseen: bool = False) -> Columns:
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
            if change.profile.columns[name].nulls or (unseen and not any(one.nulls for one in about)):
                made[name] = [None if row in rows else value for row, value in enumerate(made[name])]
    return made


def _duplicated(change: Change) -> Columns:
    keyed = any(about.key or about.different for about in change.profile.columns.values())
    if change.profile.grid is not None or not (keyed or change.profile.repeats):
        return dict(change.columns)
    return change.take([*change.rows, *change.rows])


def _repeated(change: Change) -> Columns:
    keyed = any(about.key for about in change.profile.columns.values())
    if change.profile.is_parent or not (change.hints.counts_different or (change.profile.repeats and not keyed)):
        return dict(change.columns)
    again = change.pick.choices(change.rows, k=max(1, change.height // 3))
    if change.hints.named and (about := sorted(_rows_with(change, change.hints.named))):
        again.append(change.pick.choice(about))
    rows = [*change.rows, *again]
    return {name: [values[row] for row in rows] for name, values in change.columns.items()}


def _row_order(change: Change) -> Columns:
    rows = change.pick.sample(change.rows, change.height)
    if change.height > 1 and rows[0] == 0:
        rows = [*rows[1:], 0]
    if change.height > 2 and rows[-1] == change.height - 1:
        rows = [rows[-1], *rows[:-1]]
    return change.take(rows)


def _columns(change: Change) -> Columns:
    names = change.pick.sample(list(change.columns), len(change.columns))
    if names == list(change.columns):
        names.reverse()
    made = {name: list(change.columns[name]) for name in names}
    if not change.hints.more_columns:
        return made
    words = [change.pick.choice(("ok", "checked", "late")) for _ in change.rows]
    numbers = [change.pick.randint(1, 99) for _ in change.rows]
    return {"remark__": words, **made, "batch__": numbers}


KINDS: dict[str, Callable[[Change], Columns]] = {
    "resampled": _resampled,
    "numbers": _numbers,
    "values": _values,
    "smaller": _smaller,
    "new_category": _new_category,
    "limits": _limits,
    "nulls": _nulls,
    "unseen_nulls": _unseen_nulls,
    "duplicated": _duplicated,
    "repeated": _repeated,
    "row_order": _row_order,
    "columns": _columns,
    "similar": similar,
    "letter_case": letter_case,
    "ties": ties,
    "digits": digits,
}
