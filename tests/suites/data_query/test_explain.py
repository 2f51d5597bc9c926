"""Every way in which a selection can be wrong is named, in the reason, in the headline and among the parts."""

from __future__ import annotations

import pytest

from karat.core.explanation import Explanation, Part, plain_details
from karat.core.records import Prediction
from karat.core.results.result import CaseResult
from karat.store.cases.case_lines import line_of
from karat.suites.data_query import suite
from karat.suites.data_query.comparison import Comparison, compare
from karat.suites.data_query.details import Details, DimensionDetails, details
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Period, Selection, Target, Term
from tests.suites.data_query.building import case, compared, part, sel, target


def explained(*comparisons: Comparison) -> Explanation:
    """As it is read back from the store."""
    return suite.explain(plain_details(details(list(enumerate(comparisons)))), None)


def test_a_right_answer_has_no_reason() -> None:
    found = explained(compared(target({"A": ["a"]}), sel({"A": ["a"]})))
    assert (found.outcome, found.reason, found.headline) == ("right", "", "")
    assert found.parts == (Part("A", found=("a · name of a",)),)


def test_dimensions() -> None:
    found = explained(compared(target({"A": ["a", "b"], "B": ["c"]}), sel({"A": ["a", "x"], "C": ["d"]})))
    assert found.outcome == "wrong"
    assert found.reason == "A wrong"
    assert found.headline == "A 1 of 2: asked b, got x; B not selected; C not asked for"
    first = found.parts[0]
    assert (first.found, first.missing, first.extra) == (("a · name of a",), ("b · name of b",), ("x · name of x",))
    assert [part.state for part in found.parts] == ["changed", "missing", "extra"]
    assert first.expected == ("a · name of a", "b · name of b") and first.given == ("a · name of a", "x · name of x")


@pytest.mark.parametrize(
    ("asked", "got", "said"),
    [
        (["a", "b"], ["b"], "A 1 of 2: a missing"),
        (["a"], ["a", "x"], "A 1 of 1, 1 extra: x"),
        (["a", "b", "c"], ["c", "x"], "A 1 of 3: asked a and b, got x"),
        (["a", "b", "c"], ["x"], "A 0 of 3, 1 wrong"),
        (["a"], ["x", "y", "z"], "A 0 of 1, 3 wrong"),
        (["a", "b", "c", "d"], ["d"], "A 1 of 4"),
        (["a" * 60], ["x" * 60], "A 0 of 1, 1 wrong"),
    ],
)
def test_a_headline_names_what_is_wrong_where_that_is_little(asked: list[str], got: list[str], said: str) -> None:
    assert explained(compared(target({"A": asked}), sel({"A": got}))).headline == said


def test_a_code_under_another_name_is_no_other_code() -> None:
    part = DimensionDetails("A", false_negatives=(Term("a", "Old name"),), false_positives=(Term("a", "New name"),))
    assert suite.explain(plain_details(Details((part,))), None).headline == "A 0 of 1: a under another name"


def test_nothing_selected() -> None:
    assert explained(compared(target({"A": ["a"]}), Selection())).headline == "nothing was selected"


def test_another_dataset() -> None:
    found = explained(compared(target({"A": ["a"]}, "X:D"), Selection((part({"A": ["a"]}, "X:E"),))))
    assert (found.outcome, found.reason) == ("wrong", "dataset wrong")
    assert found.headline == "dataset X:D not used; dataset X:E not expected"
    assert found.parts[-1] == Part("dataset", missing=("X:D",), extra=("X:E",))
    versioned = explained(compared(target({"A": ["a"]}, "X:D"), Selection((part({"A": ["a"]}, "X:D(1.0)"),))))
    assert versioned.outcome == "right"


def test_another_period() -> None:
    asked = Target((part({"A": ["a"]}),), period=Period("2018", "2020"))
    found = explained(compared(asked, Selection((part({"A": ["a"]}),), period=Period("1990", None))))
    assert (found.outcome, found.reason) == ("wrong", "period wrong")
    assert found.headline == "period 1990 to open instead of 2018 to 2020"
    assert found.parts[-1] == Part("period", missing=("2018 to 2020",), extra=("1990 to open",))
    assert (
        explained(compared(asked, Selection((part({"A": ["a"]}),), period=Period("2018", "2020")))).outcome == "right"
    )


