"""Plan the parts of a table: rows, fields, columns and order. Dependencies are between fields, so a table can refer to
itself."""

from __future__ import annotations

from collections.abc import Generator

from karat.core.problems import did_you_mean
from karat.sheet.check.names import unknown_table_hint
from karat.sheet.check.requirements import Wanted
from karat.sheet.check.sort_keys import ORDER_HINT, sort_keys
from karat.sheet.evaluation_table import decorator, reference_text, target_of
from karat.sheet.plan.draft import Draft, Need, Planning, Scope
from karat.sheet.plan.nodes import SHEET, FieldDetail, Place
from karat.sheet.text.traversal import is_formula
from karat.sheet.text.tree import ROW_COLUMN, At, Fields, Missing, Override, Table, TableName

ROWS, APPLIED = "\0rows", "\0applied"
"""In place of a field: the rows of a table, and what is applied to them."""
BEFORE = "\0before"
"""Behind a field: as it is before single rows are overridden."""
CELL = ("\0cell", "")
"""Among what is being planned: from here on it is for one typed cell."""


def _known_fields(draft: Draft, table: str) -> list[str]:
    if table in draft.plan.bound:
        return list(draft.plan.bound[table].columns)
    return [field.name for line in draft.tables[table].fields for field in line.fields]


def _unknown_table(draft: Draft, name: str, at: At, scope: Scope) -> int | None:
    """None if the table exists, else a node that fails."""
    if name in draft.tables or name in draft.plan.bound:
        return None
    hint = unknown_table_hint(name, [*draft.tables, *draft.plan.bound])
    return draft.fail(f"there is no table {name}", hint, at, scope)


def plan_rows(draft: Draft, name: str) -> Planning:
    """The node that makes the rows of a table; their place is in the plan.

    A table marked ``!manual()`` and one without dims have the rows of their override; one without dims or override has
    one row. Otherwise each dim makes a row for each of its elements, inside each row of the dims before it, and the
    override replaces cells of these rows. An override that says ``row`` makes no rows either.
    """
    if name in draft.plan.rows:
        return draft.plan.rows[name][0]
    if name in draft.plan.bound:
        made = draft.node("rows", detail=(name, len(draft.plan.bound[name])), kind="Input", label=name)
        draft.plan.rows[name] = made, Place(1, SHEET, made, name)
        return made
    table = draft.tables[name]
    lines = [line for line in table.fields if any(field.dim for field in line.fields)]
    manual = decorator(table.decorators, "manual") is not None
    if manual or not lines:
        override = table.override
        count = 0 if manual else 1
        if override is not None and (manual or ROW_COLUMN not in override.columns):
            count = len(override.rows)
        made = draft.node("rows", detail=(name, count), kind="Rows", label=name)
        draft.plan.rows[name] = made, Place(1, SHEET, made, name)
        return made
    place = SHEET
    dims: dict[str, int] = {}
    draft.open.append((name, ROWS))
    for number, line in enumerate(lines, start=1):
        formula = line.formula if line.formula is not None else Missing()
        scope = Scope(table, (name, line.fields[0].name), dims=dict(dims), dim_place=place)
        value = yield formula, scope, None
        label = ", ".join(reference_text(name, field.name) for field in line.fields)
        at, origin = line.fields[0].at, (name, line.fields[0].name)
        made = draft.node("dim", (value,), place, (name, number), kind="Rows", label=label, at=at, origin=origin)
        place = Place(place.level + 1, place, made, name if number == len(lines) else "")
        for part, field in enumerate(line.fields):
            share = (part, len(line.fields))
            dims[field.name] = draft.node("dim_value", (made,), place, share, label=field.name, at=at, origin=origin)
    draft.open.pop()
    draft.plan.rows[name] = made, place
    draft.dims[name] = dims
    return made


def plan_field(draft: Draft, table: str, name: str, at: At, scope: Scope) -> Planning:
    """A field, row by row."""
    before = scope.before and scope.table is not None and scope.table.name == table
    made_before = draft.before if before else draft.plan.fields
    if (table, name) in made_before:
        return made_before[table, name]
    known = _known_fields(draft, table)
    if name not in known:
        return draft.fail(f"there is no field [{name}] in {table}", did_you_mean(name, known), at, scope)
    under_way = (table, name + BEFORE if before else name)
    if under_way in draft.open and CELL in draft.open[draft.open.index(under_way) :]:
        return _feedback(draft, table, name, at)  # cells of one column may need each other, if they do in some order
    for step in (under_way, (table, ROWS)):
        if step in draft.open:
            return _circle(draft, step, (table, name), at, scope)
    draft.open.append(under_way)
    rows = yield from plan_rows(draft, table)
    place = draft.plan.rows[table][1]
    label = reference_text(table, name)
    if table in draft.plan.bound:
        made = draft.node("field", (rows,), place, FieldDetail(table, name), kind="Input", label=label)
    else:
        made = yield from _plan_declared(draft, draft.tables[table], name, rows, place, label, before=before)
    draft.open.pop()
    made_before[table, name] = made
    fed = draft.feedback.pop((table, name), None)
    if fed is not None:
        draft.plan.loops[made] = fed
    return made


