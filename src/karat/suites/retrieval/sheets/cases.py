"""Cases from a sheet: each question of its evaluation table, with the truths of each evaluation field.

A sheet in a project must be complete: its tables come from ``INPUT`` or ``override``. A sheet without an evaluation
table has no cases, which is not an error; every mistake in its text is a problem. The id of a case is made of the
question's words, so that it stays when rows move.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path

from karat.core.case_files.loaded import LoadedCases
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, UserError
from karat.core.records import Case, Turn, Where
from karat.search.choose.tune import TuneField
from karat.search.chunks.chunk import Document
from karat.search.chunks.rank import chunks_in, documents_of
from karat.search.chunks.spans import read_span
from karat.sheet import FUNCTIONS, EvaluationTable, Sheet, check_sheet, evaluation_of
from karat.sheet.check.findings import Findings
from karat.sheet.compute.resources import Resources, read_bound
from karat.sheet.evaluation_table import evaluation_fields, evaluation_tables, the_evaluation_table
from karat.suites.retrieval.formats.lines import shown_name
from karat.suites.retrieval.records import Span, Truths
from karat.suites.retrieval.sheets.findings import check_questions
from karat.suites.retrieval.sheets.parse import parse_once

LONGEST_ID = 60


def load_sheet(path: Path, tables: Mapping[str, Path] | None = None) -> LoadedCases:
    """The questions of a sheet, or what is wrong with it. ``tables``: the files of those that it does not define."""
    file = shown_name(path)
    try:
        data = read_bytes(path)
        sheet = parse_once(data, file)
        known = {name: tuple(table.columns) for name, table in read_bound(tables or {}).items()}
        resources = Resources(path.parent)
        problems = check_sheet(sheet, file, FUNCTIONS, known, resources)
        if any(problem.severity == "error" for problem in problems) or not evaluation_tables(sheet):
            return LoadedCases((), tuple(problems), 1)
        found = evaluation_of(sheet, folder=path.parent, tables=tables, file=file, resources=resources)
        findings = Findings(file)
        check_questions(sheet, found, data, findings)
    except UserError as error:
        own = error.problems or (Problem(error.message, file=file, hint=error.hint),)
        return LoadedCases((), own, 1)
    told = sorted((*problems, *findings.problems), key=lambda problem: (problem.line, problem.column))
    return LoadedCases(cases_of(found, file, question_lines(sheet)), tuple(told), 1)


def question_lines(sheet: Sheet) -> dict[str, int]:
    """The line on which each question is typed in; of equal questions the first. Questions that a formula makes have
    none."""
    table = the_evaluation_table(sheet)
    override, column = table.override, evaluation_fields(table).question
    if override is None or column not in override.columns:
        return {}
    place = override.columns.index(column)
    rows = zip(override.rows, override.lines, strict=True)
    return {str(row[place]): line for row, line in reversed(list(rows)) if len(row) > place}


def cases_of(
    table: EvaluationTable, file: str = "", lines: Mapping[str, int] | None = None
) -> tuple[Case[Truths], ...]:
    """One case for each question, in the table's order. ``lines`` gives the line of each question in the file, where it
    is known."""
    cases = []
    documents = {field.field: documents_of(chunks_in(field.values)) for field in table.fields}
    for place, (name, question) in enumerate(zip(ids_of(table.questions), table.questions, strict=True)):
        truths = {field.field: dict.fromkeys(field.truths[place], 1) for field in table.fields}
        spans = {field.field: own for field in table.fields if (own := _spans(field, documents[field.field], place))}
        turn = Turn(role="user", content=question, target=Truths(truths, spans))
        cases.append(Case(name, (turn,), source=Where(file, item=place, line=(lines or {}).get(question, 0))))
    return tuple(cases)


def _spans(field: TuneField, documents: Mapping[str, Document], place: int) -> dict[str, Span]:
    """What the truths of one question mean, where the values are chunks of these documents."""
    if not documents:
        return {}
    cover = max(chunk.cutting.cover for chunk in chunks_in(field.values))
    found = {written: read_span(written, documents) for written in field.truths[place]}
    return {written: Span(one.document, one.start, one.end, float(cover)) for written, one in found.items()}


def ids_of(questions: Sequence[str]) -> list[str]:
    """An id for each question: its words, and a number where an earlier one has the same."""
    found: dict[str, int] = {}
    names = []
    for question in questions:
        plain = unicodedata.normalize("NFKC", question).casefold()
        name = re.sub(r"[^\w]+", "_", plain).strip("_")[:LONGEST_ID].rstrip("_") or "question"
        found[name] = found.get(name, 0) + 1
        names.append(name if found[name] == 1 else f"{name}_{found[name]}")
    return names
