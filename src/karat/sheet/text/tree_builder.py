"""From what the parser recognises to the tree. One method for each rule of ``grammar.lark``, named as the rule is.

A method gets the children of its rule: tokens that carry meaning, and what was built from the rules below. Comments
hang on the first token of their line; a definition gathers those of its own lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar, cast

from karat.sheet.text.tokens import Rows, Token
from karat.sheet.text.tree import (
    ROW_COLUMN,
    TABLE_CALL,
    Apply,
    Array,
    At,
    Binary,
    Boolean,
    Call,
    Decorator,
    Element,
    Expr,
    Field,
    FieldOf,
    Fields,
    FieldsOf,
    Missing,
    Number,
    Omitted,
    Operator,
    Override,
    OwnField,
    Table,
    TableName,
    Text,
    Total,
    Unary,
)

Part = TypeVar("Part")
Children: TypeAlias = list[Any]
"""What a rule of the grammar is made of: tokens, and what the rules inside it gave."""

WORD_OPERATORS = ("AND", "OR", "MOD")


class _Doc(NamedTuple):
    text: str
    comments: tuple[str, ...]


class _Decor(NamedTuple):
    decorator: Decorator
    comments: tuple[str, ...]


class _Condition(NamedTuple):
    """``filter`` or ``sort`` with what follows."""

    type: str
    expressions: tuple[Expr, ...]
    comments: tuple[str, ...]


class _Given(NamedTuple):
    """The arguments of a call, and how many places behind them have nothing in them."""

    arguments: tuple[Expr, ...]
    left_empty: int


class Builder:
    """The callbacks of the parser."""

    # -- definitions --------------------------------------------------------------------------------------------------

    def table(self, children: Children) -> Table:
        docs, decorators, comments = _prelude(children)
        keyword = next(child for child in children if isinstance(child, Token))
        name: Token = next(child for child in children if isinstance(child, Token) and child is not keyword)
        applies = [child for child in children if isinstance(child, Apply)]
        return Table(
            name=cast(str, name.value),
            fields=_all(Fields, children),
            docs=docs,
            decorators=decorators,
            apply=applies[0] if applies else None,
            totals=_all(Total, children),
            override=next(iter(_all(Override, children)), None),
            at=name.at,
            comments=comments + keyword.comments,
        )

    def name(self, children: list[Token]) -> Token:
        return children[0]

    def doc(self, children: list[Token]) -> _Doc:
        return _Doc(cast(str, children[0].value), children[0].comments)

    def decor(self, children: Children) -> _Decor:
        sign, name, *literals = children
        values: Children = [literal.value if isinstance(literal, Token) else literal for literal in literals]
        at = At(sign.line, sign.column, name.column + len(name.text) - sign.column if name.line == sign.line else 1)
        return _Decor(Decorator(name.text.lower(), tuple(values), at), sign.comments + name.comments)

    def negative(self, children: list[Token]) -> int | float:
        return -cast("int | float", children[0].value)

    def fields(self, children: Children) -> Fields:
        declared = _all(Field, children)
        formulas = [child for child in children if not isinstance(child, Field)]
        return Fields(declared, formulas[0] if formulas else None)

    def field(self, children: Children) -> Field:
        docs, decorators, comments = _prelude(children)
        tokens = [child for child in children if isinstance(child, Token)]
        types = {token.type for token in tokens}
        return Field(
            name=cast(str, tokens[-1].value),
            key="KEY" in types,
            dim="DIM" in types,
            docs=docs,
            decorators=decorators,
            at=tokens[-1].at,
            comments=comments + _comments(tokens),
        )

    def apply(self, children: Children) -> Apply:
        keyword, *conditions = children
        by_name = {condition.type: condition for condition in conditions}
        filtered, ordered = by_name.get("FILTER"), by_name.get("SORT")
        return Apply(
            filter=filtered.expressions[0] if filtered else None,
            sort=ordered.expressions if ordered else (),
            at=keyword.at,
            comments=_comments([keyword, *conditions]),
        )

    def filter(self, children: Children) -> _Condition:
        return _Condition("FILTER", tuple(children[1:]), children[0].comments)

    def sort(self, children: Children) -> _Condition:
        return _Condition("SORT", tuple(children[1:]), children[0].comments)

    def total(self, children: Children) -> Total:
        return Total(tuple(children[1:]), children[0].at, children[0].comments)

    def column(self, children: list[Token]) -> Token:
        """The field, marked where ``key`` is before it."""
        *before, last = children
        last.marked = bool(before)
        last.comments = _comments(children)
        return last

    def override(self, children: list[Token]) -> Override:
        keyword, *columns, last = children
        rows = cast(Rows, last.value)
        return Override(
            columns=tuple(ROW_COLUMN if column.type == "ROW" else cast(str, column.value) for column in columns),
            rows=rows.cells,
            keys=frozenset(cast(str, column.value) for column in columns if column.marked),
            at=keyword.at,
            lines=rows.lines,
            places=tuple(column.at for column in columns),
            comments=_comments(children) + rows.comments,
        )

    # -- expressions --------------------------------------------------------------------------------------------------

    def binary(self, children: Children) -> Binary:
        left, operator, right = children
        sign = operator.type if operator.type in WORD_OPERATORS else operator.text
        return Binary(cast(Operator, sign), left, right, operator.at)

    def unary(self, children: Children) -> Unary:
        operator, operand = children
        return Unary("NOT" if operator.type == "NOT" else "-", operand, operator.at)

    def field_of(self, children: Children) -> FieldOf:
        source, name = children
        return FieldOf(source, name.value, name.at)

    def fields_of(self, children: Children) -> FieldsOf:
        source, *names = children
        return FieldsOf(source, tuple(name.value for name in names), names[0].at, tuple(name.at for name in names))

    def dotted_call(self, children: Children) -> Call:
        receiver, name, given = children
        return Call(name.text.upper(), (receiver, *given.arguments), True, name.at, name.text, given.left_empty)

    def call(self, children: Children) -> Call:
        name, given = children
        if name.type == "QUOTED":
            return Call(TABLE_CALL, (TableName(cast(str, name.value), name.at), *given.arguments), False, name.at)
        return Call(name.text.upper(), given.arguments, False, name.at, name.text, given.left_empty)

    def arguments(self, children: Children) -> _Given:
        """What is left out at the end takes its usual value, as if it were not there."""
        count = len(children)
        while children and isinstance(children[-1], Omitted):
            children.pop()
        return _Given(tuple(children), count - len(children) if children else 0)

    def omitted(self, children: Children) -> Omitted:  # noqa: ARG002 (the parser's signature)
        return Omitted()

    def number(self, children: list[Token]) -> Number:
        return Number(cast("int | float", children[0].value), children[0].at)

    def text(self, children: list[Token]) -> Text:
        return Text(cast(str, children[0].value), children[0].at)

    def missing(self, children: list[Token]) -> Missing:
        return Missing(children[0].at)

    def true(self, children: list[Token]) -> Boolean:
        return Boolean(True, children[0].at)

    def false(self, children: list[Token]) -> Boolean:
        return Boolean(False, children[0].at)

    def element(self, children: list[Token]) -> Element:
        return Element(at=children[0].at)

    def table_name(self, children: list[Token]) -> TableName:
        return TableName(cast(str, children[0].value), children[0].at)

    def own_field(self, children: list[Token]) -> OwnField:
        return OwnField(cast(str, children[0].value), children[0].at)

    def alternatives(self, children: list[Token]) -> Array:
        at = children[0].at
        return Array(tuple(Number(int(one), at) for one in children[0].text.split("|")), at, alternatives=True)

    def array(self, children: Children) -> Array:
        return Array(tuple(children[1:]), children[0].at)


def _prelude(children: Children) -> tuple[tuple[str, ...], tuple[Decorator, ...], tuple[str, ...]]:
    """The docs, the decorators and the comments before a table or a field."""
    docs = tuple(child.text for child in children if isinstance(child, _Doc))
    decorators = tuple(child.decorator for child in children if isinstance(child, _Decor))
    return docs, decorators, _comments(child for child in children if isinstance(child, _Doc | _Decor))


def _comments(parts: Iterable[_Doc | _Decor | Token]) -> tuple[str, ...]:
    return tuple(comment for part in parts for comment in part.comments)


def _all(kind: type[Part], children: Sequence[object]) -> tuple[Part, ...]:
    return tuple(child for child in children if isinstance(child, kind))
