"""The cases as the page carries them: what the table shows of each, and of its details as much as there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite

from karat.core.json_types import JsonObject
from karat.core.metric import Metric
from karat.core.presentation.case_explanation import why_not_right
from karat.core.report import Cell, Column, Report, Sheet, Table
from karat.core.results.result import CaseResult, CaseReview, RepeatResult
from karat.core.results.verdicts import settled
from karat.reports.html.text import cell_words, cut, embedded_size, fitting, readable
from karat.reports.sections.reviews import verdict_words, when

MOST_CASES = 5_000
LIST_ROOM = 900_000
"""Bytes that the rows of the table may take; the texts in them are cut until they do."""
CASES_ROOM = 1_400_000
"""Bytes for rows and details together."""
MOST_OF_A_CASE = 20_000
MOST_REPEATS = 20
LENGTHS = (1_000, 300, 120, 50)
"""Characters of a text in a row: the first of these with which all rows fit."""

KNOWN_COLUMNS = frozenset(
    {"id", "case", "task", "instance", "question id", "name", "tags", "question", "status", "error"}
)


def case_records(
    cases: Sequence[CaseResult],
    metrics: Sequence[Metric],
    overview: Table | None,
    reviews: Sequence[CaseReview] = (),
    suite: str = "",
) -> JsonObject:
    """The cases with their figures, reasons, reviews and details: ``{"cases": […], "reasons": […]}``. With its suite,
    each also has what is wrong with it, as the viewer's list says it."""
    listed, reasons = _listed(cases[:MOST_CASES], metrics, settled(reviews), suite)
    left = CASES_ROOM - embedded_size(listed) - embedded_size(reasons)
    extra = _extra_columns(overview, metrics) if overview else ()
    for index, record in enumerate(listed):
        room = min(MOST_OF_A_CASE, max(left, 0) // (len(listed) - index))
        facts = _facts(overview.rows[index], extra, room) if overview else []
        left -= _add_details(record, cases[index], facts, room)
    return {"cases": listed, "reasons": reasons}


def overview_table(report: Report, cases: Sequence[CaseResult]) -> tuple[Sheet, Table] | None:
    """The sheet with one row per case, in the order of the cases: its columns say in words what the details hold."""
    for sheet in report.sheets:
        if len(sheet.tables) == 1 and len(sheet.tables[0].rows) == len(cases):
            rows = sheet.tables[0].rows
            if sheet.title == "Overview" and all(row[0] == case.id for row, case in zip(rows, cases, strict=True)):
                return sheet, sheet.tables[0]
    return None


def _listed(
    cases: Sequence[CaseResult], metrics: Sequence[Metric], reviews: Mapping[str, CaseReview], suite: str
) -> tuple[list[JsonObject], list[str]]:
    records: list[JsonObject] = []
    reasons: dict[str, int] = {}
    headlines = [_headline(suite, case) for case in cases]
    for longest in LENGTHS:
        reasons = {}
        records = [_row(case, metrics, reasons, longest) for case in cases]
        for case, record, said in zip(cases, records, headlines, strict=True):
            if said:
                record["said"] = reasons.setdefault(cut(said, longest), len(reasons))
            if case.id in reviews:
                record["review"] = _review(reviews[case.id], longest)
        if embedded_size(records) + embedded_size(list(reasons)) <= LIST_ROOM:
            return records, list(reasons)
    while records and embedded_size(records) > LIST_ROOM:
        records = records[: len(records) * 3 // 4]
    return records, list(reasons) if embedded_size(list(reasons)) <= LIST_ROOM // 2 else []


def _headline(suite: str, case: CaseResult) -> str:
    """What is wrong with a scored answer."""
    if not suite or case.status != "scored":
        return ""
    found = why_not_right(suite, case)
    return "" if found.outcome == "right" else found.headline


def _row(case: CaseResult, metrics: Sequence[Metric], reasons: dict[str, int], longest: int) -> JsonObject:
    record: JsonObject = {"id": cut(case.id, longest), "status": case.status}
    texts = {"name": case.name if case.name != case.id else "", "question": case.question, "error": case.error}
    record |= {key: cut(text, longest) for key, text in texts.items() if text}
    if case.tags:
        record["tags"] = [cut(tag, longest // 4) for tag in case.tags[:20]]
    scores = [case.scores.get(metric.name) for metric in metrics]
    record["values"] = [_rounded(score.value) if score else None for score in scores]
    said = {index: score.reason for index, score in enumerate(scores) if score is not None and score.reason}
    if said:
        record["why"] = {
            str(index): reasons.setdefault(cut(text, longest), len(reasons)) for index, text in said.items()
        }
    return record


def _review(review: CaseReview, longest: int) -> dict[str, str]:
    """A person's verdict in words, with who, why and when as far as they are known."""
    said = {"verdict": verdict_words(review.verdict), "who": review.reviewer, "why": review.comment}
    said["when"] = when(review.created)
    return {key: cut(text, longest) for key, text in said.items() if text}


def _rounded(value: float | None) -> float | None:
    return None if value is None or not isfinite(value) else float(f"{value:.6g}")


# -- details ----------------------------------------------------------------------------------------------------------


def _extra_columns(table: Table, metrics: Sequence[Metric]) -> tuple[tuple[int, Column], ...]:
    """The columns that say something the row of the case does not."""
    titles = KNOWN_COLUMNS | {metric.title for metric in metrics} | {metric.name for metric in metrics}
    return tuple((index, column) for index, column in enumerate(table.columns) if column.title not in titles)


def _facts(row: Sequence[Cell], extra: Sequence[tuple[int, Column]], room: int) -> list[tuple[str, str]]:
    """What the suite's own columns say of a case, as far as it fits."""
    said = [(readable(column.title), cell_words(row[at], column, room // 4)) for at, column in extra]
    facts = [fact for fact in said if fact[1] not in ("", "n/a")]
    return facts if embedded_size(facts) <= room * 2 // 3 else []


def _add_details(record: JsonObject, case: CaseResult, facts: list[tuple[str, str]], room: int) -> int:
    """Put in what there is room for; the bytes it took."""
    spent = 0
    if facts:
        record["facts"] = facts
        spent = embedded_size(facts)
    whole: JsonObject = dict(case.details)
    if case.repeats:
        whole["repeats"] = [_repeat(repeat) for repeat in case.repeats[:MOST_REPEATS]]
    if whole:
        kept, gone = fitting(whole, room - spent)
        if kept is not None:
            record["details"] = kept
            spent += embedded_size(kept)
        if gone:
            record["cut"] = True
    return spent


def _repeat(repeat: RepeatResult) -> JsonObject:
    scores = {name: score.value for name, score in repeat.scores.items()}
    return {"status": repeat.status, "scores": scores} | ({"error": repeat.error} if repeat.error else {})
