"""The head of the HTML report by hand: the sentence, the bars by tag, the groups."""

from __future__ import annotations

import pytest

import karat
from karat.core.plugins import load_suite
from karat.reports.html.where_it_fails import MOST_TAGS, answer_sentence, where_it_fails

METRICS = load_suite("retrieval").metrics


def test_the_sentence_the_bars_and_the_groups() -> None:
    cases = [{"id": f"q{n}", "question": "?", "relevant": ["a"], "tags": ["x"]} for n in range(4)]
    cases += [{"id": f"t{n}", "question": "?", "relevant": ["a"], "tags": [f"t{n:02}"]} for n in range(12)]
    answers = [{"id": case["id"], "results": ["a" if case["id"] not in ("q0", "q1", "q2") else "b"]} for case in cases]
    result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    found = where_it_fails(result, METRICS)
    first = found.bars[0]
    assert (first.tag, first.wrong_cases, first.scored, first.silent_cases) == ("x", 3, 4, 0)
    assert (first.right, first.wrong, first.silent) == (25, 75, 0)
    assert first.ends == pytest.approx((4.56, 69.94), abs=0.01)  # Wilson, 1 of 4
    assert len(found.bars) == MOST_TAGS and found.more_tags == 3
    assert found.words == "3 cases not right, each in one group"
    assert sum(row.cases for row in found.groups) == 3 and not any(row.link for row in found.groups)


def test_whether_a_tag_fails() -> None:
    cases = [{"id": f"q{n}", "question": "?", "relevant": ["a"], "tags": ["x"] if n else []} for n in range(3)]
    answers = [{"id": "q0", "results": ["b"]}, *({"id": f"q{n}", "results": ["a"]} for n in (1, 2))]
    untagged = where_it_fails(karat.score(suite="retrieval", cases=cases, predictions=answers), METRICS)
    assert untagged.bars and not untagged.any and untagged.groups, "the case that fails has no tag"
    tagged = where_it_fails(karat.score(suite="retrieval", cases=cases, predictions=answers[:2]), METRICS)
    assert tagged.any, "a case with a tag has no answer"


def test_the_sentence_names_the_first_rate() -> None:
    cases = [{"id": f"q{n}", "question": "?", "relevant": ["a"]} for n in range(3)]
    answers = [{"id": f"q{n}", "results": ["a" if n else "b"]} for n in range(3)]
    result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    rates = [metric for metric in METRICS if metric.headline and metric.kind == "rate"]
    expected = f"retrieval: 2 of 3 {rates[0].title}" if rates else ""
    assert answer_sentence(result, METRICS) == expected
    assert answer_sentence(result, ()) == ""
