"""Every way in which a selection can be wrong is named, in the reason, in the headline and among the parts."""

from __future__ import annotations

from karat.core.explanation import Explanation, Part, plain_details
from karat.core.results.result import CaseResult
from karat.store.cases.case_lines import line_of
from karat.suites.data_query import suite
from karat.suites.data_query.comparison import Comparison
from karat.suites.data_query.details import details
from karat.suites.data_query.selection.selection import Period, Selection, Target
from tests.suites.data_query.building import compared, part, sel, target


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
    assert found.headline == "A 1 of 2, 1 wrong; B not selected; C not asked for"
    first = found.parts[0]
    assert (first.found, first.missing, first.extra) == (("a · name of a",), ("b · name of b",), ("x · name of x",))
    assert [part.state for part in found.parts] == ["changed", "missing", "extra"]
    assert first.expected == ("a · name of a", "b · name of b") and first.given == ("a · name of a", "x · name of x")


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


def test_turns_are_named_where_there_are_several() -> None:
    right, wrong = compared(target({"A": ["a"]}), sel({"A": ["a"]})), compared(target({"A": ["a"]}), sel({"A": ["b"]}))
    found = explained(right, wrong)
    assert found.headline == "turn 2: A 0 of 1, 1 wrong"
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
