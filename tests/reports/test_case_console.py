"""One case in the terminal: what every suite's evidence looks like, in colour."""

from __future__ import annotations

import io
from typing import Any

import msgspec
import pytest
from rich.console import Console

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult, RunInfo
from karat.core.scores import Score
from karat.reports.cases.case_view import CaseView, case_view
from karat.reports.console.case import print_case
from tests.reports.sample_results import METRICS, case, dimension

RUN = RunInfo("data_query", "r-0002", "nightly", "assistant")


def view(result: CaseResult, target: Any, *predictions: Prediction, run: RunInfo = RUN) -> CaseView:
    stored = {"conversation": [{"role": "user", "content": "How many?", "target": target}]}
    return case_view(run, result, stored, predictions, METRICS)


def shown(
    found: CaseView, against: CaseView | None = None, *, colour: bool = False, width: int = 100, screen: bool = True
) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=screen, color_system="truecolor" if colour else None)
    print_case(found, console, against)
    return out.getvalue()


def test_terms_are_found_missing_or_extra_each_in_its_colour() -> None:
    found = view(case("c", 0.5, 0.5, dimension("COUNTRY", 1, 1, 1)), {"a": 1}, Prediction("c", response=b'{"b": 2}'))
    text = shown(found, colour=True)
    assert "\x1b[32m  = T1 · T 1\x1b[0m" in text
    assert "\x1b[31m  - M1 · M 1\x1b[0m" in text
    assert "\x1b[33m  + W1 · W 1\x1b[0m" in text
    assert "reason         COUNTRY 1 of 2: asked M1, got W1\n" in shown(found)
    assert "expected       a: 1\ngiven          b: 2\n" in shown(found)


ANSWERS = RunInfo("answers", "r-0003")
VERDICT = {"state": "wrong", "reason": "values_differ", "normalised": []}


def answer_details(reason: str, evidence: dict[str, Any]) -> dict[str, Any]:
    verdicts = {"spider2": VERDICT, "strict": VERDICT}
    return {"reason": reason, "evidence": evidence, "flips": False, "functions": ["table_match"], **verdicts}


def test_cells_of_tables_that_differ() -> None:
    rows = [{"gold_row": 3, "gold": ["Swift", "9340"], "pred_row": 3, "pred": ["Swift", "9840"]}]
    evidence = {"gold_size": [3, 2], "pred_size": [3, 2], "shown_columns": ["ship", "litres"], "rows": rows}
    result = msgspec.structs.replace(case("c", 0.0, 0.0), details=answer_details("values_differ", evidence))
    text = shown(view(result, {}, Prediction("c", response=b"y"), run=ANSWERS))
    assert "difference     expected 3 × 2, given 3 × 2 (rows × columns)\n" in text
    assert "               row 3, litres: expected 9340, given 9840\n" in text
    assert "ship: expected" not in text
    assert "reason         values_differ: row 3: Swift | 9340 ≠ Swift | 9840\n" in text


def test_texts_that_are_missing() -> None:
    details = answer_details("wrong_text", {"missing": ["Morning Star"], "given": "The Evening Star"})
    result = msgspec.structs.replace(case("c", 0.0, 0.0), details=details)
    text = shown(view(result, {}, Prediction("c", response=b"The Evening Star"), run=ANSWERS))
    assert "                 - Morning Star\n" in text


def test_a_failed_call_a_missing_answer_and_a_right_one() -> None:
    failed = CaseResult("c", "error", {"macro_recall": Score(None, "error", "down")}, error="down")
    text = shown(view(failed, {}, Prediction("c", error=CallError("http", "down"))))
    assert "given          failed: down\n" in text
    assert "error          down\n" in text
    assert "given          nothing\n" in shown(view(CaseResult("c", "missing", {}, error="no prediction"), {}))
    right = case("c", 1.0, 1.0)
    right = msgspec.structs.replace(right, scores={**right.scores, "macro_f1": Score(1.0, reason="by the way")})
    assert "reason  " not in shown(view(right, {}, Prediction("c", response=b"{}")))


def test_against_another_run_the_scores_that_moved_stand_side_by_side() -> None:
    before = view(case("c", 0.5, 1.0), {}, Prediction("c", response=b"old"), run=RunInfo("data_query", "r-0001"))
    text = shown(view(case("c", 1.0, 1.0), {}, Prediction("c", response=b"new")), before)
    assert "against r-0001  scored\ngiven          old\n" in text
    assert "scores         macro recall        1.000  r-0001    0.500\n" in text


def test_texts_of_models_do_nothing_to_the_terminal_and_long_ones_are_cut() -> None:
    evil = "\x1b[2J[bold]x[/]\u202e" + "\nline" * 90
    text = shown(view(case(evil, 0.0, 0.0), evil, Prediction(evil, response=evil.encode())))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "… 67 more lines; --json has all of them" in text
    assert len(text.splitlines()) < 80


def test_long_texts_wrap_on_a_screen_and_are_whole_elsewhere() -> None:
    words = " ".join(f"word{number}" for number in range(60))
    found = view(case("c", 0.0, 0.0), words, Prediction("c", response=words.encode()))
    wrapped = shown(found, width=80)
    assert "word59" in wrapped and max(map(len, wrapped.splitlines())) <= 80 and "…" not in wrapped
    assert f"given          {words}" in shown(found, width=80, screen=False)


@pytest.mark.parametrize(
    ("target", "given", "expected", "answered"),
    [
        (2010, b"2011", "2010", "2011"),
        (12.5, b"12.50", "12.5", "12.50"),
        (True, b"null", "true", "null"),
        ("2010", b"In 2011.", "2010", "In 2011."),
        (["a"], b'["b"]', "- a", "- b"),
    ],
)
def test_a_single_value_is_shown_as_it_is(target: object, given: bytes, expected: str, answered: str) -> None:
    text = shown(view(case("c", 0.0, 0.0), target, Prediction("c", response=given)))
    assert f"expected       {expected}\ngiven          {answered}\n" in text
