"""Computing tables: their rows, their fields row by row, their columns as a whole, and the choice for an evaluation
table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from karat.core.problems import count_of
from karat.sheet.compute.broadcast import APPLIED
from karat.sheet.compute.computation import MOST_AT_ONCE, Computation, Frames
from karat.sheet.compute.formulas import part_of
from karat.sheet.evaluation_table import EvaluationTable, gather
from karat.sheet.functions.arrays import first_failure, sorted_positions
from karat.sheet.plan.nodes import SHEET, FieldDetail, Node, Place
from karat.sheet.scalars import read_number
from karat.sheet.text.tree import ROW_COLUMN, Missing, Override, Typed
from karat.sheet.truths import truth_cell
from karat.sheet.values import (
    NA,
    Array,
    Failure,
    Row,
    TableValue,
    Value,
    Wrong,
    described,
    elements,
    key_of,
    shown,
    truth,
)


def rows(c: Computation, node: Node) -> None:
    """The rows of a table without dims."""
    c.frames[node.id] = Frames(node.detail[1])


def dim(c: Computation, node: Node) -> None:
    """One row for each element, inside each row of the dims before."""
    outer = [c.values[node.inputs[0]]] if node.place is SHEET else c.lifted(node.inputs[0], node.place)
    before = None if node.place is SHEET else c.frames[node.place.maker].failure
    failed = before or first_failure(outer)
    up: list[int] = []
    values: list[Value] = []
    for at, one in enumerate(outer if failed is None else ()):
        found = [] if one is NA else elements(one) if isinstance(one, Array | TableValue) else [one]
        if len(values) + len(found) > MOST_AT_ONCE:
            failed = Failure(f"{node.detail[0]} would have more than {MOST_AT_ONCE:,} rows", "", node.at, node.origin)
            break
        up += [at] * len(found)
        values += found
    if failed is not None:
        up, values = [], []
    c.frames[node.id] = Frames(len(values), None if node.place is SHEET else up, values, failed)


def dim_value(c: Computation, node: Node) -> Sequence[Value]:
    """The dim's element in its row."""
    values = c.frames[node.inputs[0]].values
    part, parts = node.detail
    if parts == 1:
        return values
    return [c.tried(node, lambda one: part_of(one, part, parts, shared=False), value) for value in values]


def row_number(c: Computation, node: Node) -> Sequence[Value]:
    """ROW(): after what is applied to the table, where that is known; a row that is left out has none."""
    count = c.frames[node.inputs[0]].count
    if len(node.inputs) == 1:
        return range(1, count + 1)
    order = c.values[node.inputs[1]]
    if isinstance(order, Failure):
        return [order] * count
    numbers: list[Value] = [NA] * count
    for number, row in enumerate(order, start=1):
        numbers[row] = number
    return numbers


def match(c: Computation, node: Node) -> Sequence[int | None]:
    """For each row the number of the override's row that belongs to it."""
    name, keys = node.detail
    override = c.tables[name].override
    assert override is not None  # noqa: S101 (the node is made only where there is one)
    count = c.frames[node.inputs[0]].count
    if not keys:
        return _match_by_number(c, node, override, count)
    columns = [c.lifted(id, node.place) for id in node.inputs[1:]]
    found: dict[object, list[int]] = {}
    for row, cells in enumerate(zip(*columns, strict=True)):
        found.setdefault(tuple(map(same_key, cells)), []).append(row)
    matched: list[int | None] = [None] * count
    unmatched = c.unmatched[node.id] = []
    for number, typed in enumerate(override.rows):
        key = tuple(_key_cell(typed[at]) for at in keys)
        rows = found.get(tuple(map(same_key, key)), [])
        if not rows:
            line = override.lines[number] if number < len(override.lines) else 0
            unmatched.append((name, line, f"{name} has no row with the key {', '.join(map(shown, key))}"))
        for row in rows:
            matched[row] = number
    return matched


def _match_by_number(c: Computation, node: Node, override: Override, count: int) -> Sequence[int | None]:
    """Rows by their number, among those that filter and sort leave."""
    order: Value = c.values[node.inputs[1]] if len(node.inputs) > 1 else range(count)
    if isinstance(order, Failure):
        order = range(count)
    at = override.columns.index(ROW_COLUMN)
    unmatched = c.unmatched[node.id] = []
    matched: list[int | None] = [None] * count
    for number, typed in enumerate(override.rows):
        wanted = typed[at]
        whole = isinstance(wanted, int) or (isinstance(wanted, float) and wanted.is_integer())
        if whole and isinstance(wanted, int | float) and 1 <= wanted <= len(order):
            matched[order[int(wanted) - 1]] = number
            continue
        line = override.lines[number] if number < len(override.lines) else 0
        table = node.detail[0]
        said = (
            f"{table} has no row {wanted}" if whole else f"a row of {table} is meant by its number, not by {wanted!r}"
        )
        unmatched.append((table, line, said))
    return matched


