"""Cases with what is expected, as files that other people and tools read: CSV, Excel, a promptfoo configuration; of a
run also answers and scores.

What is written here reads back with ``karat import``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.json_types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from karat.core.records import AnyCase, Prediction
    from karat.core.results.result import CaseResult, RunResult
    from karat.core.suite import Suite

Format = Literal["csv", "xlsx", "promptfoo"]
FIRST = ("id", "question", "tables", "expected", "reference", "answer", "error", "status", "tags")


def rows_of(
    suite: Suite, cases: Sequence[AnyCase], predictions: Sequence[Prediction] = (), result: RunResult | None = None
) -> list[JsonObject]:
    """A row for each scored turn: what is asked and expected there, and the first answer to it.

    Of a case with several scored turns every row has an id of its own, and the scores, which are those of the whole
    case, are in the first.
    """
    from karat.core.case_files.import_rows import unique
    from karat.core.problems import UserError
    from karat.core.records import default_turn

    if suite.export_row is None:
        raise UserError(f"the suite {suite.name} does not support exporting cases")
    try:
        options = msgspec.convert(result.run.options if result else {}, suite.options)
    except msgspec.ValidationError as error:
        raise UserError(
            f"the stored options of {result.run.id if result else suite.name} cannot be read: {error}"
        ) from error
    given = {(one.case_id, one.turn): one for one in reversed(predictions) if not one.repeat}
    scored = {one.id: one for one in result.cases} if result else {}
    taken = {case.id for case in cases}
    rows = []
    for case in cases:
        asked = [message.content for message in case.conversation if message.role == "user"]
        turns = case.scored_turns or (default_turn(case),)
        for turn in turns:
            answer = given.get((case.id, turn))
            if answer is None and turn == default_turn(case):
                answer = given.get((case.id, None))
            row: JsonObject = {
                "id": case.id if len(turns) == 1 else unique(f"{case.id}-turn-{turn + 1}", taken),
                "question": asked[turn] if turn < len(asked) else case.question,
                **suite.export_row(case, turn, answer, options),
            }
            if answer is not None and answer.error is not None:
                row["error"] = answer.error.message
            if case.tags:
                row["tags"] = "; ".join(case.tags)
            if (found := scored.get(case.id)) is not None and turn == turns[0]:
                row |= _figures(found, only_turn=len(turns) == 1)
            rows.append(row)
    return rows


def _figures(found: CaseResult, *, only_turn: bool) -> JsonObject:
    """The state and the scores of a case; and why it is an error, where that is said of its only turn and try."""
    row: JsonObject = {"status": found.status}
    if found.status == "error" and only_turn and not found.repeats:
        row["error"] = found.error
    return row | {f"score {name}": score.value for name, score in found.scores.items() if score.value is not None}


def columns_of(rows: Sequence[JsonMapping]) -> list[str]:
    """The columns that hold something: the usual ones first."""
    there = list(dict.fromkeys(name for row in rows for name in row))
    return [*(name for name in FIRST if name in there), *(name for name in there if name not in FIRST)]


def as_cell(value: object) -> object:
    """A text or a number; anything else as JSON."""
    if value is None or (isinstance(value, str | int | float) and not isinstance(value, bool)):
        return value
    return msgspec.json.encode(value).decode()


def as_workbook(rows: Sequence[JsonMapping]) -> bytes:
    """An Excel file of one sheet with a heading; a cell is a text or a number, never a formula."""
    import io

    import xlsxwriter

    from karat.core.problems import UserError
    from karat.core.report import CELL_LIMIT, utf16_length

    settings = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    columns = columns_of(rows)
    data = io.BytesIO()
    with xlsxwriter.Workbook(data, settings) as book:
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
                        raise UserError(f'{name} of the case "{row["id"]}" is too long for an Excel cell', hint=hint)
                    sheet.write_string(number, place, cell)
                elif cell is not None:
                    sheet.write_number(number, place, cell)
    return data.getvalue()


def as_promptfoo(rows: Sequence[JsonMapping]) -> bytes:
    """A configuration with one test for each case. The provider is for the reader to fill in."""
    import yaml

    tests = []
    for row in rows:
        test: JsonObject = {"description": row["id"], "vars": {"question": row["question"]}}
        if "tables" in row:
            test["vars"]["tables"] = as_cell(row["tables"])
        if (expected := row.get("expected", row.get("reference"))) is not None:
            kind = "contains" if isinstance(expected, str | int | float) else "equals"
            test["assert"] = [{"type": kind, "value": expected}]
        tests.append(test)
    config = {"prompts": ["{{question}}"], "providers": ["echo"], "tests": tests}
    return yaml.dump(config, Dumper=yaml.CSafeDumper, allow_unicode=True, sort_keys=False, width=10_000).encode()
