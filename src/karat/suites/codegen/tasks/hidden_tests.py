"""The entries of a task's ``tests``, read from its file, with everything that can be found wrong without running code.

    tests:
      - {assert: "abs(result['North'] - 19) < 1e-9"}
      - {tables: {sales: other.csv}, expected: {value: 9}}        # or reference: true
      - {property: sorted, by: qty, ascending: false}
      - {relation: scaled, column: qty, factor: 8, result: times}

An entry is one of four kinds, and has only the keys of its kind, and ``public: true`` if a system may see it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from karat.core.problems import UserError, did_you_mean
from karat.core.yaml.structs import Findings, Raw, reader_for
from karat.suites.codegen.records import Expected, HiddenTest, Property, Relation, TableSource
from karat.suites.codegen.tasks.assert_code import assert_problem, where_problem
from karat.suites.codegen.tasks.expected import read_expected
from karat.suites.codegen.tasks.literal_values import value_of
from karat.suites.codegen.tasks.schemas import head
from karat.suites.codegen.tasks.table_values import read_table

KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "assert": ((), ("tables",)),
    "tables": ((), ("expected", "reference")),
    "sorted": ((), ("tables", "by", "column", "ascending")),
    "unique": ((), ("tables", "column")),
    "rows": ((), ("tables", "value", "min", "max")),
    "columns": (("names",), ("tables",)),
    "no_nulls": ((), ("tables", "column")),
    "range": ((), ("tables", "column", "min", "max")),
    "sums_to": ((), ("tables", "column", "value", "of")),
    "subset_of": ((), ("tables", "column", "values", "of")),
    "relation row_order": ((), ()),
    "relation columns": ((), ()),
    "relation irrelevant_rows": (("where",), ()),
    "relation duplicated": (("result",), ()),
    "relation scaled": (("column", "result"), ("factor",)),
    "relation nulls": ((), ("column",)),
}
"""The required and the other keys of each kind of entry."""
ONE_OF = {
    "tables": ("expected", "reference"),
    "rows": ("value", "min", "max"),
    "range": ("min", "max"),
    "sums_to": ("value", "of"),
    "subset_of": ("values", "of"),
}
"""Where an entry needs at least one of these."""
KINDS = ("assert", "property", "relation")
LARGEST_FACTOR = 1024.0


class TestEntry(msgspec.Struct, frozen=True, rename={"assertion": "assert"}):
    """An entry as it is in a file."""

    __test__ = False  # no class of tests, whatever pytest makes of the name

    assertion: str | None = None
    property: Property | None = None
    relation: Relation | None = None
    tables: dict[str, Raw] = {}
    expected: Raw | None = None
    reference: bool = False
    by: Raw | None = None
    column: Raw | None = None
    ascending: bool = True
    names: tuple[str, ...] = ()
    value: Raw | None = None
    values: Raw | None = None
    of: str = ""
    min: Raw | None = None
    max: Raw | None = None
    factor: float = 2.0
    result: Raw | None = None
    where: str = ""
    public: bool = False

    def __post_init__(self) -> None:
        if not 0 < abs(self.factor) <= LARGEST_FACTOR or self.factor == 1:
            raise ValueError(f"factor must be a number other than 0 and 1, at most {LARGEST_FACTOR:g}")


class Context(msgspec.Struct, frozen=True):
    """What an entry may refer to: the folder of its file, the task's tables, its right result, whether there is a
    reference."""

    folder: Path
    tables: Mapping[str, TableSource]
    expected: Expected | None
    reference: bool


_read_entry = reader_for(TestEntry)


def read_test(node: Node, about: Context, findings: Findings) -> HiddenTest | None:
    """One entry; None when there was a mistake, which is in the findings then."""
    before = len(findings.problems)
    entry = _read_entry(node, findings)
    if not isinstance(entry, TestEntry) or not isinstance(node, MappingNode):
        return None
    given = {str(key.value): value for key, value in node.value}
    kind = _kind(node, given, findings)
    if kind is None or not _fits(kind, node, given, findings):
        return None
    tables = {name: read_table(raw.node, about.folder, findings) for name, raw in entry.tables.items()}
    _check_tables(node, given, tables, about, findings)
    expected = None if entry.expected is None else read_expected(entry.expected.node, about.folder, findings)
    test = HiddenTest(
        entry.assertion or "",
        entry.property,
        entry.relation,
        {name: table for name, table in tables.items() if table is not None},
        expected,
        entry.reference,
        column=_names(entry.by or entry.column, findings),
        ascending=entry.ascending,
        names=entry.names,
        value=_value(entry.value),
        values=tuple(_list(entry.values, findings)),
        of=entry.of,
        min=_value(entry.min),
        max=_value(entry.max),
        factor=entry.factor,
        result=_change(entry.result, findings),
        where=entry.where,
        public=entry.public,
        line=node.start_mark.line + 1,
    )
    if len(findings.problems) == before:
        _check_contents(given, test, about, findings)
    return test if len(findings.problems) == before else None


def _kind(node: Node, given: Mapping[str, Node], findings: Findings) -> str | None:
    """``assert``, ``tables``, the property's name, or ``relation`` and its name."""
    stated = [name for name in (*KINDS, "expected", "reference") if name in given]
    if "expected" in stated and "reference" in stated:
        stated.remove("reference")
    if len(stated) != 1:
        found = f"this one has {' and '.join(stated)}" if stated else "this one has none of them"
        findings.add(
            node, f"a test is an assert, a property, a relation, or tables with expected or reference; {found}"
        )
        return None
    kind = stated[0]
    if kind in ("expected", "reference"):
        if "tables" not in given:
            hint = "The right result on the task's own tables belongs to the task, not to a test."
            findings.add(node, f'a test with "{kind}" needs "tables"', hint)
            return None
        return "tables"
    word = str(given[kind].value)
    return {"assert": "assert", "property": word}.get(kind, f"relation {word}")


