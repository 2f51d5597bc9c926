"""Computing functions and operators, and taking fields out of rows and tables."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import count_of
from karat.sheet.compute.broadcast import call_all, excess
from karat.sheet.compute.computation import Computation
from karat.sheet.functions import FUNCTIONS
from karat.sheet.functions.definition import Form, Function
from karat.sheet.functions.operators import ARRAY, BINARY, UNARY
from karat.sheet.plan.nodes import SHEET, Node
from karat.sheet.values import NA, Array, Failure, Row, TableValue, Value, Wrong, described


def apply(c: Computation, node: Node) -> object:
    """A function or an operator, with its arguments. A column of the own table beside the current row gives the element
    of that row."""
    function, form = _function(node)
    if node.place is SHEET:
        call = tuple(c.values[id] for id in node.inputs)
        return call_all(function, form, [call], node, c.resources)[0]
    rows = c.rows_around(node.place)
    columns: list[Sequence[Value]] = []
    spread = False
    for id, parameter in zip(node.inputs, form, strict=True):
        value = c.values[id]
        if c.constant(id):
            over = excess(value, parameter)
            own = isinstance(value, Array) and rows is not None and value.layout == rows.table
            if own and rows is not None and (over > 0 or parameter.in_step):
                columns.append(c.stepped(value, rows, node.place))
                spread = spread or over > 1
                continue
            spread = spread or over > 0
        column = c.lifted(id, node.place)
        if not c.constant(id) and not spread:
            kinds = set(map(type, column))
            inside = Array in kinds or TableValue in kinds
            spread = inside and any(excess(one, parameter) > 0 for one in column)
        columns.append(column)
    return call_all(function, form, list(zip(*columns, strict=True)), node, c.resources, spread=spread)


def get(c: Computation, node: Node) -> object:
    """``value[name]``. Rows of one table, the usual case, are done in one go."""
    name: str = node.detail
    value = c.values[node.inputs[0]]
    if node.place is not SHEET and value and all(isinstance(one, Row) for one in value):
        table = value[0].table
        if name in table.columns and all(one.table is table for one in value):
            column = table.columns[name]
            return [column[one.index] for one in value]
    return c.each(node, node.inputs[0], lambda one: field_of(one, name))


def get_of_rows(c: Computation, node: Node) -> object:
    """``value[name]`` of rows of a table of the sheet, from the table's own column."""
    name: str = node.detail
    column = c.values[node.inputs[1]]
    if isinstance(column, Failure):
        return column if node.place is SHEET else [column] * c.count(node.place)
    items, layout = column.items, column.layout

    def taken(value: Value) -> Value:
        if isinstance(value, Row) and value.table.layout == layout:
            return items[value.table.row(value.index)]
        if isinstance(value, TableValue) and value.layout == layout:
            if value.rows is None:
                return Array(items, layout, column.depth)
            return Array([items[at] for at in value.rows], least=column.depth)
        if isinstance(value, Array):
            return Array(
                [one if one is NA or isinstance(one, Failure) else taken(one) for one in value.items], value.layout
            )
        return field_of(value, name)

    return c.each(node, node.inputs[0], taken)


def get_many(c: Computation, node: Node) -> object:
    """``value[[a],[b]]``."""
    return c.each(node, node.inputs[0], lambda one: fields_of(one, node.detail))


def _function(node: Node) -> tuple[Function, Form]:
    if isinstance(node.detail, str):
        function = FUNCTIONS[node.detail]
    else:
        name, count = node.detail
        function = ARRAY if name == "{}" else UNARY[name] if count == 1 else BINARY[name]
    form = function.form(len(node.inputs))
    assert form is not None  # noqa: S101 (the plan has counted the arguments)
    return function, form


def field_of(value: Value, name: str) -> Value:
    """``value[name]``: a column of a table, a cell of a row, and the same for each element of an array."""
    if isinstance(value, Row):
        return value.field(name)
    if isinstance(value, TableValue):
        return Array(value.column(name), value.layout if value.whole else "")
    if isinstance(value, Array):
        items = [item if item is NA or isinstance(item, Failure) else field_of(item, name) for item in value.items]
        return Array(items, value.layout)
    raise Wrong(f"only a table or a row has fields, but [{name}] was asked of {described(value)}")


def fields_of(value: Value, names: Sequence[str]) -> Value:
    """A table, or a row of one, with some of its columns."""
    if isinstance(value, Row):
        own = value.table
        found = TableValue({name: own.column(name) for name in names}, own.length, own.layout, own.rows)
        return Row(found, value.index)
    if isinstance(value, TableValue):
        return TableValue({name: value.column(name) for name in names}, value.length, value.layout, value.rows)
    raise Wrong(f"only a table or a row has fields, but they were asked of {described(value)}")


def part_of(value: Value, part: int, parts: int, *, shared: bool) -> Value:
    """The share of one of several fields with the same formula: its column of a table or row. ``shared``: a single
    value is that of every field."""
    if not isinstance(value, Row | TableValue):
        if shared and not isinstance(value, Array):
            return value
        raise Wrong(f"{parts} fields share this formula, but it gives {described(value)}", _COLUMNS)
    names = list((value.table if isinstance(value, Row) else value).columns)
    if parts != len(names):
        raise Wrong(f"{parts} fields share this formula, but it gives {count_of(len(names), 'column')}", _COLUMNS)
    return field_of(value, names[part])


_COLUMNS = "Name a column for each field: T[[a], [b]]."
