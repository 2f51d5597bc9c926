"""A stored result tells what people say of its cases now, and a scoring never holds it."""

from __future__ import annotations

import msgspec
import pytest

from karat.core.results.result import CaseReview
from karat.store import Store
from karat.store.verdicts.reviews import StaleReview
from tests.store.samples import a_result, a_run


def test_the_verdicts_that_count_now_come_with_the_result_oldest_first(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, a_result())
    assert store.result(run).reviews == ()
    store.add_review(run, "b", "fail", reviewer="Ada", comment="no, größe \x00")
    store.add_review(run, "a", "gold_wrong")
    store.add_review(run, "b", "accept", reviewer="Bo")  # beside Ada's
    store.add_review(run, "b", "pass", reviewer="Ada")  # in place of her own
    first, second, third = store.result(run).reviews
    assert first == CaseReview("a", "gold_wrong", "", "", first.created)
    assert second == CaseReview("b", "accept", "Bo", "", second.created)
    assert third == CaseReview("b", "pass", "Ada", "", third.created)
    assert first.created.endswith("Z") and first.created <= second.created
    store.undo_review(run, "a")
    assert [review.case for review in store.result(run).reviews] == ["b", "b"]
    assert store.undo_review(run, "b", "Bo") and not store.undo_review(run, "b", "Bo")
    assert [review.reviewer for review in store.result(run).reviews] == ["Ada"]
    assert len(store.review_history(run, "b")) == 3


def test_an_adjudication_stands_beside_the_verdicts_and_replaces_another(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, a_result())
    store.add_review(run, "b", "fail", reviewer="Ada", blind=True)
    store.add_review(run, "b", "pass", reviewer="Bo")
    assert store.verdicts(run) == {}
    store.add_review(run, "b", "fail", reviewer="Cy", adjudication=True)
    store.add_review(run, "b", "gold_wrong", reviewer="Di", adjudication=True)
    assert {case: found.verdict for case, found in store.verdicts(run).items()} == {"b": "gold_wrong"}
    assert [(one.reviewer, one.adjudication, one.blind) for one in store.reviews(run)] == [
        ("Ada", False, True),
        ("Bo", False, False),
        ("Di", True, False),
    ]


def test_a_verdict_that_does_not_know_a_newer_one_is_refused(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, a_result())
    first = store.add_review(run, "b", "fail", reviewer="Ada", seen=0)
    with pytest.raises(StaleReview) as caught:
        store.add_review(run, "b", "pass", reviewer="Ada", seen=0)
    assert (caught.value.newer.id, caught.value.newer.verdict) == (first, "fail")
    store.add_review(run, "b", "pass", reviewer="Bo", seen=0)  # another person's is no reason
    final = store.add_review(run, "b", "pass", reviewer="Cy", adjudication=True, seen=first)
    for person in ("Ada", "Bo", "Di"):
        with pytest.raises(StaleReview):
            store.add_review(run, "b", "fail", reviewer=person, seen=final - 1)
    with pytest.raises(StaleReview):
        store.undo_review(run, "b", "Ada", seen=first)
    assert store.add_review(run, "b", "pass", reviewer="Ada", seen=final)


def test_they_belong_to_the_run_and_every_scoring_of_it_shows_them(store: Store) -> None:
    run, other = store.create_run(a_run()), store.create_run(a_run())
    old = store.add_scoring(run, a_result(0.5))
    store.add_scoring(other, a_result())
    store.add_review(run, "a", "pass")
    store.add_scoring(run, a_result(0.75))
    assert store.result(run).reviews == store.result(run, old).reviews != ()
    assert store.result(other).reviews == ()


def test_reviews_in_a_result_are_not_stored_with_it(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, msgspec.structs.replace(a_result(), reviews=(CaseReview("a", "pass"),)))
    assert store.reviews(run) == []
    assert store.result(run) == a_result()
