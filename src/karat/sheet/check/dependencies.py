"""What must be known before what. Dependencies are between fields, not tables.

- ``[x]`` and ``T[x]`` need one field. A query needs the fields it looks at: ``T.FILTER($[a] > 1)[b]`` needs a and b. A
  table as a whole needs all.
- Every field needs the rows of its table, and the rows need the formulas of the ``dim`` fields. Seen from another
  table, a field also needs what is applied to its table.
- ``EVALUATE_N`` and ``EVALUATE_MODEL`` read the question and the truths of the evaluation table, and the values that
  are searched. They read nothing else of it, so they can be used in that same table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from karat.sheet.check.names import Names
from karat.sheet.check.requirements import Wanted, both, element_fields, uses_element
from karat.sheet.check.row_context import rows_of
from karat.sheet.evaluation_table import decorator, evaluation_tables, read_reference, target_of
from karat.sheet.text.traversal import children
from karat.sheet.text.tree import (
    TABLE_CALL,
    Call,
    Element,
    Expr,
    Field,
    FieldOf,
    Fields,
    FieldsOf,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
)

EVALUATING = frozenset({"EVALUATE_N", "EVALUATE_MODEL"})
"""These name a field to ask about it; they do not read that table."""

PASS_ON = frozenset({"FIRST", "LAST", "SINGLE", "INDEX", "IF", "IFNA"})
"""Of a table they need only the fields that are asked of them."""

ROWS = "\0rows"
"""In place of a field: which rows a table has."""

APPLIED = "\0applied"
"""In place of a field: what is applied to the rows of a table."""

FILTERED = "\0filtered"
"""In place of a field: which rows of a table its filter keeps."""

ALL = "\0all"
"""In place of a field: all fields of a table."""

Node = tuple[str, str]
"""A table and a field of it."""

Graph = dict[Node, list[Node]]


def dependencies(sheet: Sheet, names: Names, is_query: Callable[[str], bool]) -> Graph:
    """For each field, what must be known before it."""
    evaluations = evaluation_tables(sheet)
    graph: Graph = {}
    for table in names.tables.values():
        reader = _Reader(table, names, evaluations, is_query)
        manual = decorator(table.decorators, "manual") is not None
        dims = [] if manual else [line for line in table.fields if is_dim(line)]
        graph[table.name, ALL] = [(table.name, field.name) for line in table.fields for field in line.fields]
        graph[table.name, ROWS] = [need for line in dims for need in reader.needs(line.formula, in_dim=True)]
        graph[table.name, APPLIED] = [(table.name, ROWS)]
        if table.apply is not None:
            graph[table.name, FILTERED] = list(reader.needs(table.apply.filter))
            for formula in (table.apply.filter, *table.apply.sort):
                graph[table.name, APPLIED] += reader.needs(formula)
        for line in table.fields:
            needs = [] if is_dim(line) and not manual else list(reader.needs(line.formula))
            for field in line.fields:
                graph.setdefault((table.name, field.name), [(table.name, ROWS)]).extend(needs)
    return {node: [other for other in dict.fromkeys(others) if other in graph] for node, others in graph.items()}


def is_dim(line: Fields) -> bool:
    """Whether the line makes rows."""
    return any(field.dim for field in line.fields)


class _Reader:
    """Reads the formulas of one table."""

    def __init__(self, own: Table, names: Names, evaluations: Sequence[Table], is_query: Callable[[str], bool]) -> None:
        self.own = own
        self.names = names
        self.evaluations = evaluations
        self.is_query = is_query

    def needs(self, formula: Expr | None, *, in_dim: bool = False) -> Iterator[Node]:
        """What a formula needs. In a dim, ``[x]`` is a dim before it."""
        waiting: list[tuple[Expr, Wanted]] = [] if formula is None else [(formula, None)]
        while waiting:
            node, wanted = waiting.pop()
            match node:
                case OwnField(name=name):
                    if not in_dim:
                        yield self.own.name, name
                case TableName(name=table):
                    yield from self._columns(table, wanted)
                case FieldOf(source=Element()):
                    pass
                case FieldOf(source=source, name=name):
                    waiting.append((source, frozenset((name,))))
                    table = "" if isinstance(source, TableName) else rows_of(source, self.own.name, self.names)
                    if table in self.names.tables:
                        yield table, name
                case FieldsOf(source=source, names=several):
                    waiting.append((source, frozenset(several)))
                case Call(name=name) if name in EVALUATING:
                    yield from self._evaluated(node)
                case Call(name=name, arguments=(source, *bodies)) if self.is_query(name):
                    looked_at = self._looked_at(name, source, bodies)
                    waiting.append((source, both(wanted, looked_at)))
                    table = rows_of(source, self.own.name, self.names)
                    if table in self.names.tables:  # also where all fields are wanted, which the own table has none of
                        yield from ((table, field) for field in sorted(looked_at or ()))
                    waiting.extend((body, None) for body in bodies)
                case Call(name=name, arguments=(source, *keys)) if name == TABLE_CALL:
                    waiting.append((source, both(wanted, self._looked_at("FIND", source, keys))))
                    waiting.extend((key, None) for key in keys)
                case Call(name=name, arguments=arguments):
                    asked = wanted if name in PASS_ON else frozenset() if name == "COUNT" else None
                    waiting.extend((argument, asked) for argument in arguments)
                case _:
                    waiting.extend((child, None) for child in children(node))

    def _columns(self, table: str, wanted: Wanted) -> Iterator[Node]:
        # Rows of the own table as a value: its other fields are looked up when they are asked for.
        own = table == self.own.name
        yield from ((table, field) for field in ((() if own else (ALL,)) if wanted is None else sorted(wanted)))
        yield table, ROWS if own else APPLIED

    def _looked_at(self, name: str, source: Expr, bodies: Sequence[Expr]) -> Wanted:
        """The fields of each element that a query looks at."""
        if name == "FIND" and not any(uses_element(body, self.is_query) for body in bodies):
            table = self.names.tables.get(source.name) if isinstance(source, TableName) else None
            return None if table is None else frozenset(field.name for field in _fields(table) if field.key)
        looked: Wanted = frozenset()
        for body in bodies:
            looked = both(looked, element_fields(body, self.is_query, rows_of(source, self.own.name, self.names)))
        return looked

    def _evaluated(self, call: Call) -> Iterator[Node]:
        """What choosing n and model reads: all questions and truths, and the values that are searched."""
        table = self.evaluations[0] if len(self.evaluations) == 1 else None
        if len(call.arguments) == 2 and isinstance(call.arguments[0], TableName):
            table = self.names.tables.get(call.arguments[0].name)
        for field in () if table is None else _fields(table):
            target = target_of(field)
            if table is not None and (target or decorator(field.decorators, "evaluation_question")):
                yield table.name, field.name
            if target:
                yield from self._columns(target[0], frozenset((target[1],)))
        match call.arguments[-1:]:
            case (FieldOf(source=TableName(name=source), name=name),):
                yield from self._columns(source, frozenset((name,)))
            case (Text(value=value),):
                named = read_reference(value)
                if named:
                    yield from self._columns(named[0], frozenset((named[1],)))
            case _:
                pass


def _fields(table: Table) -> Iterator[Field]:
    return (field for line in table.fields for field in line.fields)
