"""Ties in a gold that takes the first rows of each partition by ROW_NUMBER or DISTINCT ON, as LIMIT takes the first of
all.

With RANK in the place of ROW_NUMBER the query gives every tied row. Any choice of as many rows as gold has in a
partition is legal: all whose rank is smaller, and any of those that share the last one. The gold that is nearest to an
answer is chosen among the legal ones; whether the answer equals it is decided elsewhere, so that no choice made here
can make a wrong answer pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import islice, permutations
from typing import TYPE_CHECKING, NamedTuple

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of, parsed
from karat.suites.answers.text_to_sql.running.execution import Ran
from karat.suites.answers.text_to_sql.running.result_row import Row

if TYPE_CHECKING:
    from sqlglot import exp

_CUTS = re.compile(r"row_number|distinct\s+on\b", re.IGNORECASE)
MOST_ROWS = 20_000
"""Of a result that is looked at."""
MOST_ORDERS = 120
"""Orders of columns in which an answer is compared with the tied rows."""


class WindowCut(NamedTuple):
    """A gold that is cut in each partition."""

    keyed: str
    """The same query with the keys of its partition as further columns."""
    ranked: str
    """That with RANK in the place of ROW_NUMBER, and the rank as the last column."""
    keys: int


class Choice(NamedTuple):
    """Rows that gold may have as well."""

    nearest: Sequence[Row]
    """As many as gold has, those of the answer where that is legal."""
    every: Sequence[Row]
    """With all tied rows."""


@lru_cache(maxsize=1024)
def window_cut(sql: str, dialect: str) -> WindowCut | None:
    """How a gold is cut; None where it has no such cut, or one that is not understood."""
    from sqlglot.errors import SqlglotError

    if _CUTS.search(sql) is None:
        return None
    try:
        tree = parsed(sql, dialect).copy()
        return _first_of_each(tree, dialect) or _cut(tree, dialect)
    except (SqlglotError, RecursionError, AttributeError, KeyError, ValueError):
        return None


def _cut(tree: exp.Expr, dialect: str) -> WindowCut | None:
    from sqlglot import exp

    windows = [one for one in tree.find_all(exp.Window) if isinstance(one.this, exp.RowNumber)]
    inner = windows[0].find_ancestor(exp.Select) if len(windows) == 1 else None
    if not isinstance(tree, exp.Select) or inner is None or not _shows_rows(tree):
        return None
    direct = inner is tree
    if direct and tree.args.get("qualify") is None:
        return None
    if not direct and (inner.args.get("distinct") is not None or not _reads(tree, inner)):
        return None
    window = windows[0]
    keys = [key.copy() for key in window.args.get("partition_by") or ()]
    for number, key in enumerate(keys):
        inner.select(exp.alias_(key, f"karat_part_{number}"), copy=False)
        if not direct:
            tree.select(exp.column(f"karat_part_{number}"), copy=False)
    keyed = tree.sql(dialect_of(dialect))
    window.set("this", exp.Rank())
    inner.select(exp.alias_(window.copy(), "karat_rank"), copy=False)
    if not direct:
        tree.select(exp.column("karat_rank"), copy=False)
    return WindowCut(keyed, tree.sql(dialect_of(dialect)), len(keys))


def _first_of_each(tree: exp.Expr, dialect: str) -> WindowCut | None:
    """DISTINCT ON takes the first row of each of its keys. None where ORDER BY says nothing of which one is first."""
    from sqlglot import exp

    distinct = tree.args.get("distinct")
    on, order = distinct.args.get("on") if distinct is not None else None, tree.args.get("order")
    others = ("group", "having", "limit", "offset", "qualify")
    if not isinstance(tree, exp.Select) or on is None or order is None or any(tree.args.get(one) for one in others):
        return None
    keys = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    shown = [one.unalias() for one in tree.expressions]
    named = {one.alias.lower(): one.unalias() for one in tree.expressions if one.alias}
    sorted_by = []
    for one in order.expressions:
        key = (
            named.get(one.this.name.lower(), one.this) if one.this.key == "column" and not one.this.table else one.this
        )
        if key.key == "literal":
            return None
        sorted_by += [exp.Ordered(**{**one.args, "this": key.copy()})] if key not in keys else []
    if not sorted_by or any(one.is_star for one in tree.expressions):
        return None
    keyed = tree.copy()
    for number, key in enumerate(keys):
        keyed.select(exp.alias_(key.copy(), f"karat_part_{number}"), copy=False)
    every = [*shown, *keys, exp.Window(this=exp.Rank(), partition_by=[*keys], order=exp.Order(expressions=sorted_by))]
    names = [f"karat_{number}" for number in range(len(every))]
    inner = tree.copy()
    inner.set("distinct", None)
    inner.set("order", None)
    inner.set("expressions", [exp.alias_(one.copy(), name) for one, name in zip(every, names, strict=True)])
    first = exp.EQ(this=exp.column(names[-1]), expression=exp.Literal.number(1))
    ranked = exp.select(*names).from_(inner.subquery("karat")).where(first)
    return WindowCut(keyed.sql(dialect_of(dialect)), ranked.sql(dialect_of(dialect)), len(keys))


def _shows_rows(tree: exp.Select) -> bool:
    """Whether each of its rows is a row of what it reads: nothing grouped, nothing distinct, no further cut."""
    from sqlglot import exp

    if any(tree.args.get(name) is not None for name in ("group", "distinct", "limit", "offset", "having")):
        return False
    return not any(isinstance(one.unalias(), exp.AggFunc) for one in tree.expressions)


def _reads(tree: exp.Select, inner: exp.Expr) -> bool:
    """Whether the outermost query reads the inner one itself: as a sub-query, or once as a CTE."""
    from sqlglot import exp

    source = tree.args.get("from_") or tree.args.get("from")
    joins = tree.args.get("joins") or ()
    sources = [source.this if source is not None else None, *(join.this for join in joins)]
    if isinstance(inner.parent, exp.Subquery):
        return inner.parent in sources
    if not isinstance(inner.parent, exp.CTE):
        return False
    name = inner.parent.alias.lower()
    uses = [table for table in tree.find_all(exp.Table) if table.name.lower() == name]
    return len(uses) == 1 and any(table is uses[0] for table in sources)


def legal_choice(cut: WindowCut, gold: Sequence[Row], given: Sequence[Row], run: Callable[[str], Ran]) -> Choice | None:
    """The legal gold that is nearest to an answer; None where no row is tied at a cut."""
    keyed, ranked = run(cut.keyed), run(cut.ranked)
    if keyed.result is None or ranked.result is None or len(ranked.rows) > MOST_ROWS:
        return None
    if len(ranked.rows) <= len(gold) or not ranked.rows:
        return None
    width = len(ranked.rows[0]) - cut.keys - 1
    every = [row[:width] for row in ranked.rows]
    if Counter(row[:width] for row in keyed.rows) != Counter(gold) or Counter(gold) - Counter(every):
        return None
    wanted = Counter(row[width:] for row in keyed.rows)
    wished = wished_rows(every, given)
    places: dict[Row, list[int]] = {}
    for place, row in enumerate(ranked.rows):
        places.setdefault(row[width:-1], []).append(place)
    chosen: list[int] = []
    for key, rows in places.items():
        last = max(ranked.rows[place][-1] for place in rows)
        sure = [place for place in rows if ranked.rows[place][-1] < last]
        tied = [place for place in rows if ranked.rows[place][-1] == last]
        if len(rows) == wanted[key]:
            chosen += rows
            continue
        if not len(sure) <= wanted[key] <= len(rows):
            return None
        chosen += [*sure, *picked(tied, every, wished, wanted[key] - len(sure))]
    return Choice([every[place] for place in sorted(chosen)], every)


def picked(tied: Sequence[int], every: Sequence[Row], wished: Counter[Row], count: int) -> list[int]:
    """This number of the tied rows, first those that the answer has."""
    first: list[int] = []
    rest: list[int] = []
    for place in tied:
        has = wished[every[place]] > 0
        wished[every[place]] -= has
        (first if has else rest).append(place)
    return [*first, *rest][:count]


def wished_rows(every: Sequence[Row], given: Sequence[Row]) -> Counter[Row]:
    """The rows of the answer, with its columns in the order in which most of them are among the tied ones."""
    if not given or len(given[0]) < len(every[0]):
        return Counter()
    known = Counter(every)
    orders = islice(permutations(range(len(given[0])), len(every[0])), MOST_ORDERS)
    counted = (Counter(tuple(row[place] for place in order) for row in given) for order in orders)
    return max(counted, key=lambda one: (one & known).total())
