"""In which order a run asks its cases: seeded and random, the same after a stop; results keep the file's order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core.bulk.cases import held_cases
from karat.core.bulk.sequence import CHUNK, LazySequence
from karat.core.problems import UserError
from karat.runs.case_order import WINDOW, CaseOrder, pick, seed_of
from karat.store import open_store
from tests.suites.data_query.building import case, target

A = target({"A": ["a"]})
RIGHT = {
    "indicator_selection": [
        {"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": [{"id": "a", "name": "name of a"}]}]}
    ]
}
CASES = [case(f"c{n:02}", A) for n in range(40)]


class Asked:
    """A system that notes what it is asked, and stops the run at the nth question."""

    def __init__(self, stop: int = 0) -> None:
        self.ids: list[str] = []
        self._stop = stop

    def __call__(self, request: dict[str, Any]) -> Any:
        self.ids.append(request["id"])
        if len(self.ids) == self._stop:
            raise KeyboardInterrupt
        return RIGHT if int(request["id"][1:]) % 3 else {"indicator_selection": []}


def run(system: Any, store: Path, **more: Any) -> karat.RunResult:
    settings = {"suite": "data_query", "cases": CASES, **more} if "resume" not in more else more
    return karat.run(system=system, store=str(store), **settings)


@pytest.mark.parametrize("count", [0, 1, 999, CHUNK + 1, WINDOW, WINDOW + 1, 3 * WINDOW + 517])
def test_every_case_is_asked_once(count: int) -> None:
    order = CaseOrder(count, seed=7)
    asked = [place for places, _ in order.chunks(range(count)) for place in places]
    assert sorted(asked) == list(range(count))
    assert asked == list(order.places(0, count)) == list(CaseOrder(count, seed=7).places(0, count))
    assert list(CaseOrder(count).places(0, count)) == list(range(count))
    if count > 900:
        assert asked != list(CaseOrder(count, seed=8).places(0, count))


def test_any_part_of_the_order_can_be_had_by_itself() -> None:
    order = CaseOrder(2 * WINDOW + 300, seed=3)
    whole = list(order.places(0, 2 * WINDOW + 300))
    for start, stop in ((0, 5), (WINDOW - 2, WINDOW + 3), (2 * WINDOW, 2 * WINDOW + 999)):
        assert list(order.places(start, stop)) == whole[start:stop]


def test_the_order_does_not_change_between_versions() -> None:
    """Processes that share a run, and a run that is resumed after an upgrade, must agree."""
    assert list(CaseOrder(12, seed=1).places(0, 12)) == [9, 8, 0, 1, 5, 7, 2, 4, 11, 6, 3, 10]
    assert seed_of("3f9c21") == 467262342


def test_early_cases_are_a_fair_sample_of_a_sorted_file() -> None:
    """The easy half of the file is first; after a tenth of the cases, about half of those asked are easy."""
    for count in (2_000, WINDOW, 20 * WINDOW):
        shares = []
        for seed in range(20):
            first = CaseOrder(count, seed).places(0, count // 10)
            shares.append(sum(place < count // 2 for place in first) / len(first))
        assert abs(sum(shares) / len(shares) - 0.5) < 0.05, count
        assert all(0.2 < share < 0.8 for share in shares), count


def test_single_cases_of_a_long_run_are_read_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("karat.core.bulk.cases.HELD", 2)
    held = held_cases(CASES, type(A))
    assert isinstance(held, LazySequence)
    assert pick(held, [30, 2, 17]) == [CASES[30], CASES[2], CASES[17]]
    assert pick(held, range(3, 6)) == CASES[3:6]
    assert LazySequence(5, lambda number: [number]).pick([0]) == [0]


def test_random_by_default_and_the_result_is_in_the_order_of_the_file(tmp_path: Path) -> None:
    by_chance, as_written = Asked(), Asked()
    first = run(by_chance, tmp_path / "a.db")
    second = run(as_written, tmp_path / "b.db", order="file")
    names = [one.id for one in CASES]
    assert by_chance.ids != names and sorted(by_chance.ids) == names
    assert sorted(as_written.ids) == names
    assert [one.id for one in first.cases] == names
    scores = ("macro_recall", "macro_precision")
    assert [[one.scores[name] for name in scores] for one in first.cases] == [
        [one.scores[name] for name in scores] for one in second.cases
    ]
    assert first.metric("macro_recall") == second.metric("macro_recall")
    with open_store(str(tmp_path / "a.db")) as opened:
        config = opened.run(1).config
        assert (config["order"], config["seed"]) == ("random", seed_of(first.run.truth_set))
    with open_store(str(tmp_path / "b.db")) as opened:
        assert opened.run(1).config["order"] == "file" and "seed" not in opened.run(1).config


def test_one_at_a_time_the_order_is_exact_and_a_resumed_run_has_the_same(tmp_path: Path) -> None:
    """Twice the same cases: the same order. Stopped in between: the rest in the same order."""
    settings = {"type": "function", "function": "tests.runs.test_case_order:listed", "concurrency": 1}
    LISTED.clear()
    run(settings, tmp_path / "whole.db")
    whole = list(LISTED)
    seed = seed_of(karat.load_run("r-0001", store=str(tmp_path / "whole.db")).run.truth_set)
    assert whole == [CASES[place].id for place in CaseOrder(len(CASES), seed).places(0, len(CASES))]
    LISTED.clear()
    run(settings, tmp_path / "file.db", order="file")
    assert whole != LISTED == [one.id for one in CASES]


LISTED: list[str] = []


def listed(request: dict[str, Any]) -> Any:
    LISTED.append(request["id"])
    return RIGHT


def test_a_limit_takes_the_first_cases_of_the_file(tmp_path: Path) -> None:
    asked = Asked()
    result = run(asked, tmp_path / "a.db", limit=7)
    assert [one.id for one in result.cases] == [one.id for one in CASES[:7]]
    assert sorted(asked.ids) == [one.id for one in CASES[:7]]


def test_recorded_answers_keep_the_order_of_the_file(tmp_path: Path) -> None:
    answers = [{"id": one.id, **RIGHT} for one in CASES]
    karat.run("data_query", CASES, predictions=answers, store=str(tmp_path / "a.db"))
    with open_store(str(tmp_path / "a.db")) as opened:
        assert opened.run(1).config["order"] == "file"
        assert [one.case_id for one in opened.predictions(1)] == [one.id for one in CASES]


def test_repeats_of_a_case_are_asked_together(tmp_path: Path) -> None:
    settings = {"type": "function", "function": "tests.runs.test_case_order:listed", "concurrency": 1}
    LISTED.clear()
    run(settings, tmp_path / "a.db", repeats=3, limit=5)
    assert LISTED[::3] == LISTED[1::3] == LISTED[2::3] and len(set(LISTED)) == 5


def test_an_order_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UserError, match='unknown order "fiel"') as caught:
        run(Asked(), tmp_path / "a.db", order="fiel")
    assert "file" in caught.value.hint
    with pytest.raises(UserError, match="order cannot be combined with resume"):
        run("", tmp_path / "a.db", resume="latest", order="file")
