"""Formulas: every table, field and function that is named exists, calls have the right number of arguments, ``$`` is
used only where it has a meaning."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from karat.core.problems import count_of
from karat.sheet.check.dependencies import EVALUATING, is_dim
from karat.sheet.check.findings import Findings
from karat.sheet.check.names import Known, Names, input_of, unknown_table_hint
from karat.sheet.check.retrieval import RETRIEVING, check_retrieval
from karat.sheet.check.sort_keys import ORDER_HINT, sort_keys
from karat.sheet.evaluation_table import decorator, evaluation_tables, read_reference, target_of
from karat.sheet.text.escapes import field_literal
from karat.sheet.text.traversal import is_formula
from karat.sheet.text.tree import (
    TABLE_CALL,
    Array,
    Binary,
    Call,
    Element,
    Expr,
    FieldOf,
    FieldsOf,
    Omitted,
    OwnField,
    Sheet,
    Table,
    TableName,
    Text,
    Unary,
)
from karat.sheet.values import Wrong

QUERYING = frozenset({"FILTER", "SORTBY", "UNIQUEBY", "FIND", "MINBY", "MAXBY"})


_FIELDS_MADE = (
    "Karat's sheets have the fields that are written in them. Compute the table elsewhere and read it with INPUT."
)
_ELSEWHERE = "It is a function of dial-xl. Compute this elsewhere and read it with INPUT."
REFUSED = {
    **dict.fromkeys(("PIVOT", "UNPIVOT", "FIELDS", "PERIODSERIES", "GROUPBY"), _FIELDS_MADE),
    **dict.fromkeys(("EXTRAPOLATE", "PERCENTCHANGE", "DATERANGE", "TOTAL", "ERR"), _ELSEWHERE),
    **dict.fromkeys(("DROPDOWN", "CHECKBOX"), "Nobody chooses here. Write the chosen value instead."),
}
"""Functions of dial-xl that Karat does not have, and what to do without them."""


class Parameter(Protocol):
    """What must be known of a parameter to name it."""

    @property
    def name(self) -> str: ...

    @property
    def optional(self) -> bool: ...

    @property
    def repeated(self) -> bool: ...


class Signature(Protocol):
    """What must be known of a function to check a call. A function may also say ``queries`` (it has ``$``),
    ``form(count)`` (None where it does not take that number of arguments) and ``signature()`` (how it is written)."""

    @property
    def least(self) -> int: ...

    @property
    def most(self) -> int | None: ...


class _Place(NamedTuple):
    """The context of an expression: in which table, and what ``$`` is there."""

    table: Table
    queried: bool = False
    element: Known = None
    dims: frozenset[str] | None = None
    """In the formula of a dim: the dims before it."""
    alternatives: bool = False
    """Whether ``200|400`` may be written here."""


def queries(name: str, known: Signature | None) -> bool:
    """Whether a function computes its later arguments for each element of the first, which is ``$`` there."""
    return bool(getattr(known, "queries", name in QUERYING))


def check_formulas(sheet: Sheet, names: Names, functions: Mapping[str, Signature], findings: Findings) -> None:
    """Every formula of a sheet. A table that is bound from outside is not computed, so its formulas do not count."""
    evaluations = evaluation_tables(sheet)
    for table in sheet.tables:
        if table.name not in names.tables:
            continue
        for formula, place in _places(table):
            if not findings.full:
                _Formula(names, functions, evaluations, findings).check(formula, place)
        if table.apply is not None:
            wrong = sort_keys(table.apply.sort, "sort", table.apply.at).wrong
            if wrong is not None:
                findings.add(wrong.at, wrong.message, ORDER_HINT)


def _places(table: Table) -> Iterator[tuple[Expr, _Place]]:
    dims: frozenset[str] = frozenset()
    for line in table.fields:
        makes_rows = is_dim(line) and decorator(table.decorators, "manual") is None
        if line.formula is not None:
            yield line.formula, _Place(table, dims=dims if makes_rows else None)
        if makes_rows:
            dims |= {field.name for field in line.fields}
    applied = () if table.apply is None else (table.apply.filter, *table.apply.sort)
    under = (line.formula for total in table.totals for line in total.fields)
    typed = () if table.override is None else (cell for row in table.override.rows for cell in row if is_formula(cell))
    yield from ((formula, _Place(table)) for formula in (*applied, *under, *typed) if formula is not None)


class _Formula:
    def __init__(
        self, names: Names, functions: Mapping[str, Signature], evaluations: tuple[Table, ...], findings: Findings
    ) -> None:
        self.names = names
        self.functions = functions
        self.evaluations = evaluations
        self.findings = findings

    def check(self, formula: Expr, place: _Place) -> None:
        """Go through it, with a list of what is still to be looked at: no formula is too deep."""
        waiting = [(formula, place)]
        while waiting and not self.findings.full:
            node, place = waiting.pop()
            match node:
                case Element(of=""):
                    if not place.queried:
                        hint = (
                            "It is the element inside FILTER, SORTBY, UNIQUEBY or FIND. "
                            "A field of the same row is written [x]."
                        )
                        self.findings.add(node.at, "$ cannot be used outside a query", hint)
                case TableName(name=name):
                    self._table(node, name)
                case OwnField(name=name):
                    self._own_field(node, name, place)
                case FieldOf(source=source, name=name):
                    self._fields_of(node, source, (name,), place)
                    waiting.append((source, place))
                case FieldsOf(source=source, names=several):
                    self._fields_of(node, source, several, place)
                    waiting.append((source, place))
                case Call():
                    waiting.extend(reversed(self._call(node, place)))
                case Binary(left=left, right=right):
                    waiting += [(right, place), (left, place)]
                case Unary(operand=operand):
                    waiting.append((operand, place))
                case Array(items=items, alternatives=alternatives, at=at):
                    if alternatives and not place.alternatives:
                        hint = "One of two is OR; an array is written {1, 2}."
                        self.findings.add(at, "several values with | can only be given to CHUNKS", hint)
                    waiting.extend((item, place) for item in reversed(items))
                case _:
                    pass

    def _table(self, node: TableName, name: str) -> None:
        if name in self.names.fields:
            return
        if self.findings.full:
            return
        if name.upper() in self.functions:
            hint = f"{name} is a function: write {name.upper()}()."
        else:
            hint = unknown_table_hint(name, self.names.fields)
        self.findings.add(node.at, f"there is no table {name}", hint)

    def _own_field(self, node: OwnField, name: str, place: _Place) -> None:
        table = place.table
        fields = self.names.fields.get(table.name)
        if fields is not None and name in fields:
            if place.dims is not None and name not in place.dims:
                hint = "A dim makes the rows, so it can only use the dims before it."
                self.findings.add(node.at, f"the formula of a dim cannot use {field_literal(name)}", hint)
            return
        hint = (
            f"A field of the element in question is written ${field_literal(name)}."
            if name in (place.element or ())
            else ""
        )
        message = f"the table {table.name} has no field {field_literal(name)}"
        self.findings.add(node.at, message, hint, unknown=name, known=fields or ())

    def _fields_of(self, node: FieldOf | FieldsOf, source: Expr, wanted: tuple[str, ...], place: _Place) -> None:
        known = self.names.element_of(source, place.table.name, place.element)
        if known is None:
            return
        whose = source.name if isinstance(source, TableName) else "it"
        places = node.places if isinstance(node, FieldsOf) else ()
        for index, name in enumerate(wanted):
            if name not in known:
                at = places[index] if index < len(places) else node.at
                self.findings.add(at, f"{whose} has no field {field_literal(name)}", unknown=name, known=known)

    def _call(self, call: Call, place: _Place) -> list[tuple[Expr, _Place]]:
        """Check a call; what is to be looked at below it."""
        known = self.functions.get(call.name)
        if call.name == TABLE_CALL:
            return [(argument, place) for argument in call.arguments]
        if call.name in REFUSED:
            self.findings.add(call.at, f"{call.name} is not part of Karat's sheets", REFUSED[call.name])
        elif known is None:
            self.findings.add(call.at, f"unknown function {call.name}", unknown=call.name, known=self.functions)
        else:
            self._count(call, known)
        if call.name == "SORTBY" and known is not None:
            behind = [Omitted(call.at)] * call.left_empty
            wrong = sort_keys([*call.arguments[1:], *behind], "SORTBY", call.at).wrong if call.arguments[1:] else None
            if wrong is not None:
                self.findings.add(wrong.at, wrong.message, ORDER_HINT)
        else:
            self._left_empty(call, known)
        if call.name in ("INPUT", "CHUNKS"):
            self._file(call)
        if call.name in RETRIEVING and known is not None:
            check_retrieval(call, known, self.findings)
        if call.name in EVALUATING and known is not None:
            self._evaluating(call)
        # Of an unknown function nothing is known: $ may well be right there.
        if not call.arguments or not (known is None or queries(call.name, known)):
            direct = place._replace(alternatives=call.name == "CHUNKS")
            return [(one, direct if isinstance(one, Array) else place) for one in call.arguments]
        first, *rest = call.arguments
        inside = place._replace(queried=True, element=self.names.element_of(first, place.table.name, place.element))
        return [(first, place), *((argument, inside) for argument in rest)]

    def _file(self, call: Call) -> None:
        """The file that a call names is there and can be read."""
        files = self.names.files
        if files is None or not call.arguments:
            return
        first = call.arguments[0]
        try:
            if call.name == "CHUNKS" and isinstance(first, Text):
                files.documents(first.value)
            elif call.name == "INPUT" and (named := input_of(call)):
                files.read(*named)
        except Wrong as wrong:
            self.findings.add(call.at, wrong.message, wrong.hint)

    def _count(self, call: Call, known: Signature) -> None:
        count, least, most = len(call.arguments), known.least, known.most
        form: Callable[[int], Sequence[Parameter] | None] | None = getattr(known, "form", None)
        if least <= count and (most is None or count <= most) and (form is None or form(count) is not None):
            return
        if most is None:
            wanted = f"at least {count_of(least, 'argument')}"
        else:
            wanted = count_of(least, "argument") if least == most else f"{least} to {count_of(most, 'argument')}"
        dotted = ", including the value before the dot" if call.dotted else ""
        written: Callable[[], Sequence[str]] | None = getattr(known, "signature", None)
        hint = f"Write {' or '.join(written())}." if written is not None else ""
        one_way = count < least and written is not None and len(written()) == 1
        taken = form(least) if form is not None and one_way else None
        missing = f': "{taken[count].name}" is missing' if taken is not None else ""
        self.findings.add(call.at, f"{call.name} takes {wanted}, but was given {count}{dotted}{missing}", hint)

    def _left_empty(self, call: Call, known: Signature | None) -> None:
        form: Callable[[int], Sequence[Parameter] | None] | None = getattr(known, "form", None)
        count = len(call.arguments)
        taken = form(count) if form is not None else None
        empty = [at for at, argument in enumerate(call.arguments) if isinstance(argument, Omitted)]
        wrong = [at for at in empty if taken is None or not taken[at].optional]
        whole = form(count + call.left_empty) if form is not None and taken is not None else None
        if whole is not None and any(one.repeated and not one.optional for one in whole[count:]):
            taken, wrong = whole, [*wrong, count]  # in F(a, ) the second of any number is missing
        for at in wrong:
            which = f'argument "{taken[at].name}"' if taken is not None else f"argument {at + 1}"
            self.findings.add(call.at, f"the {which} of {call.name} is left empty, and has no usual value")

    def _evaluating(self, call: Call) -> None:
        """``Evaluation.EVALUATE_N(T[f])``: the table is an evaluation table, and the field one of those it
        evaluates."""
        table = self.evaluations[0] if len(self.evaluations) == 1 else None
        if len(call.arguments) == 2 and isinstance(call.arguments[0], TableName):
            name = call.arguments[0].name
            table = self.names.tables.get(name)
            if table is None:
                return  # that it is missing is said where it is named
            if decorator(table.decorators, "evaluation") is None:
                self.findings.add(
                    call.arguments[0].at, f"{name} is not an evaluation table", f"Put !evaluation() above table {name}."
                )
                return
        elif len(call.arguments) == 1 and len(self.evaluations) != 1:
            said = "no table is" if not self.evaluations else f"{len(self.evaluations)} tables are"
            hint = (
                f"Choose one: Evaluation.{call.name}(Table[field])."
                if self.evaluations
                else "Put !evaluation() above a table."
            )
            self.findings.add(call.at, f"{call.name} needs an evaluation table, but {said} marked !evaluation()", hint)
        if table is None or not call.arguments:
            return
        match call.arguments[-1]:
            case FieldOf(source=TableName(name=source), name=field, at=at):
                wanted: tuple[str, str] | None = (source, field)
            case Text(value=value, at=at):
                wanted = read_reference(value)
            case _:
                return
        evaluated = {target for line in table.fields for declared in line.fields if (target := target_of(declared))}
        if wanted is None:
            self.findings.add(at, "this text does not name a field", 'Write "Table[field]".')
        elif wanted not in evaluated:
            shown = f"{wanted[0]}{field_literal(wanted[1])}"
            known = [f"{source}{field_literal(field)}" for source, field in evaluated]
            message = f"{table.name} has no truths for {shown}"
            self.findings.add(at, message, unknown=shown, known=known)
