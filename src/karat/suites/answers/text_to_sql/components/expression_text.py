"""One way to write an expression: columns before literals, ``=`` with its sides sorted, IN of one value as ``=``."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.queries.parsed import dialect_of

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.generator import Generator

_PLAIN_NAME = re.compile(r"[a-z_]\w*")
_NEEDLESS_QUOTES = re.compile(r"""(['"`])(\w+(?: \d+)?)\1""")
"""Quotes around a name of letters and digits, or of one that is numbered. A text keeps its quotes."""
_NOT_NULL = re.compile(r"\bNOT ([\w. ]+) IS NULL\b")
_BACKTICKS = ("mysql", "bigquery")
"""Dialects in which a name that is quoted is written otherwise."""


def text_of(node: exp.Expr, dialect: str) -> str:
    """The text of an expression, without needless quotes around names. The node stays as it is."""
    plain = None if dialect in _BACKTICKS else _plain(node)
    if plain is None:
        plain = _writer(dialect).generate(_turned(node.copy()) if _to_turn(node) else node, copy=False)
        plain = _NOT_NULL.sub(r"\1 IS NOT NULL", _NEEDLESS_QUOTES.sub(_bare, plain)).strip()
    return plain


def _bare(found: re.Match[str]) -> str:
    return found[0] if found[1] == "'" else found[2]


def _plain(node: exp.Expr) -> str | None:
    """The text of what most expressions are: a column, a literal, an aggregate of one of them, a comparison of two.
    None for all others."""
    kinds = _kinds()
    kind = type(node)
    if kind is kinds.column:
        name, table = node.name, node.text("table")
        known = set(node.args) <= {"this", "table"} and _PLAIN_NAME.fullmatch(name)
        if not known or (table and not _PLAIN_NAME.fullmatch(table)):
            return None
        return f"{table}.{name}" if table else name
    if kind is kinds.literal:
        text: str = node.this
        if not node.args.get("is_string"):
            return text
        return None if "'" in text or "\\" in text or "\n" in text else f"'{text}'"
    if kind is kinds.star:
        return "*" if not any(node.args.values()) else None
    if kind in kinds.aggregates:
        inner = _plain(node.this) if node.args.get("this") is not None else None
        more = any(value for key, value in node.args.items() if key not in ("this", "big_int"))
        return None if inner is None or more or node.comments else f"{kinds.aggregates[kind]}({inner})"
    if kind in kinds.comparisons:
        return _comparison(node, kind)
    return None


def _comparison(node: exp.Expr, kind: type[exp.Expr]) -> str | None:
    kinds = _kinds()
    left, right = node.this, node.expression
    ours, theirs = _plain(left), _plain(right)
    if ours is None or theirs is None:
        return None
    if type(left) is kinds.literal and type(right) is not kinds.literal:
        ours, theirs, kind = theirs, ours, kinds.flipped[kind]
    elif kind is kinds.equal and type(left) is type(right) is kinds.column and ours > theirs:
        ours, theirs = theirs, ours
    return f"{ours} {kinds.comparisons[kind]} {theirs}"


class _Kinds:
    """Classes of sqlglot, which is imported when it is needed."""

    def __init__(self) -> None:
        from sqlglot import exp

        self.column, self.literal, self.star, self.equal, self.is_in = exp.Column, exp.Literal, exp.Star, exp.EQ, exp.In
        self.aggregates: dict[type[exp.Expr], str] = {
            exp.Count: "count",
            exp.Sum: "sum",
            exp.Avg: "avg",
            exp.Min: "min",
            exp.Max: "max",
        }
        self.comparisons: dict[type[exp.Expr], str] = {
            exp.EQ: "=",
            exp.NEQ: "<>",
            exp.GT: ">",
            exp.LT: "<",
            exp.GTE: ">=",
            exp.LTE: "<=",
        }
        self.flipped: dict[type[exp.Expr], type[exp.Expr]] = {
            exp.GT: exp.LT,
            exp.LT: exp.GT,
            exp.GTE: exp.LTE,
            exp.LTE: exp.GTE,
            exp.EQ: exp.EQ,
            exp.NEQ: exp.NEQ,
        }


@lru_cache(maxsize=1)
def _kinds() -> _Kinds:
    return _Kinds()


@lru_cache(maxsize=16)
def _writer(dialect: str) -> Generator:
    return dialect_of(dialect).generator(normalize_functions="lower", comments=False)


def _to_turn(node: exp.Expr) -> bool:
    """Whether there is anything in it that another would write otherwise; most often there is not."""
    return any(_is_list(one) or _is_turned_round(one) for one in node.walk())


def _is_list(node: exp.Expr) -> bool:
    return type(node) is _kinds().is_in and bool(node.expressions)


def _is_turned_round(node: exp.Expr) -> bool:
    kinds = _kinds()
    kind = type(node)
    if kind not in kinds.flipped:
        return False
    left, right = type(node.this), type(node.expression)
    if left is kinds.literal:
        return right is not kinds.literal
    both = kind is kinds.equal and left is right is kinds.column
    return both and bool(node.this.sql() > node.expression.sql())


def _turned(node: exp.Expr) -> exp.Expr:
    """Changes the node."""
    kinds = _kinds()

    def change(one: exp.Expr) -> exp.Expr:
        if _is_list(one):
            values = sorted(one.expressions, key=lambda value: (len(value.sql()), value.sql()))
            one.set("expressions", values)
            one = kinds.equal(this=one.this, expression=values[0]) if len(values) == 1 else one
        return kinds.flipped[type(one)](this=one.expression, expression=one.this) if _is_turned_round(one) else one

    return node.transform(change, copy=False)
