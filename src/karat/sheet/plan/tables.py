"""Planning tables: their rows, fields, columns and order. Fields depend on fields, so a table may look into itself."""

from __future__ import annotations

from collections.abc import Generator, Mapping

from karat.core.problems import did_you_mean
from karat.sheet.check.names import unknown_table_hint
from karat.sheet.check.requirements import Wanted
from karat.sheet.evaluation_table import decorator, evaluation_fields, reference_text, target_of
from karat.sheet.plan.builder import Making, Need, NodeMaker, Scope
from karat.sheet.plan.nodes import SHEET, FieldDetail, Place
from karat.sheet.text.tree import At, Fields, Missing, Sheet, Table, TableName, Unary
from karat.sheet.values import TableValue

ROWS, APPLIED = "\0rows", "\0applied"
"""In place of a field: the rows of a table, and what is applied to them."""


class TablePlanner(NodeMaker):
    """Plans what tables are made of."""

    def __init__(self, sheet: Sheet, bound: Mapping[str, TableValue]) -> None:
        super().__init__(sheet, bound)
        self._open: list[tuple[str, str]] = []
        """The (table, field)s that are being planned, to notice what depends on itself."""
        self._dims: dict[str, dict[str, int]] = {}
        """table → the nodes of its dims."""

    def _known_fields(self, table: str) -> list[str]:
        if table in self.plan.bound:
            return list(self.plan.bound[table].columns)
        return [field.name for line in self.tables[table].fields for field in line.fields]

    def unknown_table(self, name: str, at: At, scope: Scope) -> int | None:
        """None when there is such a table, else the node that says there is not."""
        if name in self.tables or name in self.plan.bound:
            return None
        hint = unknown_table_hint(name, [*self.tables, *self.plan.bound])
        return self.fail(f"there is no table {name}", hint, at, scope)

    def rows_of(self, name: str) -> Making:
        """The node that makes the rows of a table; their place is in the plan.

        A table marked ``!manual()`` and one without dims have the rows of their override; one without dims or override has one row. Otherwise each
        dim makes a row for each of its elements, inside each row of the dims before it, and the override replaces cells of these rows.
        """
        if name in self.plan.rows:
            return self.plan.rows[name][0]
        if name in self.plan.bound:
            made = self.node("rows", detail=(name, len(self.plan.bound[name])), kind="Input", label=name)
            self.plan.rows[name] = made, Place(1, SHEET, made, name)
            return made
        table = self.tables[name]
        lines = [line for line in table.fields if any(field.dim for field in line.fields)]
        manual = decorator(table.decorators, "manual") is not None
        if manual or not lines:
            count = len(table.override.rows) if table.override is not None else 0 if manual else 1
            made = self.node("rows", detail=(name, count), kind="Rows", label=name)
            self.plan.rows[name] = made, Place(1, SHEET, made, name)
            return made
        place = SHEET
        dims: dict[str, int] = {}
        self._open.append((name, ROWS))
        for number, line in enumerate(lines, start=1):
            formula = line.formula if line.formula is not None else Missing()
            scope = Scope(table, (name, line.fields[0].name), dims=dict(dims), dim_place=place)
            value = yield formula, scope, None
            label = ", ".join(reference_text(name, field.name) for field in line.fields)
            at, origin = line.fields[0].at, (name, line.fields[0].name)
            made = self.node("dim", (value,), place, (name, number), kind="Rows", label=label, at=at, origin=origin)
            place = Place(place.level + 1, place, made, name if number == len(lines) else "")
            for part, field in enumerate(line.fields):
                index = part if len(line.fields) > 1 else None
                dims[field.name] = self.node("dim_value", (made,), place, index, label=field.name, at=at, origin=origin)
        self._open.pop()
        self.plan.rows[name] = made, place
        self._dims[name] = dims
        return made

    # -- fields ---------------------------------------------------------------------------------------------------------

    def field_of(self, table: str, name: str, at: At, scope: Scope) -> Making:
        """A field, row by row."""
        if (table, name) in self.plan.fields:
            return self.plan.fields[table, name]
        known = self._known_fields(table)
        if name not in known:
            return self.fail(f"there is no field [{name}] in {table}", did_you_mean(name, known), at, scope)
        for step in ((table, name), (table, ROWS)):
            if step in self._open:
                return self._circle(step, (table, name), at, scope)
        self._open.append((table, name))
        rows = yield from self.rows_of(table)
        place = self.plan.rows[table][1]
        label = reference_text(table, name)
        if table in self.plan.bound:
            made = self.node("field", (rows,), place, FieldDetail(table, name), kind="Input", label=label)
        else:
            made = yield from self._declared(self.tables[table], name, rows, place, label)
        self._open.pop()
        self.plan.fields[table, name] = made
        return made

    def _circle(self, first: tuple[str, str], last: tuple[str, str], at: At, scope: Scope) -> int:
        """The node that says that what is being planned depends on itself."""
        way = [*self._open[self._open.index(first) :], last]
        said = " → ".join(step[0] if step[1] == ROWS else reference_text(*step) for step in way if step[1] != APPLIED)
        hint = "One of these must not depend on the others."
        return self.fail(f"this depends on itself: {said}", hint, at, scope)

    def _declared(self, table: Table, name: str, rows: int, place: Place, label: str) -> Making:
        line, part = _line_of(table, name)
        field = line.fields[part]
        inputs = [rows]
        dims = self._dims.get(table.name, {})
        if name in dims:
            inputs.append(dims[name])
        elif line.formula is not None:
            inputs.append((yield line.formula, Scope(table, (table.name, name)), None))
        override = table.override
        typed = override.columns.index(name) if override is not None and name in override.columns else None
        if dims and field.key and len(inputs) > 1:
            typed = None  # the keys of the override say which row is meant; they change nothing
        matched = False
        if typed is not None and dims:
            match = yield from self._match(table, rows, place, name)
            matched = match is not None
            if match is not None:
                inputs.append(match)
        detail = FieldDetail(
            table.name,
            name,
            part if len(line.fields) > 1 and name not in dims else None,
            len(line.fields),
            len(inputs) - matched > 1,
            typed,
            matched,
            target_of(field) is not None,
        )
        origin = (table.name, name)
        return self.node("field", tuple(inputs), place, detail, kind="Field", label=label, at=field.at, origin=origin)

    def _match(self, table: Table, rows: int, place: Place, name: str) -> Generator[Need, int, int | None]:
        """Which row of the override belongs to which row: by the keys it gives; None: by position."""
        override = table.override
        assert override is not None  # noqa: S101 (asked for only where there is one)
        fields = {field.name: field for line in table.fields for field in line.fields}
        keys = tuple(column for column in override.columns if column in fields and fields[column].key)
        if not keys or name in keys:
            return None
        inputs = [rows]
        for key in keys:
            inputs += [(yield from self.field_of(table.name, key, override.at, Scope(table, (table.name, name))))]
        detail = (table.name, tuple(override.columns.index(key) for key in keys))
        return self.node(
            "match", tuple(inputs), place, detail, label=table.name, at=override.at, origin=(table.name, name)
        )

    def order_of(self, table: Table) -> Making:
        """Which rows of a table are kept, in which order."""
        if table.name in self.plan.orders:
            return self.plan.orders[table.name]
        apply = table.apply
        assert apply is not None  # noqa: S101 (asked for only where there is one)
        if (table.name, APPLIED) in self._open:
            scope = Scope(table, (table.name, "apply"))
            return self.fail(
                f"what is applied to {table.name} depends on itself",
                "Use [x], the fields of its rows.",
                apply.at,
                scope,
            )
        self._open.append((table.name, APPLIED))
        inputs = [(yield from self.rows_of(table.name))]
        scope = Scope(table, (table.name, "apply"))
        if apply.filter is not None:
            inputs.append((yield apply.filter, scope, None))
        flags = []
        for key in apply.sort:
            down = isinstance(key, Unary) and key.operator == "-"
            flags.append(down)
            inputs.append((yield key.operand if isinstance(key, Unary) and down else key, scope, None))
        self._open.pop()
        detail = (table.name, apply.filter is not None, tuple(flags))
        made = self.node(
            "order", tuple(inputs), SHEET, detail, kind="Apply", label=table.name, at=apply.at, origin=scope.origin
        )
        self.plan.orders[table.name] = made
        return made

    def column_of(self, table: str, name: str, at: At, scope: Scope) -> Making:
        """A field as a whole: of the own table before anything is applied to it, of another as it shows."""
        unknown = self.unknown_table(table, at, scope)
        if unknown is not None:
            return unknown
        field = yield from self.field_of(table, name, at, scope)
        if self.plan.nodes[field].op == "failed":
            return field
        inputs, applied = yield from self._applied(table, (field,), scope)
        return self.node(
            "column",
            inputs,
            SHEET,
            (table, name, applied),
            label=reference_text(table, name),
            at=at,
            origin=scope.origin,
        )

    def _applied(
        self, table: str, inputs: tuple[int, ...], scope: Scope
    ) -> Generator[Need, int, tuple[tuple[int, ...], bool]]:
        declared = self.tables.get(table)
        own = scope.table is not None and scope.table.name == table and not scope.total
        if declared is None or declared.apply is None or own:
            return inputs, False
        order = yield from self.order_of(declared)
        return (*inputs, order), True

    def table_of(self, node: TableName, scope: Scope, wanted: Wanted) -> Making:
        """A table as a whole, with the fields that are wanted."""
        unknown = self.unknown_table(node.name, node.at, scope)
        if unknown is not None:
            return unknown
        if (node.name, ROWS) in self._open:
            return self._circle((node.name, ROWS), (node.name, ROWS), node.at, scope)
        known = self._known_fields(node.name)
        names = tuple(known) if wanted is None else tuple(name for name in known if name in wanted)
        for name in sorted((wanted or frozenset()) - set(known)):
            return self.fail(f"there is no field [{name}] in {node.name}", did_you_mean(name, known), node.at, scope)
        inputs = [(yield from self.rows_of(node.name))]
        for name in names:
            inputs += [(yield from self.field_of(node.name, name, node.at, scope))]
        applied_inputs, applied = yield from self._applied(node.name, tuple(inputs), scope)
        return self.node(
            "table",
            applied_inputs,
            SHEET,
            (node.name, names, applied),
            label=node.name,
            at=node.at,
            origin=scope.origin,
        )

    def questions(self, table: Table, at: At, origin: tuple[str, str]) -> Making:
        """An evaluation table's questions and truths, with the values that are searched."""
        scope = Scope(table, origin)
        fields = evaluation_fields(table)
        inputs = [(yield from self.column_of(table.name, fields.question, at, scope))]
        for name, _ in fields.truths:
            inputs.append((yield from self.column_of(table.name, name, at, scope)))
        for _, (other, searched) in fields.truths:
            inputs.append((yield from self.column_of(other, searched, at, scope)))
        made = self.node(
            "questions", tuple(inputs), SHEET, fields, kind="Questions", label=table.name, at=at, origin=origin
        )
        self.plan.questions[table.name] = made
        return made


def _line_of(table: Table, name: str) -> tuple[Fields, int]:
    for line in table.fields:
        for part, field in enumerate(line.fields):
            if field.name == name:
                return line, part
    raise KeyError(name)
