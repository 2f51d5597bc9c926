"""A sentence as a title, and code that is folded where nothing in it matters."""

from __future__ import annotations

import pytest

from karat.core.case_form import LONGEST_TITLE, CaseForm
from karat.core.presentation.code_views import WHOLE_CODE, Code, CodeLine, Span


def code(count: int, *marked: int) -> Code:
    lines = (CodeLine(n, (Span(f"x = {n}", "wrong" if n in marked else ""),)) for n in range(1, count + 1))
    return Code("Answer", tuple(lines))


@pytest.mark.parametrize(
    ("found", "shown"),
    [
        (code(WHOLE_CODE, 3), [(1, WHOLE_CODE, False)]),
        (code(300, 150), [(1, 146, True), (147, 153, False), (154, 300, True)]),
        (code(300), [(1, 10, False), (11, 290, True), (291, 300, False)]),
        (code(300, *range(1, 301)), [(1, WHOLE_CODE, False), (WHOLE_CODE + 1, 300, True)]),
    ],
    ids=["short", "one mark", "no mark", "all marked"],
)
def test_long_code_shows_what_is_marked_and_folds_the_rest(found: Code, shown: list[tuple[int, int, bool]]) -> None:
    runs = [(run.lines[0].number, run.lines[-1].number, run.folded) for run in found.runs]
    assert runs == shown
    assert tuple(line for run in found.runs for line in run.lines) == found.lines


def test_a_title_is_the_sentence_or_its_first_clauses() -> None:
    assert CaseForm("asked CHL, got PER").headline == "asked CHL, got PER"
    long = CaseForm("the query uses the table a; " + "and then another clause, " * 20).headline
    assert len(long) <= LONGEST_TITLE + 2 and long.endswith("another clause …")
    assert len(CaseForm("w" * 3_000).headline) <= LONGEST_TITLE + 2