def _fits(kind: str, node: Node, given: Mapping[str, Node], findings: Findings) -> bool:
    required, optional = KEYS[kind]
    own = (
        {"public"}
        | set(KINDS) & set(given)
        | set(required)
        | set(optional)
        | ({"tables"} if kind == "tables" else set())
    )
    before = len(findings.problems)
    for key, value in given.items():
        if key not in own:
            others = ", ".join(sorted(own - set(KINDS))) or "none"
            findings.add(value, f'the test "{kind}" has no key "{key}"', f"Its other keys: {others}.")
    for key in required:
        if key not in given:
            findings.add(node, f'the test "{kind}" needs "{key}"')
    choice = ONE_OF.get(kind, ())
    if choice and not set(choice) & set(given):
        findings.add(node, f'the test "{kind}" needs {" or ".join(choice)}')
    if {"by", "column"} <= set(given):
        findings.add(given["column"], '"by" and "column" say the same here', "Keep one of the two.")
    return len(findings.problems) == before


def _check_tables(
    node: Node,
    given: Mapping[str, Node],
    tables: Mapping[str, TableSource | None],
    about: Context,
    findings: Findings,
) -> None:
    """Each table of an entry takes the place of one of the task's, so it must have its columns."""
    for name, table in tables.items():
        place = given.get("tables", node)
        if name not in about.tables:
            findings.add(place, f'the task has no table "{name}"', did_you_mean(name, about.tables))
        elif table is not None:
            there = columns_of(table)
            missing = [column for column in columns_of(about.tables[name]) if column not in there]
            if missing:
                message = f'the table "{name}" of this test has no column "{missing[0]}"'
                findings.add(place, message, did_you_mean(missing[0], there))


def _check_contents(given: Mapping[str, Node], test: HiddenTest, about: Context, findings: Findings) -> None:
    """Code that is no Python, columns that are not there, a reference that is not there."""
    by_table = {name: columns_of(table) for name, table in about.tables.items()}
    known = list(dict.fromkeys(column for columns in by_table.values() for column in columns))
    if test.expected is not None and test.expected.files is not None:
        findings.add(given["expected"], "files cannot be what a test expects", "Write a value, table or file.")
    if test.expected is not None and test.expected.named is not None:
        findings.add(given["expected"], "named figures cannot be what a test expects", "Write a value, table or file.")
    if test.reference and not about.reference:
        findings.add(given["reference"], "the task has no reference that could say what is right on these tables")
    if "assert" in given:
        message, hint = assert_problem(test.assertion, by_table)
        if message:
            findings.add(given["assert"], message, hint)
    if test.where:
        message, hint = where_problem(test.where, list(by_table.values()))
        if message:
            findings.add(given["where"], message, hint)
    if test.of and not split_column(test.of, by_table):
        pairs = [f"{name}.{column}" for name, columns in by_table.items() for column in columns]
        findings.add(given["of"], f'there is no column "{test.of}" in the tables', did_you_mean(test.of, pairs))
    choices = known if test.relation else _result_columns(about.expected)
    for column in (*test.column, *test.names):
        if choices and column not in choices:
            where = given.get("by") or given.get("column") or given["names"]
            what = "the tables" if test.relation else "the expected result"
            findings.add(where, f'there is no column "{column}" in {what}', did_you_mean(column, choices))


def split_column(text: str, tables: Mapping[str, object]) -> tuple[str, str] | None:
    """``sales.qty`` as the table and its column, both of which may contain dots; None when there is no such column."""
    for name in sorted(tables, key=len, reverse=True):
        columns = tables[name]
        column = text.removeprefix(f"{name}.")
        if column != text and isinstance(columns, tuple | list | Mapping) and column in columns:
            return name, column
    return None


def columns_of(table: TableSource) -> tuple[str, ...]:
    """The names of a table's columns; none when it cannot be read, which is found elsewhere."""
    try:
        return tuple(column.name for column in head(table))
    except UserError:
        return ()


def _result_columns(expected: Expected | None) -> tuple[str, ...]:
    """The columns that the right result has, as far as the file says."""
    if expected is None:
        return ()
    if expected.table is not None:
        return tuple(expected.table)
    return columns_of(TableSource(path=expected.file)) if expected.file else ()


# -- single values ----------------------------------------------------------------------------------------------------


def _value(raw: Raw | None) -> object:
    return None if raw is None else value_of(raw.node)


def _names(raw: Raw | None, findings: Findings) -> tuple[str, ...]:
    """One name or a list of them."""
    if raw is None:
        return ()
    node = raw.node
    parts = node.value if isinstance(node, SequenceNode) else [node]
    if not parts or not all(isinstance(part, ScalarNode) for part in parts):
        findings.add(node, "expected the name of a column here, or a list of names")
        return ()
    return tuple(str(part.value) for part in parts)


def _list(raw: Raw | None, findings: Findings) -> list[object]:
    found = _value(raw)
    if raw is not None and not isinstance(found, list):
        findings.add(raw.node, "expected a list of values here")
    return found if isinstance(found, list) else []


def _change(raw: Raw | None, findings: Findings) -> object:
    """``same``, ``times``, or a mapping of columns to these."""
    if raw is None:
        return "same"
    found = value_of(raw.node)
    words = list(found.values()) if isinstance(found, dict) else [found]
    wrong = [word for word in words if word not in ("same", "times")]
    if wrong or not words:
        hint = did_you_mean(str(wrong[0]), ("same", "times")) if wrong else ""
        findings.add(raw.node, "expected same, times, or one of the two for each column of the result", hint)
    return found
