"""Holding what a question asks for against what code does: conditions one to one, orders by direction and number.

A condition is met in full by a filter of the same operator and value on its column (any column, when the question names
none). It is met by half when the value is compared with another column (the reader of the question may have picked the
wrong one), when the code compares the right column with something that is no constant, and when ``contains`` stands for
``is``. One filter meets one condition.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.suites.codegen.analysis.records import CodeFacts, Filter

FULL = 1.0
HALF = 0.5

GROUPING = frozenset({"groupby", "pivot_table", "crosstab", "value_counts", "resample", "pivot"})


def does_nothing(facts: CodeFacts) -> bool:
    """Whether the code cannot be read, or leaves a result that no table went into: nothing of it can count. Where
    something cannot be seen (``exec`` of a text that is not known), a table may have gone into it."""
    seen = facts.tables or facts.columns or facts.operations or facts.unread
    return bool(facts.syntax_error) or not seen


# -- conditions -------------------------------------------------------------------------------------------------------


def met(conditions: Sequence[Filter], filters: Sequence[Filter]) -> list[tuple[float, Filter | None]]:
    """For each condition how far it is met, and by which filter; as many in full as possible."""
    owner: dict[int, int] = {}
    for place in range(len(conditions)):
        _assign(place, conditions, filters, owner, set())
    found: list[tuple[float, Filter | None]] = [(0.0, None)] * len(conditions)
    for at, place in owner.items():
        found[place] = (FULL, filters[at])
    for place, condition in enumerate(conditions):
        if found[place][1] is None:
            half = [at for at, one in enumerate(filters) if at not in owner and credit(condition, one) == HALF]
            if half:
                owner[half[0]] = place
                found[place] = (HALF, filters[half[0]])
    return found


def _assign(
    place: int, conditions: Sequence[Filter], filters: Sequence[Filter], owner: dict[int, int], tried: set[int]
) -> bool:
    """Find a filter for this condition, moving others to another one where that is needed."""
    for at, one in enumerate(filters):
        if at in tried or credit(conditions[place], one) < FULL:
            continue
        tried.add(at)
        if at not in owner or _assign(owner[at], conditions, filters, owner, tried):
            owner[at] = place
            return True
    return False


def credit(condition: Filter, one: Filter) -> float:
    """How far one filter meets one condition."""
    same_column = "" in (condition.column, one.column) or condition.column == one.column
    same_operator = condition.operator == one.operator or (condition.operator, one.operator) == ("==", "in")
    same_value = _same(condition.value, one.value)
    if same_operator and same_value:
        return FULL if same_column else HALF
    named = bool(condition.column) and condition.column == one.column
    if named and same_operator and condition.value and not one.value:
        return HALF
    return HALF if named and same_value and (condition.operator, one.operator) == ("==", "contains") else 0.0


def joined_so(facts: CodeFacts, first: Filter, second: Filter, word: str) -> bool:
    """Whether the code joins two filters by this word. Where it does not say (two tables put together), it is
    believed."""
    words = {link.word for link in facts.links if (link.first, link.second) in ((first, second), (second, first))}
    return not words or word in words


def _same(asked: str, found: str) -> bool:
    try:
        return float(asked) == float(found)
    except ValueError:
        return asked.strip().casefold() == found.strip().casefold()


def takes_some_rows(facts: CodeFacts) -> bool:
    """Whether the code keeps some of the rows by any means."""
    picked = {"idxmax", "idxmin", "drop_duplicates", "unique"} & set(facts.operations)
    return bool(facts.filters or picked or any(order.count is not None for order in facts.orders))


# -- orders -----------------------------------------------------------------------------------------------------------


def taken(facts: CodeFacts, largest: bool, count: int | None) -> float:
    """``top 5`` (or ``bottom 5``): in full with direction and number, by half with the direction alone, else not at
    all.

    A sort in the right direction is enough when no number is asked for; so is a maximum (minimum) for one or no number.
    """
    best = 0.0
    for order in facts.orders:
        upwards = _upwards(order.kind, order.ascending)
        if upwards is None or upwards == largest:
            continue
        best = max(best, FULL if count is None or (order.kind != "sort" and order.count == count) else HALF)
    names = {"max", "idxmax"} if largest else {"min", "idxmin"}
    if count in (None, 1) and any(one.function in names for one in facts.aggregations):
        best = FULL
    return best


def _upwards(kind: str, ascending: bool | None) -> bool | None:
    """Whether the smallest are in front, or taken; None when the rows are in no known order."""
    if kind == "largest":
        return False
    if kind == "smallest":
        return True
    if ascending is None:
        return None
    return not ascending if kind == "tail" else ascending


def sorts(facts: CodeFacts, ascending: bool | None) -> bool:
    """Whether rows are put in order, in this direction where one is asked for."""
    found = [order.ascending for order in facts.orders if order.kind in ("sort", "largest", "smallest")]
    return bool(found) if ascending is None else ascending in found


def sorted_by(facts: CodeFacts) -> tuple[str, ...]:
    """The columns that rows are sorted by last, one within the other."""
    return next((order.columns for order in reversed(facts.orders) if order.kind == "sort"), ())


def groups(facts: CodeFacts) -> bool:
    return bool(facts.group_keys or GROUPING & set(facts.operations))