def _feedback(draft: Draft, table: str, name: str, at: At) -> int:
    if (table, name) not in draft.feedback:
        rows, place = draft.plan.rows[table]
        line, part = _line_of(draft.tables[table], name)
        detail = FieldDetail(table, name, truths=target_of(line.fields[part]) is not None)
        draft.feedback[table, name] = draft.node(
            "feedback", (rows,), place, detail, label=reference_text(table, name), at=at, origin=(table, name)
        )
    return draft.feedback[table, name]


def _circle(draft: Draft, first: tuple[str, str], last: tuple[str, str], at: At, scope: Scope) -> int:
    """The node that says that what is being planned depends on itself."""
    way = [*draft.open[draft.open.index(first) :], last]
    said = " → ".join(
        step[0] if step[1] == ROWS else reference_text(step[0], step[1].removesuffix(BEFORE))
        for step in way
        if step[1] != APPLIED and step != CELL
    )
    hint = "One of these must not depend on the others."
    return draft.fail(f"this depends on itself: {said}", hint, at, scope)


def _plan_declared(
    draft: Draft, table: Table, name: str, rows: int, place: Place, label: str, *, before: bool
) -> Planning:
    line, part = _line_of(table, name)
    field = line.fields[part]
    inputs = [rows]
    dims = draft.dims.get(table.name, {})
    scope = Scope(table, (table.name, name), before=before)
    if name in dims:
        inputs.append(dims[name])
    elif line.formula is not None:
        inputs.append((yield line.formula, scope, None))
    has_formula = len(inputs) > 1
    override = table.override
    typed = override.columns.index(name) if override is not None and name in override.columns else None
    empty = typed is not None and not has_formula
    by_row = override is not None and ROW_COLUMN in override.columns
    keys = () if override is None or by_row or not dims else _keys(table, override)
    if name in keys or (before and by_row):
        typed = None  # the keys say which row is meant, and change nothing
    matched: int | None = None
    formulas: list[tuple[int, int]] = []
    if typed is not None and override is not None:
        if by_row or keys:
            matched = len(inputs)
            inputs.append((yield from _plan_match(draft, table, override, keys, rows, place, scope)))
        draft.open.append(CELL)
        for number, row in enumerate(override.rows):
            cell = row[typed] if typed < len(row) else None
            if is_formula(cell) and not isinstance(cell, Missing):
                formulas.append((number, len(inputs)))
                inputs.append((yield cell, scope, None))
        draft.open.pop()
    detail = FieldDetail(
        table.name,
        name,
        part if len(line.fields) > 1 and name not in dims else None,
        len(line.fields),
        has_formula,
        typed,
        matched,
        tuple(formulas),
        empty,
        target_of(field) is not None,
    )
    origin = (table.name, name)
    return draft.node("field", tuple(inputs), place, detail, kind="Field", label=label, at=field.at, origin=origin)


def _keys(table: Table, override: Override) -> tuple[str, ...]:
    """The columns of the override that say which row is meant."""
    declared = {field.name for line in table.fields for field in line.fields if field.key}
    return tuple(column for column in override.columns if column in declared or column in override.keys)


def _plan_match(
    draft: Draft, table: Table, override: Override, keys: tuple[str, ...], rows: int, place: Place, scope: Scope
) -> Planning:
    """The node that says which row of the override belongs to each row of the table: by its number among those that
    filter and sort leave, or by its keys."""
    inputs = [rows]
    if not keys and table.apply is not None:
        inputs.append((yield from plan_order(draft, table)))
    for key in keys:
        inputs += [(yield from plan_field(draft, table.name, key, override.at, scope))]
    detail = (table.name, tuple(override.columns.index(key) for key in keys))
    return draft.node("match", tuple(inputs), place, detail, label=table.name, at=override.at, origin=scope.origin)