def _key_cell(cell: Typed) -> Value:
    return NA if cell is None or isinstance(cell, Missing) else cell


def field(c: Computation, node: Node) -> Sequence[Value]:
    """The cells of a field."""
    detail: FieldDetail = node.detail
    frames = c.frames[node.inputs[0]]
    if detail.table in c.plan.bound:
        return c.plan.bound[detail.table].columns[detail.field]
    cells: Sequence[Value] = ["" if detail.empty else NA] * frames.count
    if detail.has_formula:
        cells = _filled(c, node, node.inputs[1], detail)
    if detail.typed is not None:
        cells = _overridden(c, node, list(cells), detail)
    if detail.truths:
        cells = [c.tried(node, truth_cell, cell) for cell in cells]
    return cells


def _filled(c: Computation, node: Node, id: int, detail: FieldDetail) -> Sequence[Value]:
    """The cells of a formula: row by row, also where it gave a column of the own table; else the same in every row."""
    value = c.values[id]
    if not c.constant(id):
        cells = c.lifted(id, node.place)
    elif isinstance(value, Array) and value.layout == detail.table:
        cells = value.items
    else:
        cells = [value] * c.frames[node.place.maker].count
    if detail.part is None:
        return cells
    part = detail.part
    return [c.tried(node, lambda one: part_of(one, part, detail.parts, shared=True), cell) for cell in cells]


def _overridden(c: Computation, node: Node, cells: list[Value], detail: FieldDetail) -> list[Value]:
    override = c.tables[detail.table].override
    assert override is not None  # noqa: S101 (the plan says there is one)
    assert detail.typed is not None  # noqa: S101 (as above)
    matched = detail.matched
    numbers: Sequence[int | None] = range(len(override.rows)) if matched is None else c.values[node.inputs[matched]]
    computed = dict(detail.formulas)
    if matched is None and len(override.rows) > len(cells):
        line = override.lines[len(cells)] if len(cells) < len(override.lines) else 0
        said = f"{detail.table} has only {count_of(len(cells), 'row')} to override"
        c.unmatched[node.id] = [(detail.table, line, said)]
    for row, number in zip(range(len(cells)), numbers, strict=False):
        typed = None if number is None else override.rows[number][detail.typed]
        if typed is None or number is None:
            continue
        if isinstance(typed, Missing):
            cells[row] = NA
        elif number in computed:
            id = node.inputs[computed[number]]
            value = c.values[id]
            cells[row] = value if c.constant(id) else c.lifted(id, node.place)[row]
        else:
            cells[row] = typed
    return cells


def find(c: Computation, node: Node) -> object:
    """The row with these keys, or of this number; NA where there is none."""
    keys, ordered = node.detail
    inputs = node.inputs[:-1] if ordered else node.inputs
    order: Value = c.values[node.inputs[-1]] if ordered else None
    if isinstance(order, Failure):
        return order if node.place is SHEET else [order] * c.count(node.place)
    numbers = None if order is None else {row: number for number, row in enumerate(order, start=1)}
    known: dict[int, dict[object, int]] = {}

    def found(table: Value, given: Sequence[Value]) -> Value:
        failed = first_failure((table, *given))
        if failed is not None:
            return failed
        if table is NA or not isinstance(table, TableValue) or any(one is NA for one in given):
            return NA
        try:
            if id(table) not in known:
                known[id(table)] = _row_index(table, keys, numbers)
            at = _row_with(known[id(table)], given, node)
        except Wrong as wrong:
            return Failure(wrong.message, wrong.hint, node.at, node.origin)
        return NA if at is None else Row(table, at)

    if node.place is SHEET:
        return found(c.values[inputs[0]], [c.values[one] for one in inputs[1:]])
    table, *given = (c.lifted(one, node.place) for one in inputs)
    return [found(one, keys) for one, keys in zip(table, zip(*given, strict=True), strict=True)]


SEVERAL = -1


def _row_with(index: dict[object, int], given: Sequence[Value], node: Node) -> int | None:
    several = next((one for one in given if isinstance(one, Array | TableValue)), None)
    if several is not None:
        raise Wrong(f"a key of {node.label} is a text or a number, but was {described(several)}")
    at = index.get(tuple(map(same_key, given)))
    if at == SEVERAL:
        said = f"{node.label} has several rows with the key {', '.join(map(shown, given))}"
        raise Wrong(said, "A key must be different in every row; a condition such as FIND($[x] = 1) takes the first.")
    return at


