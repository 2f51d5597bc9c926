"""Conditions on texts, changed: any case, a text that only begins or ends with it, another value of the column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from karat.suites.answers.text_to_sql.fillings.dates import neighbour_days

if TYPE_CHECKING:
    from sqlglot import exp

OTHERS = 2
"""Other values of a column that are tried in the place of one."""


def other_texts(node: exp.Expr, values: Mapping[str, Sequence[str]]) -> Iterator[exp.Expr]:
    """The changes of ``column = 'text'`` and ``<>``, of IN with texts, and of LIKE."""
    from sqlglot import exp

    if isinstance(node, exp.EQ | exp.NEQ):
        column, text = node.this, node.expression
        if _is_text(column):
            column, text = text, column
        if isinstance(column, exp.Column) and _is_text(text):
            yield from _of_equality(type(node), column, text.name, values)
    elif isinstance(node, exp.In) and isinstance(node.this, exp.Column):
        yield from _of_list(node, values)
    elif isinstance(node, exp.Like) and _is_text(node.expression):
        yield from _of_pattern(node)


def _is_text(node: exp.Expr) -> bool:
    return bool(node.args.get("is_string"))


def _of_equality(
    kind: type[exp.EQ | exp.NEQ], column: exp.Column, text: str, values: Mapping[str, Sequence[str]]
) -> Iterator[exp.Expr]:
    from sqlglot import exp

    def compared(left: exp.Expr, right: str, how: type[exp.EQ | exp.NEQ] = kind) -> exp.Expr:
        return how(this=left, expression=exp.Literal.string(right))

    if text.lower() != text.upper():
        yield compared(exp.Lower(this=column.copy()), text.lower())
    if text and not neighbour_days(text):  # a column of days gets nothing but days
        size = exp.Literal.number(len(text))
        yield compared(exp.Anonymous(this="SUBSTR", expressions=[column.copy(), exp.Literal.number(1), size]), text)
        yield compared(exp.Anonymous(this="SUBSTR", expressions=[column.copy(), exp.Neg(this=size.copy())]), text)
    others = _others(column, [text], values)
    for other in others:
        yield compared(column.copy(), other)
    if others:  # of two values, being one is not being the other, as long as there is no third
        yield compared(column.copy(), others[0], exp.EQ if kind is exp.NEQ else exp.NEQ)


def _of_list(node: exp.In, values: Mapping[str, Sequence[str]]) -> Iterator[exp.Expr]:
    """Without one of the values, and with one more."""
    from sqlglot import exp

    listed = node.expressions
    if not listed or not all(isinstance(one, exp.Literal) for one in listed):
        return
    for place in range(len(listed) if len(listed) > 1 else 0):
        fewer = [one.copy() for at, one in enumerate(listed) if at != place]
        yield exp.In(this=node.this.copy(), expressions=fewer)
    if all(map(_is_text, listed)):
        for other in _others(node.this, [one.name for one in listed], values)[:1]:
            more = [*(one.copy() for one in listed), exp.Literal.string(other)]
            yield exp.In(this=node.this.copy(), expressions=more)


def _of_pattern(node: exp.Like) -> Iterator[exp.Expr]:
    """Bound to the beginning or the end, or not."""
    from sqlglot import exp

    text = node.expression.name
    bare = text.strip("%")
    if bare:
        for pattern in (f"%{bare}%", f"{bare}%", f"%{bare}", bare):
            if pattern != text:
                yield exp.Like(this=node.this.copy(), expression=exp.Literal.string(pattern))


def _others(column: exp.Column, but: Sequence[str], values: Mapping[str, Sequence[str]]) -> list[str]:
    found = values.get(column.name.lower(), ())
    return [one for one in found if one not in but][:OTHERS]