def plan_order(draft: Draft, table: Table) -> Planning:
    """Which rows of a table are kept, in which order."""
    if table.name in draft.plan.orders:
        return draft.plan.orders[table.name]
    apply = table.apply
    assert apply is not None  # noqa: S101 (asked for only where there is one)
    if (table.name, APPLIED) in draft.open:
        scope = Scope(table, (table.name, "apply"))
        return draft.fail(
            f"what is applied to {table.name} depends on itself",
            "Use [x], the fields of its rows.",
            apply.at,
            scope,
        )
    draft.open.append((table.name, APPLIED))
    inputs = [(yield from plan_rows(draft, table.name))]
    by_row = table.override is not None and ROW_COLUMN in table.override.columns
    scope = Scope(table, (table.name, "apply"), before=by_row)
    if apply.filter is not None:
        inputs.append((yield apply.filter, scope, None))
    keys, down, wrong = sort_keys(apply.sort, "sort", apply.at)
    for key in keys:
        inputs += [(yield key, scope, None)]
    draft.open.pop()
    if wrong is not None:
        return draft.fail(wrong.message, ORDER_HINT, wrong.at, scope)
    detail = (table.name, apply.filter is not None, down)
    made = draft.node(
        "order", tuple(inputs), SHEET, detail, kind="Apply", label=table.name, at=apply.at, origin=scope.origin
    )
    draft.plan.orders[table.name] = made
    return made


def plan_own_order(draft: Draft, name: str, scope: Scope) -> Generator[Need, int, int | None]:
    """In a formula of a table: the order by which its rows are counted. That is after filter and sort, unless these
    look at the formula; None where rows are counted as they are made."""
    own = scope.table is not None and scope.table.name == name and not scope.total and scope.dims is None
    if not own or scope.table is None or scope.table.apply is None:
        return None
    applied = (name, APPLIED)
    if scope.before or applied in draft.open or draft.needs(applied, scope.origin):
        return None
    return (yield from plan_order(draft, scope.table))


def plan_column(draft: Draft, table: str, name: str, at: At, scope: Scope) -> Planning:
    """A whole column. In formulas of the same table it is the column before ``apply``; elsewhere, after it."""
    unknown = _unknown_table(draft, table, at, scope)
    if unknown is not None:
        return unknown
    field = yield from plan_field(draft, table, name, at, scope)
    if draft.plan.nodes[field].op == "failed":
        return field
    inputs, applied = yield from _plan_applied(draft, table, (field,), scope)
    return draft.node(
        "column",
        inputs,
        SHEET,
        (table, name, applied),
        label=reference_text(table, name),
        at=at,
        origin=scope.origin,
    )


def _plan_applied(
    draft: Draft, table: str, inputs: tuple[int, ...], scope: Scope
) -> Generator[Need, int, tuple[tuple[int, ...], bool]]:
    declared = draft.tables.get(table)
    own = scope.table is not None and scope.table.name == table and not scope.total
    if declared is None or declared.apply is None or own:
        return inputs, False
    order = yield from plan_order(draft, declared)
    return (*inputs, order), True


def plan_table(draft: Draft, node: TableName, scope: Scope, wanted: Wanted) -> Planning:
    """A table as a whole, with the fields that are wanted."""
    unknown = _unknown_table(draft, node.name, node.at, scope)
    if unknown is not None:
        return unknown
    if (node.name, ROWS) in draft.open:
        return _circle(draft, (node.name, ROWS), (node.name, ROWS), node.at, scope)
    known = _known_fields(draft, node.name)
    names = tuple(known) if wanted is None else tuple(name for name in known if name in wanted)
    if wanted is None and scope.table is not None and scope.table.name == node.name:
        # Rows of the own table as a value: without what is being computed from them.
        under_way = [step for step in draft.open if step[0] == node.name]
        names = tuple(
            name
            for name in names
            if not any((node.name, name) == step or draft.needs((node.name, name), step) for step in under_way)
        )
    for name in sorted((wanted or frozenset()) - set(known)):
        return draft.fail(f"there is no field [{name}] in {node.name}", did_you_mean(name, known), node.at, scope)
    inputs = [(yield from plan_rows(draft, node.name))]
    for name in names:
        inputs += [(yield from plan_field(draft, node.name, name, node.at, scope))]
    applied_inputs, applied = yield from _plan_applied(draft, node.name, tuple(inputs), scope)
    return draft.node(
        "table",
        applied_inputs,
        SHEET,
        (node.name, names, applied),
        label=node.name,
        at=node.at,
        origin=scope.origin,
    )


def _line_of(table: Table, name: str) -> tuple[Fields, int]:
    for line in table.fields:
        for part, field in enumerate(line.fields):
            if field.name == name:
                return line, part
    raise KeyError(name)
