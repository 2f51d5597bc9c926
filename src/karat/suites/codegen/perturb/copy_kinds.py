"""The kinds of changed copies, one function each; ``copies`` says what they are."""

from __future__ import annotations

from collections.abc import Callable

from karat.core.json_types import JsonObject
from karat.suites.codegen.perturb.change import Change
from karat.suites.codegen.perturb.kinds.close_values import close
from karat.suites.codegen.perturb.kinds.durations import durations
from karat.suites.codegen.perturb.kinds.grids import complete, smaller_grid
from karat.suites.codegen.perturb.kinds.limit_rows import limits, rows_with
from karat.suites.codegen.perturb.kinds.near_misses import blanks, digits, letter_case, similar, ties
from karat.suites.codegen.perturb.kinds.other_texts import other_texts
from karat.suites.codegen.perturb.kinds.out_of_range import beyond, gaps
from karat.suites.codegen.perturb.random_values import FEW, closed, longer, new_value
from karat.suites.codegen.records import Columns

NULLS = 0.15
"""The share of cells that go missing."""
LEFT = 3
"""Rows that a group must have, so that values are left in it."""


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
    """Of several keys, one stays where it is: a title with another number shows code that knows its number by heart."""
    made = change.mixed(change.height, lambda: change.pick.sample(change.rows, change.height))
    for name in change.profile.loose_keys(change.columns, keep_order=change.hints.keep_order):
        made[name] = change.pick.sample(made[name], len(made[name]))
    return made


def _uneven(change: Change) -> Columns:
    """All numbers of one category below those of the next: a group without any above a limit shows code that leaves
    rows out before it looks for the largest."""
    grouping = _grouping(change)
    if not grouping or change.profile.grid is not None:
        return dict(change.columns)
    names = sorted({value for value in change.columns[grouping] if value is not None}, reverse=bool(change.seed))
    places = {name: place for place, name in enumerate(names)}
    rows = sorted(change.rows, key=lambda row: places.get(change.columns[grouping][row], len(places)))
    made = change.take(change.rows)
    for block in change.profile.blocks:
        about = [change.profile.columns[name] for name in block]
        known = change.columns[block[0]]
        if any(one.kind not in ("whole", "number") or one.key or one.parent is not None for one in about):
            continue
        sources = sorted(change.rows, key=lambda row: (known[row] is None, known[row] if known[row] is not None else 0))
        for name in block:
            made[name] = list(made[name])
            for row, source in zip(rows, sources, strict=True):
                made[name][row] = change.columns[name][source]
    return made


