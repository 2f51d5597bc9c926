"""An evaluated sheet: its tables as they show, and what went wrong while they were computed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from karat.core.json_types import JsonObject
from karat.core.problems import Problem, count_of
from karat.sheet.evaluation_table import EvaluationTable, reference_text
from karat.sheet.passed_column import passed_problem
from karat.sheet.values import Failure, Row, TableValue, Value, plain

if TYPE_CHECKING:
    from karat.search.choose.choice import Choice
    from karat.sheet.compute.computation import Computation


@dataclass(frozen=True)
class EvaluatedTable:
    """The columns of a table after what is applied to its rows, and its totals."""

    name: str
    columns: Mapping[str, Sequence[Value]]
    totals: tuple[Mapping[str, Value], ...] = ()
    count: int = 0

    def rows(self) -> Iterator[tuple[Value, ...]]:
        """Row by row."""
        return zip(*self.columns.values(), strict=True)

    def shown_columns(self) -> list[str]:
        """Those that hold values to look at: not those whose cells are whole rows or tables, from which other fields
        are taken."""
        return [name for name, cells in self.columns.items() if not _holds_rows(cells)]


def _holds_rows(cells: Sequence[Value]) -> bool:
    kinds = set(map(type, cells))
    return bool(kinds) and kinds <= {Row, TableValue}


@dataclass(frozen=True)
class Workbook:
    """All that came of a sheet."""

    tables: tuple[EvaluatedTable, ...]
    problems: tuple[Problem, ...] = ()
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """Evaluation table → the n and model chosen for its fields."""

    def table(self, name: str) -> EvaluatedTable:
        return next(table for table in self.tables if table.name == name)

    def column(self, table: str, field: str) -> Sequence[Value]:
        return self.table(table).columns[field]

    def plain(self) -> JsonObject:
        """As JSON has it: NA is null, an array a list, a failed cell ``{"error": …}``."""
        tables = []
        for table in self.tables:
            rows = [{name: plain(cell) for name, cell in zip(table.columns, row, strict=True)} for row in table.rows()]
            totals = [{name: plain(value) for name, value in total.items()} for total in table.totals]
            tables.append({"name": table.name, "columns": list(table.columns), "rows": rows, "totals": totals})
        problems = [{"message": one.message, "place": one.place, "hint": one.hint} for one in self.problems]
        return {"tables": tables, "problems": problems}


def make_workbook(computation: Computation, only: Collection[str], file: str) -> Workbook:
    """What a finished computation shows."""
    plan = computation.plan
    names = [name for name in computation.tables if name not in plan.bound] + list(plan.bound)
    tables = tuple(_table(computation, name) for name in names if not only or name in only)
    choices = {
        node.label: value
        for node, value in zip(plan.nodes, computation.values, strict=True)
        if node.op == "evaluation" and not isinstance(value, Failure)
    }
    problems = [*_problems(computation, file), *_passed_differs(computation, tables, choices, file)]
    return Workbook(tables, tuple(sorted(problems, key=lambda one: (one.line, one.column))), choices)


def _passed_differs(
    computation: Computation, tables: Sequence[EvaluatedTable], choices: Mapping[str, Choice], file: str
) -> Iterator[Problem]:
    """Evaluation tables whose own count of passed questions is not that of the choice."""
    for table in tables:
        if table.name in choices and table.name in computation.tables:
            questions = computation.values[computation.plan.questions[table.name]]
            if isinstance(questions, EvaluationTable):
                own, choice = computation.tables[table.name], choices[table.name]
                problem = passed_problem(own, table.columns, questions.questions, choice, file)
                if problem is not None:
                    yield problem


def _table(computation: Computation, name: str) -> EvaluatedTable:
    plan = computation.plan
    count = computation.count(plan.rows[name][1]) if name in plan.rows else 0
    order = computation.values[plan.orders[name]] if name in plan.orders else None
    columns: dict[str, Sequence[Value]] = {}
    for (table, field_name), id in plan.fields.items():
        if table == name:
            cells = computation.values[id]
            if isinstance(order, Failure):  # nobody knows which of the rows are meant
                columns[field_name] = [order] * len(cells)
            else:
                columns[field_name] = cells if order is None else [cells[at] for at in order]
    declared = computation.tables.get(name)
    if name not in plan.bound and declared is not None:
        wanted = [one.name for line in declared.fields for one in line.fields]
        columns = {one: columns[one] for one in wanted if one in columns}
    totals: dict[int, dict[str, Value]] = {}
    for (table, number, field_name), id in plan.totals.items():
        if table == name:
            totals.setdefault(number, {})[field_name] = computation.values[id]
    if order is not None and not isinstance(order, Failure):
        count = len(order)
    return EvaluatedTable(name, columns, tuple(totals.values()), count)


# -- what went wrong
# ----------------------------------------------------------------------------------------------------


def _problems(computation: Computation, file: str) -> list[Problem]:
    """Each mistake once, where it began: what depends on a failed cell fails too, and is not listed again."""
    found: dict[tuple[int, int, str], tuple[Failure, str, int, int]] = {}
    plan = computation.plan

    def add(failure: Failure, where: str, row: int, count: int) -> None:
        key = (failure.at.line, failure.at.column, "" if failure.at.line else failure.message)
        found.setdefault(key, (failure, where, row, count))

    for maker, _ in plan.rows.values():
        failure = computation.frames[maker].failure
        if failure is not None:
            add(failure, reference_text(*failure.origin), 0, 1)
    cells: list[tuple[tuple[str, str], Sequence[Value]]] = [
        ((table, name), computation.values[id]) for (table, name), id in plan.fields.items()
    ]
    for home in (True, False):
        for origin, column in cells:
            failed = [(at, cell) for at, cell in enumerate(column) if isinstance(cell, Failure)]
            rows: dict[tuple[int, int], list[int]] = {}
            for at, cell in failed:
                rows.setdefault((cell.at.line, cell.at.column), []).append(at)
            for at, cell in failed:
                if not home or cell.origin == origin:
                    own = rows[cell.at.line, cell.at.column]
                    if own[0] == at:
                        add(cell, reference_text(*cell.origin) if cell.origin[1] else "", at + 1, len(own))
    for id in (*plan.orders.values(), *plan.totals.values()):
        value = computation.values[id]
        if isinstance(value, Failure):
            add(value, " ".join(value.origin), 0, 1)
    problems = [_problem(*one, file) for one in found.values()]
    problems += [
        Problem(
            message,
            file,
            line,
            1,
            hint="It is ignored. A row of an override applies to the table row with the same key or number, or at the "
            "same position.",
            severity="warning",
        )
        for _, line, message in dict.fromkeys(one for found in computation.unmatched.values() for one in found)
    ]
    return sorted(problems, key=lambda problem: (problem.line, problem.column))


def _problem(failure: Failure, where: str, row: int, count: int, file: str) -> Problem:
    place = where
    if row and count > 1:
        place = f"{where}, row {row} and {count_of(count - 1, 'more row')}"
    elif row:
        place = f"{where}, row {row}"
    message = f"{place}: {failure.message}" if place else failure.message
    at = failure.at
    return Problem(message, file, at.line, at.column, at.width, failure.hint)
