"""Parts of dates in the words of SQLite, which has no EXTRACT and no DATE_TRUNC.

Only what has the same value there is translated: a week and a quarter have no form, and an interval of months ends on
another day at the end of a month.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

PARTS = {"year": "%Y", "month": "%m", "day": "%d", "hour": "%H", "minute": "%M", "dow": "%w", "doy": "%j"}
"""EXTRACT's part → the letters of STRFTIME whose number is the same."""
STARTS = ("year", "month", "day")


def for_sqlite(tree: exp.Expr) -> exp.Expr:
    """The tree with EXTRACT, YEAR() and the like, and DATE_TRUNC as SQLite writes them; the rest as it is."""
    from sqlglot import exp

    parts: dict[type[exp.Expr], str] = {exp.Year: "year", exp.Month: "month", exp.Day: "day"}

    def changed(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Extract) and node.name.lower() in PARTS:
            return _part(node.name.lower(), node.expression)
        if type(node) in parts:
            return _part(parts[type(node)], node.this)
        if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and node.text("unit").lower() in STARTS:
            start = exp.Literal.string(f"start of {node.text('unit').lower()}")
            return exp.Anonymous(this="DATETIME", expressions=[_bare(node.this), start])
        return node

    return tree.transform(changed)


def _part(name: str, value: exp.Expr) -> exp.Expr:
    from sqlglot import exp

    text = exp.Anonymous(this="STRFTIME", expressions=[exp.Literal.string(PARTS[name]), _bare(value)])
    return exp.Cast(this=text, to=exp.DataType.build("INT"))


def _bare(value: exp.Expr) -> exp.Expr:
    """A moment without a cast to one: SQLite keeps moments as texts, and a cast would make a number of them."""
    from sqlglot import exp

    moments = (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPTZ)
    cast = isinstance(value, exp.Cast) and value.to.this in moments
    inner = value.args.get("this") if cast or isinstance(value, exp.TsOrDsToDate | exp.Date) else None
    return inner if isinstance(inner, exp.Expr) else value
