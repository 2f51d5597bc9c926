"""The comparison of one question: ranks from scores or as they stand, cut lists, what is missing, and answers that
cannot be ranked."""

from __future__ import annotations

import msgspec
import pytest

from karat.core.explanation import plain_details
from karat.core.records import Case, Prediction, Turn
from karat.core.suite import Unreadable
from karat.suites.retrieval.comparison import compare, compare_truths
from karat.suites.retrieval.details import details
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved, Truths
from tests.suites.retrieval.samples import comparison, fields, value


def test_order_is_by_score_and_not_as_it_stands() -> None:
    ranked = Ranked(["a", "b", "c"], [0.1, 0.9, 0.5])
    found = compare_truths(Truths({DOCUMENTS: {"a": 1, "c": 1}}), Retrieved({DOCUMENTS: ranked}), Options())
    assert found.fields[0].ranks == (2, 3)


def test_without_scores_it_is_as_it_stands() -> None:
    assert comparison(["a", "c"], ["c", "b", "a"]).fields[0].ranks == (1, 3)


def test_only_the_first_results_count_when_they_are_limited() -> None:
    found = comparison(["a", "c"], ["c", "b", "a"], max_results=2).fields[0]
    assert (found.ranks, found.retrieved, found.missing) == ((1,), 2, ("a",))


def test_missing_keys_the_most_relevant_first() -> None:
    assert comparison({"a": 1, "b": 3, "c": 0, "d": 2}, []).fields[0].missing == ("b", "d", "a")


def test_details() -> None:
    found = plain_details(details([(0, comparison(["a", "b", "c"], ["x", "b"]))]))
    assert found == {
        "fields": [
            {
                "field": "documents",
                "retrieved": 2,
                "relevant": 3,
                "found": 1,
                "ranks": [2],
                "missing": ["a", "c"],
                "missing_count": 2,
            }
        ]
    }
    long = details([(0, comparison([f"k{number}" for number in range(80)], []))]).fields[0]
    assert (len(long.missing), long.missing_count) == (50, 80)


def test_a_field_that_was_not_answered_has_found_nothing() -> None:
    found = fields({"item": ["a"], "type": ["t"]}, {"item": ["a"]})
    assert value("recall", found) == 0.5


def test_an_answer_to_other_fields_is_an_error_not_a_zero() -> None:
    with pytest.raises(Unreadable, match=r'none of the question\'s fields "item"; it has "itme"'):
        fields({"item": ["a"]}, {"itme": ["a"]})


@pytest.mark.parametrize("name", ["kid", "knid", "Kind", "kinds"])
def test_a_field_with_a_slip_in_its_name_is_an_error_and_not_nothing_found(name: str) -> None:
    with pytest.raises(Unreadable, match=f'no field "kind", but one called "{name}"'):
        fields({"item": ["a"], "kind": ["k"]}, {"item": ["a"], name: ["k"]})


def test_a_field_more_than_asked_is_no_slip() -> None:
    given = {"item": ["a"], "brand": ["b"]}
    assert value("recall", fields({"item": ["a"], "kind": ["k"]}, given)) == 0.5
    assert value("recall", fields({"item": ["a"], "kind": ["k"]}, {**given, "kind": ["k"], "kinds": ["x"]})) == 1.0


def test_a_key_twice() -> None:
    with pytest.raises(Unreadable, match='the key "a" appears twice in the field "documents"'):
        comparison(["a"], ["a", "b", "a"])


def test_compare_reads_the_response() -> None:
    case = Case("q", (Turn(role="user", content="?", target=Truths({DOCUMENTS: {"a": 1}})),))
    response = msgspec.json.encode({"fields": {"documents": {"keys": ["b", "a"], "scores": [1, 2]}}})
    found = compare(case, 0, Prediction("q", response=response), Options())
    assert found.fields[0].ranks == (1,)


def test_options() -> None:
    with pytest.raises(ValueError, match="relevance_level"):
        Options(relevance_level=0)
    with pytest.raises(ValueError, match="max_results"):
        Options(max_results=0)
