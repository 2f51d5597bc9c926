"""Failures of a case, and the groups that cases are put into by them."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest

from karat.core.explanation import Explanation, Failure, Part
from karat.core.replies.reply import with_beginning
from karat.core.results.columns.word_lists import WordListsBuilder
from karat.core.results.failures.failure_columns import FailureColumns, from_words, make_failures
from karat.core.results.failures.failure_groups import SINGLE, FailureGroups, group_failures
from karat.core.results.failures.failures import failures_of
from karat.core.results.result import CaseResult, RepeatResult

MEX = "COUNTRY wrong: asked MEX, got USA"


def labels(explanation: Explanation) -> list[tuple[str, str]]:
    return [(one.label, one.family) for one in failures_of(explanation)]


def columns(*cases: list[str]) -> FailureColumns:
    """Each case with its labels; the family is what comes before the colon."""
    builder = WordListsBuilder()
    for case in cases:
        builder.add(("wrong", label, label.split(":")[0]) for label in case)
    return from_words(builder.built())


def shown(found: FailureGroups) -> list[tuple[str, int]]:
    return [(group.label, group.cases) for group in found.groups]


# -- the failures of one case -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "label", "family"),
    [
        (Part("COUNTRY", missing=("MEX",), extra=("USA",)), MEX, "COUNTRY wrong"),
        (Part("COUNTRY", ("PER",), missing=("MEX",)), "COUNTRY missing: MEX", "COUNTRY missing"),
        (Part("COUNTRY", extra=("WLD",)), "COUNTRY extra: WLD", "COUNTRY extra"),
        (Part("A", missing=("y", "x"), extra=("z",)), "A wrong: asked x, y, got z", "A wrong"),
        (Part("A", missing=("a  b\n c",)), "A missing: a b c", "A missing"),
        (Part("A", missing=("1", "2", "3", "4")), "A missing", "A missing"),
        (Part("A", missing=("v" * 200,)), "A missing", "A missing"),
    ],
)
def test_a_part_says_what_was_asked_and_what_was_given(part: Part, label: str, family: str) -> None:
    assert labels(Explanation(outcome="wrong", reason="r", parts=(Part("B", ("ok",)), part))) == [(label, family)]


def test_responses_without_an_answer_are_one_family_however_they_begin() -> None:
    reasons = (with_beginning("no SQL in the response", text) for text in ("Sorry.", "There are three."))
    found = [labels(Explanation(outcome="error", reason=reason)) for reason in reasons]
    assert found[0] != found[1]
    assert {family for ((_, family),) in found} == {"error: no SQL in the response."}


def test_the_reason_counts_where_no_part_is_wrong() -> None:
    assert labels(Explanation(outcome="wrong", reason="rows_scrambled", headline="rows_scrambled: row 3")) == [
        ("rows_scrambled", "rows_scrambled")
    ]
    assert labels(Explanation(outcome="wrong")) == [("wrong", "wrong")]


def test_a_suite_can_name_its_failures_itself() -> None:
    own = (Failure("missing GROUP BY"), Failure("missing GROUP BY"), Failure("LIMIT differs: 5", "LIMIT differs"))
    parts = (Part("grouping", missing=("x",)),)
    assert labels(Explanation(outcome="wrong", parts=parts, failures=own)) == [
        ("missing GROUP BY", "missing GROUP BY"),
        ("LIMIT differs: 5", "LIMIT differs"),
    ]


def test_right_cases_have_none_and_others_say_what_they_are() -> None:
    part = (Part("A", extra=("x",)),)
    assert labels(Explanation(outcome="right", parts=part)) == []
    assert labels(Explanation(outcome="not_applicable", reason="no gold")) == []
    assert labels(Explanation(outcome="needs_review", reason="unclear")) == [("needs review: unclear",) * 2]
    assert labels(Explanation(outcome="missing", reason="no prediction")) == [("no answer: no prediction",) * 2]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("timeout after 30.2 s", "timeout after 31 s"),
        ("HTTP 500: request 8f3a9c01-77aa is lost", "HTTP 500: request 0b1c22de-13ff is lost"),
        ("no such table: 'a'\nat line 3", "no such table: 'b'\nat line 9"),
        ("unexpected “x” at 3:14", "unexpected “y” at 4:1"),
    ],
)
def test_messages_that_differ_in_numbers_ids_and_quotations_are_of_one_family(one: str, other: str) -> None:
    first, second = (failures_of(Explanation(outcome="error", reason=text))[0] for text in (one, other))
    assert first.label != second.label and first.label.startswith("error: ")
    assert first.family == second.family and "\n" not in first.family


def test_the_failures_of_all_tries_count() -> None:
    tries = tuple(RepeatResult("error", {}, error=text) for text in ("down", "slow", "down"))
    found = make_failures("no such suite", [CaseResult("a", "error", {}, repeats=tries), CaseResult("b", "scored", {})])
    assert found.starts.tolist() == [0, 2, 2]
    assert [found.word_of(entry)[1] for entry in range(2)] == ["error: down", "error: slow"]


def test_a_half_character_is_kept_as_a_visible_escape() -> None:
    assert failures_of(Explanation(outcome="error", reason="bad \ud800"))[0].label == "error: bad \\ud800"


# -- groups -----------------------------------------------------------------------------------------------------------


def test_equal_labels_are_a_group_and_the_largest_comes_first() -> None:
    found = group_failures(columns([MEX], ["rows_scrambled"], [MEX], [], [MEX], ["rows_scrambled"]))
    assert shown(found) == [(MEX, 3), ("rows_scrambled", 2)]
    assert found.failing == 5
    assert (found.groups[0].head, found.groups[0].detail) == ("COUNTRY wrong", "asked MEX, got USA")
    assert (found.groups[1].head, found.groups[1].detail) == ("rows_scrambled", "")
    assert found.places(MEX).tolist() == [0, 2, 4]


def test_labels_of_one_case_count_in_their_family_and_families_of_one_case_are_folded() -> None:
    found = group_failures(columns(["A wrong: 1"], ["A wrong: 2"], ["B wrong: 1"], ["C wrong: 1"]))
    assert shown(found) == [("A wrong", 2), (SINGLE, 2)]
    assert found.places("A wrong").tolist() == [0, 1] and found.places(SINGLE).tolist() == [2, 3]
    assert [(one.label, one.cases) for one in found.singles] == [("B wrong: 1", 1), ("C wrong: 1", 1)]
    assert found.places(found.singles[0].key).tolist() == [2] and found.places("nonsense").tolist() == []


def test_a_family_beside_its_values_is_what_is_left_of_it() -> None:
    found = group_failures(columns([MEX], [MEX], ["COUNTRY wrong: asked CHL, got PER"], ["COUNTRY wrong: x"]))
    assert shown(found) == [(MEX, 2), ("COUNTRY wrong: other values", 2)]
    assert found.places(found.groups[1].key).tolist() == [2, 3]


def test_a_case_is_counted_in_the_largest_of_its_groups_and_the_first_of_equal_ones() -> None:
    found = group_failures(columns(["a", "b"], ["b"], ["b", "c"], ["c", "a"]))
    assert shown(found) == [("b", 3), (SINGLE, 1)]
    assert {group.label: group.found_in for group in found.groups} == {"b": 3, SINGLE: 1}
    assert shown(group_failures(columns(["a", "b"], ["a", "b"]))) == [("a", 2)]
    both = group_failures(columns(["b", "a"], ["b", "a"], ["b", "a"]))
    assert shown(both) == [("b", 3)] and both.find(0) == both.groups[0]


def test_two_values_of_one_family_count_a_case_once() -> None:
    found = group_failures(columns(["A missing: 1", "A missing: 2"], ["A missing: 3"]))
    assert shown(found) == [("A missing", 2)] and found.groups[0].found_in == 2


def test_no_cases_and_no_failures() -> None:
    assert group_failures(columns()).groups == ()
    right = group_failures(columns([], []))
    assert right.groups == () and right.failing == 0 and right.main.tolist() == [0, 0]


def test_groups_beyond_the_named_ones_are_counted() -> None:
    found = group_failures(columns(*[[name] for name in "aaabbccd"]), most=2)
    assert shown(found) == [("a", 3), ("b", 2), (SINGLE, 1)]
    assert (found.further, found.further_cases) == (1, 2)


def test_a_baseline_is_counted_on_the_cases_that_both_have() -> None:
    now = columns([MEX], [MEX], [MEX], ["gone"], [])
    before = columns([], [MEX], ["old"], ["old"], ["other"])
    pairs = np.array([1, 2, 3, 4]), np.array([1, 2, 3, 0])  # the first case is new, one of the baseline is not asked
    found = group_failures(now, before, pairs)
    told = {group.label: (group.cases, group.on_same_cases, group.baseline, group.change) for group in found.groups}
    assert told == {MEX: (3, 2, 1, 1), "old": (0, 0, 2, -2), SINGLE: (1, 1, 0, 1)}


def test_a_case_with_the_same_faults_in_both_runs_is_in_the_same_group() -> None:
    now = columns(["a", "b"], ["a"], ["a"])
    before = columns(["a", "b"], ["b"], ["b"])
    every = np.arange(3)
    found = group_failures(now, before, (every, every))
    assert {group.label: (group.cases, group.baseline) for group in found.groups} == {"a": (3, 1), "b": (0, 2)}


def test_a_label_of_one_case_now_is_told_by_its_group_in_the_baseline() -> None:
    now, before = columns([MEX], []), columns([MEX], [MEX])
    found = group_failures(now, before, (np.arange(2), np.arange(2)))
    assert [(g.label, g.cases, g.baseline) for g in found.groups] == [(MEX, 1, 2)]


def by_hand(cases: list[list[str]]) -> dict[str, int]:
    """The same rule, written plainly."""
    often = Counter(label for case in cases for label in set(case))
    keys = [list(dict.fromkeys(one if often[one] > 1 else one.split(":")[0] for one in case)) for case in cases]
    sizes = Counter(key for case in keys for key in case)
    main = Counter(max(case, key=lambda key: sizes[key]) for case in keys if case)
    counted = {key: number for key, number in main.items() if number > 1}
    alone = sum(number for number in main.values() if number == 1)
    return counted | ({SINGLE: alone} if alone else {})


def test_groups_of_drawn_cases_are_those_of_the_plain_rule() -> None:
    draw = random.Random(16)
    for _ in range(200):
        words = [f"{draw.choice('abc')}: {draw.randrange(6)}" for _ in range(9)]
        cases = [list(dict.fromkeys(draw.choices(words, k=draw.randrange(4)))) for _ in range(draw.randrange(30))]
        found = group_failures(columns(*cases))
        assert {group.key: group.cases for group in found.groups} == by_hand(cases)
        assert sum(group.cases for group in found.groups) == found.failing == sum(map(bool, cases))
        for group in found.groups:
            assert len(found.places(group.key)) == group.cases
