"""Planning formulas: every kind of expression, and the calls that are more than a function of values."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

from karat.core.problems import did_you_mean
from karat.sheet.check.requirements import Wanted, both, element_fields, lookup, uses_element, uses_row
from karat.sheet.evaluation_table import evaluation_fields, read_reference, reference_text, the_evaluation_table
from karat.sheet.functions import FUNCTIONS
from karat.sheet.functions.definition import Function
from karat.sheet.functions.operators import ARRAY, BINARY, UNARY
from karat.sheet.plan.builder import Making, Need, Scope
from karat.sheet.plan.nodes import SHEET, Place, inner
from karat.sheet.plan.tables import TablePlanner
from karat.sheet.text.tree import (
    Array,
    At,
    Binary,
    Boolean,
    Call,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    Missing,
    Number,
    OwnField,
    Sheet,
    TableName,
    Text,
    Unary,
)
from karat.sheet.values import NA, TableValue, Wrong, shown

PASSES_ON = {"FIRST", "LAST", "SINGLE", "INDEX", "IF", "IFNA"}
"""They give what they were given: of a table they need the fields that are asked of them."""


def _is_query(name: str) -> bool:
    function = FUNCTIONS.get(name)
    return function is not None and function.queries


class FormulaPlanner(TablePlanner):
    """Plans formulas."""

    def __init__(self, sheet: Sheet, bound: Mapping[str, TableValue]) -> None:
        super().__init__(sheet, bound)
        self._places: dict[int, Place] = {}
        """The node of a query's elements → their place."""

    def expression(self, node: Expr, scope: Scope, wanted: Wanted) -> Making:
        match node:
            case Number(value=value) | Text(value=value):
                return self._constant(value)
            case Boolean(value=value):
                return self._constant(int(value))
            case Missing():
                return self._constant(NA)
            case Element():
                return self._element(node, scope)
            case TableName():
                return (yield from self.table_of(node, scope, wanted))
            case OwnField():
                return (yield from self._own_field(node, scope))
            case FieldOf():
                return (yield from self._field_of(node, scope))
            case FieldsOf(source=source, names=names):
                made = yield source, scope, frozenset(names)
                label = ", ".join(names)
                return self.node(
                    "get_many",
                    (made,),
                    self.place_of(made),
                    names,
                    kind="Fields",
                    label=label,
                    at=node.at,
                    origin=scope.origin,
                )
            case Call():
                return (yield from self._call(node, scope, wanted))
            case Binary(operator=operator, left=left, right=right):
                inputs = ((yield left, scope, None), (yield right, scope, None))
                return self._apply(BINARY[operator], inputs, node.at, scope)
            case Unary(operator=operator, operand=operand):
                return self._apply(UNARY[operator], ((yield operand, scope, None),), node.at, scope)
            case Array(items=items):
                made_items: list[int] = []
                for item in items:
                    made_items += [(yield item, scope, None)]
                return self._apply(ARRAY, tuple(made_items), node.at, scope)
            case _:
                raise TypeError(f"no expression: {node!r}")

    def _constant(self, value: Any) -> int:
        label = f'"{value}"' if isinstance(value, str) else shown(value)
        return self.node("constant", detail=value, kind="Value", label=label)

    def _apply(self, function: Function, inputs: tuple[int, ...], at: At, scope: Scope) -> int:
        place = self.place_of(*inputs)
        return self.node(
            "apply",
            inputs,
            place,
            function.name if function.name in FUNCTIONS else (function.name, len(inputs)),
            kind=function.kind,
            label=function.name,
            at=at,
            origin=scope.origin,
        )

    def _element(self, node: Element, scope: Scope) -> int:
        if scope.elements is None:
            hint = "It is the element in FILTER(source, condition), SORTBY, UNIQUEBY and FIND."
            return self.fail("$ is outside a query", hint, node.at, scope)
        elements, source, place = scope.elements
        return self.node("element", (elements, source), place, label="$", at=node.at, origin=scope.origin)

    def _own_field(self, node: OwnField, scope: Scope) -> Making:
        table = scope.table
        if table is None:
            return self.fail(f"[{node.name}] is outside a table", "", node.at, scope)
        if scope.total:
            return (yield from self.column_of(table.name, node.name, node.at, scope))
        if scope.dims is not None:
            if node.name in scope.dims:
                return scope.dims[node.name]
            said = f"the formula of a dim cannot use [{node.name}]"
            return self.fail(said, "It makes the rows, so it can only use the dims before it.", node.at, scope)
        return (yield from self.field_of(table.name, node.name, node.at, scope))

    def _field_of(self, node: FieldOf, scope: Scope) -> Making:
        origin, at = scope.origin, node.at
        if isinstance(node.source, TableName):
            return (yield from self.column_of(node.source.name, node.name, at, scope))
        if isinstance(node.source, Element) and scope.elements is not None:
            elements, source, place = scope.elements
            return self.node(
                "element_field", (elements, source), place, node.name, label=f"$[{node.name}]", at=at, origin=origin
            )
        made = yield node.source, scope, frozenset((node.name,))
        return self.node("get", (made,), self.place_of(made), node.name, label=f"[{node.name}]", at=at, origin=origin)

    # -- calls ----------------------------------------------------------------------------------------------------------

    def _call(self, node: Call, scope: Scope, wanted: Wanted) -> Making:
        function = FUNCTIONS.get(node.name)
        if function is None:
            return self.fail(f"there is no function {node.name}", did_you_mean(node.name, FUNCTIONS), node.at, scope)
        form = function.form(len(node.arguments))
        if form is None:
            hint = f"It is {' or '.join(function.signature())}."
            return self.fail(f"{node.name} does not take {len(node.arguments)} arguments", hint, node.at, scope)
        if node.name == "ROW":
            return (yield from self._row_number(node, scope))
        if node.name in ("EVALUATE_N", "EVALUATE_MODEL"):
            return (yield from self._evaluated(node, scope))
        if function.queries:
            return (yield from self._query(function, node, scope, wanted))
        inputs = []
        for argument in node.arguments:
            asked = wanted if node.name in PASSES_ON else frozenset() if node.name == "COUNT" else None
            inputs.append((yield argument, scope, asked))
        return self._apply(function, tuple(inputs), node.at, scope)

    def _row_number(self, node: Call, scope: Scope) -> Making:
        if scope.table is None or scope.total or scope.dims is not None:
            return self.fail(
                "ROW() has no row here", "It is the number of the row in the formula of a field.", node.at, scope
            )
        rows = yield from self.rows_of(scope.table.name)
        place = self.plan.rows[scope.table.name][1]
        return self.node("row_number", (rows,), place, kind="Row number", label="ROW", at=node.at, origin=scope.origin)

    def _query(self, function: Function, node: Call, scope: Scope, wanted: Wanted) -> Making:
        source, bodies = node.arguments[0], node.arguments[1:]
        if function.name == "FIND":
            condition = self._condition(node)
            if isinstance(condition, str):
                return self.fail(condition, 'Write T.FIND("key"), or a condition with $.', node.at, scope)
            bodies = (condition,)
        asked = wanted
        for body in bodies:
            asked = both(asked, element_fields(body, _is_query))
        made = yield source, scope, asked
        down = tuple(function.name == "SORTBY" and isinstance(body, Unary) and body.operator == "-" for body in bodies)
        bodies = tuple(
            body.operand if flag and isinstance(body, Unary) else body for flag, body in zip(down, bodies, strict=True)
        )
        parent = self.place_of(made)
        if any(uses_row(body) for body in bodies):
            parent = inner(parent, (yield from self._row_place(scope)))
        inputs: tuple[int, ...] = (made,)
        if function.name in ("FILTER", "FIND") and parent is not SHEET and self.plan.nodes[made].place is SHEET:
            pair = lookup(bodies[0], _is_query)
            if pair is not None:
                free = self._elements((made,), SHEET, node.at, scope)
                inside = yield pair[0], replace(scope, elements=(free, made, self._places[free])), None
                outside = yield pair[1], replace(scope, elements=None), None
                inputs = (made, inside, outside)
        elements = self._elements(inputs, parent, node.at, scope)
        within = replace(scope, elements=(elements, made, self._places[elements]))
        keys: list[int] = []
        for body in bodies:
            keys += [(yield body, within, None)]
        return self.node(
            "query",
            (elements, made, *keys),
            parent,
            (function.name, down),
            kind=function.kind,
            label=function.name,
            at=node.at,
            origin=scope.origin,
        )

    def _elements(self, inputs: tuple[int, ...], parent: Place, at: At, scope: Scope) -> int:
        made = self.node("elements", inputs, parent, kind="Elements", label="$", at=at, origin=scope.origin)
        if made not in self._places:
            self._places[made] = Place(parent.level + 1, parent, made)
        return made

    def _row_place(self, scope: Scope) -> Generator[Need, int, Place]:
        if scope.table is None or scope.total:
            return SHEET
        if scope.dims is not None:
            return scope.dim_place
        yield from self.rows_of(scope.table.name)
        return self.plan.rows[scope.table.name][1]

    def _condition(self, node: Call) -> Expr | str:
        """What FIND looks for: its condition, or the equality with the keys or the value it was given."""
        source, given = node.arguments[0], node.arguments[1:]
        if any(uses_element(one, _is_query) for one in given):
            return given[0] if len(given) == 1 else "FIND takes one condition"
        sides: list[Expr] = [Element(node.at)]
        if isinstance(source, TableName):
            table = self.tables.get(source.name)
            fields = [field for line in table.fields for field in line.fields] if table is not None else []
            sides = [FieldOf(Element(node.at), field.name, node.at) for field in fields if field.key]
            if not sides:
                return f"{source.name} has no key to find a row by"
        if len(given) > len(sides):
            return f"FIND was given {len(given)} keys, but there {'is' if len(sides) == 1 else 'are'} {len(sides)}"
        condition: Expr = Binary("=", sides[0], given[0], node.at)
        for side, key in zip(sides[1:], given[1:], strict=False):
            condition = Binary("AND", condition, Binary("=", side, key, node.at), node.at)
        return condition

    def _evaluated(self, node: Call, scope: Scope) -> Making:
        """n or model of a field: one choice for all fields of the evaluation table, whoever asks."""
        *first, asked = node.arguments
        name = ""
        if first:
            if not isinstance(first[0], TableName):
                return self.fail(
                    f"{node.name} needs the evaluation table first", "Evaluation.EVALUATE_N(T[f])", node.at, scope
                )
            name = first[0].name
        target: tuple[str, str] | None = None
        if isinstance(asked, FieldOf) and isinstance(asked.source, TableName):
            target = (asked.source.name, asked.name)
        elif isinstance(asked, Text):
            target = read_reference(asked.value)
        if target is None:
            return self.fail(f'{node.name} needs a field, T[f] or "T[f]"', "", node.at, scope)
        try:
            table = the_evaluation_table(self.sheet, name)
            known = [found for _, found in evaluation_fields(table).truths]
        except Wrong as wrong:
            return self.fail(wrong.message, wrong.hint, node.at, scope)
        label = reference_text(*target)
        if target not in known:
            hint = did_you_mean(label, [reference_text(*one) for one in known])
            return self.fail(f"{table.name} has no truths for {label}", hint, node.at, scope)
        questions = yield from self.questions(table, node.at, scope.origin)
        place = self.node(
            "evaluation", (questions,), kind="Evaluation", label=table.name, at=node.at, origin=scope.origin
        )
        return self.node(
            "choice",
            (place,),
            SHEET,
            (node.name, label),
            kind="Function",
            label=f"{node.name} {label}",
            at=node.at,
            origin=scope.origin,
        )