def _grouping(change: Change) -> str:
    """The column of texts or flags that rows are grouped by: one that the reference uses, with few values."""
    for name, about in change.profile.columns.items():
        different = {value for value in change.columns[name] if value is not None}
        few = 2 <= len(different) <= max(FEW, change.height // 3) and len(different) < change.height
        if name in change.hints.missing.used and about.kind in ("text", "flag") and not about.key and few:
            return name
    return ""


def _smaller(change: Change) -> Columns:
    grid = complete(change)
    if grid is not None:
        return smaller_grid(change, grid)
    least = max(change.height // 3, min(2, change.height))
    left = set(change.rows)
    kept = rows_with(change, change.hints.named)
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


def _new_category(change: Change) -> Columns:
    if change.profile.grid is not None:
        return _new_member(change, change.profile.grid)
    pick = change.pick
    about_it = sorted(rows_with(change, change.hints.named)) or change.rows
    added = [pick.choice(change.rows if place % 4 else about_it) for place in range(max(2, change.height // 4))]
    made = change.take([*change.rows, *added])
    made = change.anew(made, range(change.height, change.height + len(added)))
    for block in change.categories():
        new: JsonObject = {}
        for name in block:
            about, values = change.profile.columns[name], change.columns[name]
            known = [value for value in values if value is not None]
            value = new_value(pick.choice(known), about, set(known), known, pick)
            like = pick.choice([one for one in known if one not in change.hints.named] or known)
            as_long = change.seed and isinstance(value, str) and longer(like) not in known
            new[name] = longer(like) if as_long else value
        rows = list(range(change.height, change.height + len(added), 2))
        if change.hints.named & set(change.columns[block[0]]):  # some rows with what the reference names stay so
            rows = rows[1::2] or rows
        if change.seed:
            free = sorted({value for value in change.columns[block[0]] if value is not None} - change.hints.named)
            old = pick.choice(free) if free else None
            rows += [row for row, value in enumerate(made[block[0]]) if value == old and old is not None]
        for name in block:
            made[name] = [new[name] if row in set(rows) else value for row, value in enumerate(made[name])]
        if change.seed:
            _outdo(change, made, rows)
    return made


def _outdo(change: Change, made: Columns, rows: list[int]) -> None:
    """Rows of a new member with numbers from the upper third: code that looks for the largest among those it knows does
    not find it."""
    for name in (one for one in change.columns if one in change.hints.missing.measured):
        about, known = change.profile.columns[name], sorted(one for one in change.columns[name] if one is not None)
        if about.kind in ("whole", "number") and change.profile.free(name) and known:
            values = list(made[name])
            for row in rows:
                values[row] = None if values[row] is None else change.pick.choice(known[len(known) * 2 // 3 :])
            made[name] = values


def _new_member(change: Change, grid: tuple[str, str]) -> Columns:
    """One more member of a column that is half of a key: the rows of another member, under a new name."""
    free = [name for name in grid if change.profile.columns[name].kind == "text"]
    free = [name for name in free if change.profile.columns[name].parent is None]
    name = free[change.seed % len(free)] if free else ""
    different = set(change.columns.get(name, ()))
    if len(different) < 3 or closed(different):
        return change.anew(dict(change.columns))
    like = change.pick.choice(sorted(different))
    again = [row for row in change.rows if change.columns[name][row] == like]
    made = change.anew(change.take([*change.rows, *again]), range(change.height, change.height + len(again)))
    known = list(different)
    new = new_value(like, change.profile.columns[name], different, known, change.pick)
    made[name] = [*made[name][: change.height], *[new for _ in again]]
    if change.seed:
        _outdo(change, made, list(range(change.height, change.height + len(again))))
    return made


def _unseen_nulls(change: Change) -> Columns:
    """Only what has one meaning where it is missing (see ``missing``). Measured columns go missing in the same rows, or
    not at all where one of them cannot."""
    made = change.take(change.rows)
    measured = {name for name in change.profile.columns if name in change.hints.missing.measured}
    together = all(_may_go_missing(change, change.profile.block(name)) for name in measured)
    shared = _some_rows(change)
    for block in change.profile.blocks:
        in_step = bool(measured & set(block))
        if change.seed == (2 if in_step else 1) or (in_step and not together) or not _may_go_missing(change, block):
            continue
        rows = shared if in_step else _some_rows(change)
        for name in block:
            made[name] = [None if row in rows else value for row, value in enumerate(made[name])]
    return made


def _may_go_missing(change: Change, block: tuple[str, ...]) -> bool:
    about = [change.profile.columns[name] for name in block]
    if change.height < 2 or any(one.key or one.parent is not None or one.nulls for one in about):
        return False
    if change.hints.keep_order and any(one.order for one in about):
        return False
    return all(change.hints.missing.may(name, one.kind) for name, one in zip(block, about, strict=True))


def _some_rows(change: Change) -> set[int]:
    """Some of all, and some of each category that the reference uses: a sum over the ten rows of one group shows only
    the nulls that are among them."""
    found = {row for row in change.rows if change.pick.random() < NULLS} or {change.pick.choice(change.rows)}
    for name, about in change.profile.columns.items():
        if about.kind not in ("text", "flag") or about.key or name not in change.hints.missing.used:
            continue
        groups: dict[object, list[int]] = {}
        for row, value in enumerate(change.columns[name]):
            groups.setdefault(value, []).append(row)
        if len(groups) <= FEW:
            without = [rows for rows in groups.values() if len(rows) >= LEFT and not found & set(rows)]
            found |= {change.pick.choice(rows) for rows in without}
    return found


def _nulls(change: Change) -> Columns:
    """Parts of a row that belong together go missing together."""
    made = change.take(change.rows)
    wanted = ({"whole", "number", "text", "dated", "date"}, {"whole", "number"}, {"text"})[change.seed]
    for block in change.profile.blocks:
        about = [change.profile.columns[name] for name in block]
        stays = any(one.key or one.parent is not None or one.kind not in wanted for one in about)
        if stays or change.height < 2 or (change.hints.keep_order and any(one.order for one in about)):
            continue
        rows = _some_rows(change)
        for name in block:
            if change.profile.columns[name].nulls:
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
    if change.hints.named and (about := sorted(rows_with(change, change.hints.named))):
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
    own = change.pick.randrange(10**6)  # no two tables share these names: a natural join would join by them
    return {f"remark_{own}": words, **made, f"batch_{own}": numbers}


KINDS: dict[str, Callable[[Change], Columns]] = {
    "resampled": _resampled,
    "numbers": _numbers,
    "values": _values,
    "uneven": _uneven,
    "smaller": _smaller,
    "new_category": _new_category,
    "limits": limits,
    "nulls": _nulls,
    "unseen_nulls": _unseen_nulls,
    "duplicated": _duplicated,
    "repeated": _repeated,
    "row_order": _row_order,
    "columns": _columns,
    "similar": similar,
    "beyond": beyond,
    "gaps": gaps,
    "durations": durations,
    "blanks": blanks,
    "childless": lambda change: dict(change.columns),
    "close": close,
    "other_texts": other_texts,
    "letter_case": letter_case,
    "ties": ties,
    "digits": digits,
}