def _row_index(table: TableValue, keys: tuple[str, ...], numbers: Mapping[int, int] | None) -> dict[object, int]:
    """The place of each row, by its keys or its number; ``numbers`` are those of the rows that filter and sort leave,
    where they are not counted as they are."""
    if not keys and numbers is not None:
        return {(numbers[row],): at for at in range(table.length) if (row := table.row(at)) in numbers}
    if not keys:
        return {(table.row(at) + 1,): at for at in range(table.length)}
    index: dict[object, int] = {}
    for at, cells in enumerate(zip(*(table.column(key) for key in keys), strict=True)):
        several = next((one for one in cells if isinstance(one, Array | TableValue)), None)
        if several is not None:
            raise Wrong(f"a key is a text or a number, but was {described(several)}")
        if NA not in cells:
            key = tuple(map(same_key, cells))
            index[key] = SEVERAL if key in index else at
    return index


def same_key(value: Value) -> object:
    """Equal for two keys that mean the same row: ``"2"``, ``2`` and ``2.0`` do."""
    number = read_number(value) if isinstance(value, str) and value else None
    return key_of(value) if number is None else number


def order(c: Computation, node: Node) -> object:
    """Which rows of a table are kept, in which order."""
    name, filtered, flags = node.detail
    place = c.plan.rows[name][1]
    rows: Sequence[int] = range(c.frames[place.maker].count)
    columns = [_row_by_row(c, id, place, name) for id in node.inputs[1:]]
    for column in columns:
        failed = first_failure(column)
        if failed is not None:
            return failed
    try:
        if filtered:
            rows = [at for at in rows if columns[0][at] is not NA and truth(columns[0][at], "filter")]
        keys = [[column[at] for at in rows] for column in columns[1 if filtered else 0 :]]
        return sorted_positions(rows, keys, flags)
    except Wrong as wrong:
        return Failure(wrong.message, wrong.hint, node.at, node.origin)


def _row_by_row(c: Computation, id: int, place: Place, table: str) -> Sequence[Value]:
    value = c.values[id]
    if c.constant(id) and isinstance(value, Array) and value.layout == table:
        return value.items
    return c.lifted(id, place)


def column(c: Computation, node: Node) -> Value:
    """A field as a whole."""
    table, _, applied = node.detail
    failure = c.frames[c.plan.rows[table][1].maker].failure
    if failure is not None:
        return failure
    field = c.plan.nodes[node.inputs[0]]
    least = 2 if field.detail.truths else 1
    cells = c.values[field.id]
    if not applied:
        return Array(cells, table, least)
    order = c.values[node.inputs[1]]
    return order if isinstance(order, Failure) else Array([cells[at] for at in order], table + APPLIED, least)


def table(c: Computation, node: Node) -> Value:
    """A table as a whole."""
    table, names, applied = node.detail
    frames = c.frames[c.plan.rows[table][1].maker]
    if frames.failure is not None:
        return frames.failure
    columns = {name: c.values[id] for name, id in zip(names, node.inputs[1:], strict=False)}
    failed = next((one for one in columns.values() if isinstance(one, Failure)), None)
    if failed is not None:
        return failed
    if not applied:
        return TableValue(columns, frames.count, table)
    order = c.values[node.inputs[-1]]
    if isinstance(order, Failure):
        return order
    taken: dict[str, Sequence[Value]] = {name: [cells[at] for at in order] for name, cells in columns.items()}
    return TableValue(taken, len(order), table + APPLIED)


def questions(c: Computation, node: Node) -> Value | EvaluationTable:
    """An evaluation table with the values that are searched; where there is one input more, it says which rows are
    questions."""
    count = len(node.detail.truths)
    columns = [c.values[id] for id in node.inputs[: 1 + 2 * count]]
    kept = c.values[node.inputs[-1]] if len(node.inputs) > len(columns) else None
    if isinstance(kept, Failure):
        return kept
    failed = next((one for one in columns if isinstance(one, Failure)), None)
    failed = failed or next((one.failure for one in columns if one.failure is not None), None)
    if failed is not None:
        return failed
    items = [column.items for column in columns]
    asked = items[: 1 + count] if kept is None else [[own[at] for at in kept] for own in items[: 1 + count]]
    try:
        return gather(node.detail, asked[0], asked[1:], items[1 + count :])
    except Wrong as wrong:
        return Failure(wrong.message, wrong.hint, node.at, node.origin)


def evaluation(c: Computation, node: Node) -> object:
    """The choice of n and model for all fields of an evaluation table."""
    questions = c.values[node.inputs[0]]
    if isinstance(questions, Failure):
        return questions
    try:
        return c.resources.choose(questions)
    except Wrong as wrong:
        return Failure(wrong.message, wrong.hint, node.at, node.origin)


def choice(c: Computation, node: Node) -> Value:
    """n or model of one field."""
    which, field = node.detail
    choice = c.values[node.inputs[0]]
    if isinstance(choice, Failure):
        return choice
    pick = next(pick for pick in choice.picks if pick.field == field)
    if which == "EVALUATE_N":
        return pick.n
    return NA if pick.model is None else pick.model
