"""Cases with what is expected, as files that other people and tools read: CSV, Excel, a promptfoo configuration; of a run also answers and scores.

What is written here reads back with ``karat import``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

if TYPE_CHECKING:
    from karat.core.records import Case, Prediction
    from karat.core.result import RunResult
    from karat.core.suite import Suite

Format = Literal["csv", "xlsx", "promptfoo"]
FIRST = ("id", "question", "tables", "expected", "reference", "answer", "error", "status", "tags")


def rows_of(
    suite: Suite, cases: Sequence[Case[Any]], predictions: Sequence[Prediction] = (), result: RunResult | None = None
) -> list[dict[str, Any]]:
    """A row for each case: its first scored turn, what is expected, the first answer to it, and its scores."""
    from karat.core.problems import UserError
    from karat.core.records import default_turn

    if suite.export_row is None:
        raise UserError(f"the cases of the suite {suite.name} cannot be exported")
    given = {(one.case_id, one.turn): one for one in reversed(predictions) if not one.repeat}
    scored = {one.id: one for one in result.cases} if result else {}
    rows = []
    for case in cases:
        answer = given.get((case.id, default_turn(case))) or given.get((case.id, None))
        row: dict[str, Any] = {"id": case.id, "question": case.question, **suite.export_row(case, answer)}
        if answer is not None and answer.error is not None:
            row["error"] = answer.error.message
        if case.tags:
            row["tags"] = "; ".join(case.tags)
        if (found := scored.get(case.id)) is not None:
            row["status"] = found.status
            row |= {f"score {name}": score.value for name, score in found.scores.items() if score.value is not None}
        rows.append(row)
    return rows


def columns_of(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns that hold something: the usual ones first."""
    there = list(dict.fromkeys(name for row in rows for name in row))
    return [*(name for name in FIRST if name in there), *(name for name in there if name not in FIRST)]


def as_cell(value: Any) -> Any:
    """A text or a number; anything else as JSON."""
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return value
    return msgspec.json.encode(value).decode()


def write_workbook(rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """One sheet with a heading; a cell is a text or a number, never a formula."""
    from karat.core.atomic import write_atomically

    write_atomically(path, lambda part: _workbook(rows, part))


def _workbook(rows: Sequence[Mapping[str, Any]], part: Path) -> None:
    import xlsxwriter

    from karat.core.problems import UserError
    from karat.core.report import CELL_LIMIT, utf16_length

    settings = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    columns = columns_of(rows)
    with xlsxwriter.Workbook(str(part), settings) as book:
        sheet = book.add_worksheet("Cases")
        bold, wrapped = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
        sheet.write_row(0, 0, columns, bold)
        sheet.freeze_panes(1, 0)
        sheet.set_column(0, max(len(columns) - 1, 0), 24, wrapped)
        for number, row in enumerate(rows, start=1):
            for place, name in enumerate(columns):
                cell = as_cell(row.get(name))
                if isinstance(cell, str):
                    if utf16_length(cell) > CELL_LIMIT:
                        hint = "Export it as CSV, which has no such limit."
                        raise UserError(f'{name} of the case "{row["id"]}" is longer than a cell of Excel', hint=hint)
                    sheet.write_string(number, place, cell)
                elif cell is not None:
                    sheet.write_number(number, place, cell)


def as_promptfoo(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """A configuration with one test for each case. The provider is for the reader to fill in."""
    import yaml

    tests = []
    for row in rows:
        test: dict[str, Any] = {"description": row["id"], "vars": {"question": row["question"]}}
        if "tables" in row:
            test["vars"]["tables"] = as_cell(row["tables"])
        if (expected := row.get("expected", row.get("reference"))) is not None:
            kind = "contains" if isinstance(expected, str | int | float) else "equals"
            test["assert"] = [{"type": kind, "value": expected}]
        tests.append(test)
    config = {"prompts": ["{{question}}"], "providers": ["echo"], "tests": tests}
    return yaml.dump(config, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=10_000).encode()