def test_scope() -> None:
    found = explained(compared(Target(is_out_of_scope=True), sel({"A": ["a"]})))
    assert found.outcome == "wrong"
    assert "scope: answered a question that is out of scope" in found.headline
    declined = explained(compared(Target((part({"A": ["a"]}),), is_out_of_scope=False), Selection()))
    assert declined.headline == "nothing was selected; scope: declined a question that is in scope"
    assert declined.parts[-1] == Part("scope", missing=("in scope",), extra=("out of scope",))


def test_what_should_not_have_been_answered_is_said_first() -> None:
    """What it selected is too much only because it answered at all."""
    nothing = Target(outcome=("no_data",))
    found = explained(compared(nothing, sel({"A": ["a"]})))
    assert (found.reason, found.headline) == (
        "asked no_data, got answer",
        "asked no_data, got answer; A not asked for; dataset X:D not expected",
    )
    assert found.parts[0] == Part("outcome", missing=("no_data",), extra=("answer",))
    assert found.failures[0].label == "outcome wrong: asked no_data, got answer"
    declined = compare(case("c", nothing), 0, Prediction("c", 0, 0, b'{"outcome": "out_of_scope"}'), Options())
    assert explained(declined).headline == "asked no_data, got out_of_scope"
    scope = explained(compared(Target(is_out_of_scope=True), sel({"A": ["a"]})))
    assert scope.headline.startswith("scope: answered a question that is out of scope; A not asked for")
    assert scope.failures[0].label == "answered a question that is out of scope"


def test_turns_are_named_where_there_are_several() -> None:
    right, wrong = compared(target({"A": ["a"]}), sel({"A": ["a"]})), compared(target({"A": ["a"]}), sel({"A": ["b"]}))
    found = explained(right, wrong)
    assert found.headline == "turn 2: A 0 of 1: asked a, got b"
    assert [part.label for part in found.parts] == ["turn 1: A", "turn 2: A"]


def test_groups_hold_the_figures_of_each_dimension() -> None:
    found = explained(compared(target({"A": ["a", "b"]}), sel({"A": ["a"]})))
    (group,) = found.groups
    assert (group.kind, group.name) == ("dimension", "A")
    assert dict(group.figures) == {"recall": 0.5, "precision": 1.0, "f1": 2 / 3}


def test_the_coded_reasons_are_found_by_the_viewers_search() -> None:
    found = explained(compared(target({"A": ["a", "b"]}), sel({"A": ["a"]})))
    assert found.codes == ("too_few",)
    case = CaseResult("c", "scored", {})
    assert "too_few" in line_of(case, found).searched
    assert explained(compared(target({"A": ["a"]}), sel({"A": ["a"]}))).codes == ()


def test_a_turn_that_rightly_does_not_answer_is_right_whatever_it_does_not_select() -> None:
    either = target({"A": ["a"]}, outcome=("answer", "clarification"))

    def replied(reply: bytes) -> Comparison:
        return compare(case("c", either), 0, Prediction("c", 0, 0, reply), Options())

    asked, silent = replied(b'{"outcome": "clarification"}'), replied(b'{"indicator_selection": []}')
    found = explained(asked)
    assert (found.outcome, found.reason, found.headline, found.failures) == ("right", "", "", ())
    assert explained(silent).headline == "nothing was selected"
    both = explained(silent, asked)
    assert both.outcome == "wrong" and "turn 2" not in both.headline


def test_a_code_without_a_name_is_not_said_to_have_another() -> None:
    part = DimensionDetails("A", false_negatives=(Term("a", "Its name"),), false_positives=(Term("a", ""),))
    assert suite.explain(plain_details(Details((part,))), None).headline == "A 0 of 1: a without a name"


def test_a_refusal_is_told_from_silence() -> None:
    reply = Prediction("c", 0, 0, b'{"outcome": "no_data"}')
    found = explained(compare(case("c", target({"A": ["a"]})), 0, reply, Options()))
    assert found.headline == "nothing was selected; expected an answer, got no_data"
