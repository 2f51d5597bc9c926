"""A stored result tells what people say of its cases now, and a scoring never holds it."""

from __future__ import annotations

import msgspec

from karat.core.results.result import CaseReview
from karat.store import Store
from tests.store.samples import a_result, a_run


def test_the_verdicts_that_count_now_come_with_the_result_oldest_first(store: Store) -> None:
    run = store.create_run(a_run())
    store.add_scoring(run, a_result())
    assert store.result(run).reviews == ()
    store.add_review(run, "b", "fail", reviewer="Ada", comment="no, größe \x00")
    store.add_review(run, "a", "gold_wrong")
    store.add_review(run, "b", "accept", reviewer="Bo")  # in place of Ada's
    first, second = store.result(run).reviews
    assert first == CaseReview("a", "gold_wrong", "", "", first.created)
    assert second == CaseReview("b", "accept", "Bo", "", second.created)
    assert first.created.endswith("Z") and first.created <= second.created
    store.undo_review(run, "a")
    assert [review.case for review in store.result(run).reviews] == ["b"]


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
