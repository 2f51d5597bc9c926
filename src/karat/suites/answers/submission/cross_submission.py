"""When several systems give the same answer and gold refuses it, it may be gold that is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.explanation import plain_details
from karat.core.results.result import CaseResult, RunResult
from karat.suites.answers.details import details_of
from karat.suites.answers.records import Answer
from karat.suites.answers.strict.tables import table_match
from karat.tables.values.cells import folded


def with_suspects(result: RunResult, own: Mapping[str, Answer], others: Sequence[Mapping[str, Answer]]) -> RunResult:
    """The result with gold marked ``suspect`` wherever another submission gives the very answer that gold refuses."""
    return msgspec.structs.replace(result, cases=tuple(_looked_at(case, own, others) for case in result.cases))


def _looked_at(case: CaseResult, own: Mapping[str, Answer], others: Sequence[Mapping[str, Answer]]) -> CaseResult:
    answer = own.get(case.id)
    details = details_of(case)
    if answer is None or details is None or details.strict.state != "wrong":
        return case
    agreeing = sum(case.id in other and same_answer(answer, other[case.id]) for other in others)
    if not agreeing:
        return case
    problem = f"{agreeing + 1} of {len(others) + 1} submissions give the same answer, which gold rejects"
    marked = msgspec.structs.replace(details, gold_status="suspect", gold_problem=problem)
    return msgspec.structs.replace(case, details=plain_details(marked))


def same_answer(left: Answer, right: Answer) -> bool:
    """Whether two answers say the same: texts without case and space, tables by the strict comparison, in either
    direction."""
    if left.problem or right.problem or left.kind != right.kind:
        return False
    if left.kind in ("answer", "sql"):
        return bool(left.text.strip()) and folded(left.text) == folded(right.text)
    if len(left.paths) != len(right.paths) or not all(
        Path(path).suffix == ".csv" for path in (*left.paths, *right.paths)
    ):
        return False
    return all(
        table_match(b, a, ignore_order=True) or table_match(a, b, ignore_order=True)
        for a, b in zip(left.paths, right.paths, strict=True)
    )
