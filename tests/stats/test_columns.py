"""A comparison by columns says what a comparison of objects says, to the last digit; of runs in memory and in a
store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest

from karat.core.results.columns.case_words import pack_words, unpack_words
from karat.core.results.columns.columns import Columns, StoredCases, columns_of, selected
from karat.core.results.columns.word_lists import pack, unpack
from karat.core.results.result import CaseResult, RunResult
from karat.reports.compare.comparison import Compared, side_by_side
from karat.stats.compare import groups
from karat.stats.compare.pairing import pair_columns
from karat.stats.compare.runs import compare_runs
from karat.stats.gates.figures import counted_values, error_value, mean_of_values
from karat.stats.intervals.spread import numbered, spread_of, sums_by_cluster
from karat.store import RunRecord, Store, open_store
from tests.stats import by_objects
from tests.stats.random_runs import METRICS, two_runs
from tests.stats.runs import case, metric, run

JUDGED = [item for item in METRICS if item.headline]


@pytest.fixture(autouse=True)
def nothing_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases of every stored run are read when they are looked at, not only those of large ones."""
    monkeypatch.setattr("karat.store.store.HELD", -1)


def compared(a: RunResult, b: RunResult) -> Compared:
    return side_by_side(a, b, compare_runs(a, b, METRICS), METRICS)


def stored(store: Store, result: RunResult) -> RunResult:
    """The result as a store has it: its cases are read when they are looked at."""
    run_id = store.create_run(RunRecord(suite=result.run.suite, cases=len(result.cases)))
    store.add_scoring(run_id, result)
    return store.result(run_id)


@pytest.mark.parametrize("seed", range(40))
def test_columns_agree_with_objects(seed: int) -> None:
    a, b = two_runs(seed)
    found = compare_runs(a, b, METRICS)
    assert found.n_shared == len(by_objects.pairs_of(a, b))
    plain = [(item.metric, item.difference, item.mcnemar, item.only_a, item.only_b) for item in found.metrics]
    assert plain == by_objects.differences(a, b, METRICS)
    assert [(t.tag, t.metric, t.difference) for t in found.tags] == by_objects.tags(a, b, JUDGED)
    assert [(g.kind, g.name, g.metric, g.difference) for g in found.groups] == by_objects.groups(a, b, JUDGED)
    assert list(found.cases) == by_objects.changed(a, b, JUDGED)
    assert list(side_by_side(a, b, found, METRICS).changes) == by_objects.shown(a, b, JUDGED)


def test_the_random_runs_have_what_a_comparison_meets() -> None:
    runs = [two_runs(seed) for seed in range(40)]
    columns = [columns_of(side) for pair in runs for side in pair]
    assert any(own.clusters for own in columns) and any(own.failed.any() for own in columns)
    assert any(len(set(own.case_ids)) < len(own.case_ids) for own in columns)
    assert {word[0] for own in columns for word in (*own.words.members.words, *own.words.figures.words)} == {
        "dimension",
        "field",
        "function",
    }
    kinds = {change.kind for a, b in runs for change in compared(a, b).changes}
    assert kinds == {"worse", "mixed", "better", "status", "only_a", "only_b"}


@pytest.mark.parametrize("seed", range(12))
def test_stored_runs_are_compared_as_those_in_memory(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("karat.store.store.ROWS", 7)  # so that there are several blocks
    a, b = two_runs(seed)
    with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
        one, two = stored(store, a), stored(store, b)
        found, wanted = compared(one, two), compared(*(_as_stored(side) for side in (a, b)))
        assert isinstance(one.cases, StoredCases) and len(one.cases) == len(a.cases)
        assert msgspec.structs.replace(found.comparison, run_a=a.run, run_b=b.run, cases=wanted.comparison.cases) == (
            msgspec.structs.replace(wanted.comparison, run_a=a.run, run_b=b.run)
        )
        assert list(found.comparison.cases) == list(wanted.comparison.cases)
        assert list(found.changes) == list(wanted.changes)
        assert found.changes[1:3] == tuple(wanted.changes)[1:3]


@pytest.mark.parametrize("seed", range(12))
def test_figures_of_groups_are_the_same_counted_and_case_by_case(seed: int) -> None:
    a, b = (_as_blocks(columns_of(side)) for side in two_runs(seed))
    pairs = msgspec.structs.replace(pair_columns(a, b), clusters=None)
    counted, listed = groups._counted(pairs), groups._listed(pairs)
    assert counted is not None and list(counted) == list(listed)
    assert [one.difference() for one in counted.values()] == [one.difference() for one in listed.values()]
    assert [one.n for one in counted.values()] == [one.n for one in listed.values()]


def _as_blocks(columns: Columns) -> Columns:
    """With the figures of groups as a store gives them back: as codes."""
    figures = unpack([pack(columns.words.figures)])
    return msgspec.structs.replace(columns, words=msgspec.structs.replace(columns.words, figures=figures))


def _as_stored(result: RunResult) -> RunResult:
    """Half characters, which JSON cannot hold, as a store gives them back."""
    from karat.store.codec import to_json

    cases = tuple(msgspec.json.decode(to_json(one), type=CaseResult) for one in result.cases)
    return msgspec.structs.replace(result, cases=cases)


def test_only_the_cases_that_are_shown_are_read(tmp_path: Path) -> None:
    runs = [run([case(f"case {n:04}", {"score": n / 5000 + part}) for n in range(3000)]) for part in (0.0, 0.1)]
    with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
        a, b = (stored(store, one) for one in runs)
        found = side_by_side(a, b, compare_runs(a, b, [metric("score")]), [metric("score")])
        read: list[int] = []
        for side in (a, b):
            _watch(side, read)
        assert found.counts()["better"] == len(found.changes) == 3000
        assert len(found.changes.ids) == 3000 and not read
        shown = found.changes.of_kind("better")[:5]
        assert len(shown) == 5 and len(read) == 10
        assert [one.id for one in found.changes.of_cases(["case 0007", "absent"])] == ["case 0007", "absent"]
        assert len(read) == 12


def _watch(result: RunResult, read: list[int]) -> None:
    """Note the places of all cases that are read from now on."""
    cases = result.cases
    assert isinstance(cases, StoredCases)
    reader = cases.at

    def at(places: Sequence[int]) -> list[CaseResult]:
        read.extend(places)
        return reader(places)

    cases.at = at  # type: ignore[method-assign]  # the real one, watched


def test_words_of_blocks_are_those_of_the_whole() -> None:
    for seed in range(20):
        result = _as_stored(two_runs(seed)[0])
        blocks = [
            pack_words(result.run.suite, [(case, None) for case in result.cases[n : n + 7]])
            for n in range(0, len(result.cases), 7)
        ]
        found, wanted = unpack_words(blocks), columns_of(result).words
        for own, whole in zip(
            (found.tags, found.members, found.figures), (wanted.tags, wanted.members, wanted.figures), strict=True
        ):
            assert own.words == whole.words
            for name in ("starts", "codes", "values"):
                assert np.array_equal(getattr(own, name), getattr(whole, name))


def test_a_part_of_the_cases_has_the_columns_of_that_part() -> None:
    for seed in range(20):
        result, _ = two_runs(seed)
        places = np.arange(len(result.cases))[::3]
        some = msgspec.structs.replace(result, cases=selected(result.cases, places))
        own, whole = columns_of(some), columns_of(result).take(places)
        assert own.case_ids == whole.case_ids and own.clusters == whole.clusters
        for name in {*own.metrics, *whole.metrics}:
            assert np.array_equal(own.column(name), whole.column(name), equal_nan=True)
        for tag in ("weo", "trade", ""):
            assert np.array_equal(own.has_tag(tag), whole.has_tag(tag))


@pytest.mark.parametrize("seed", range(20))
def test_errors_count_as_they_do_case_by_case(seed: int) -> None:
    result, _ = two_runs(seed)
    for item in METRICS:
        if (worst := error_value(item)) is not None:
            counted = counted_values(result, columns_of(result), item, missing=False)
            mean = mean_of_values(counted.values)[0] if counted.failed else None
            assert (mean, counted.failed) == by_objects.with_errors(result, item.name, worst)


def test_numbers_stand_for_the_names_of_clusters() -> None:
    rng = np.random.default_rng(7)
    for count in (1, 2, 50, 400):
        names = rng.integers(0, max(1, count // 3), count)
        values = rng.normal(size=count)
        some = np.flatnonzero(rng.random(count) < 0.7)
        codes = numbered([f"c{name}" for name in names])
        own = [f"c{name}" for name in names[some]]
        assert numbered(codes[some]).tolist() == numbered(own).tolist()
        for by_name, by_number in zip(
            sums_by_cluster(values[some], own), sums_by_cluster(values[some], codes[some]), strict=True
        ):
            assert by_name.tolist() == by_number.tolist()
        if len(some):
            assert spread_of(values[some], own) == spread_of(values[some], codes[some])


def test_an_id_that_is_there_twice_is_not_counted_as_missing() -> None:
    twice = run([case("x", {"score": 0.1}), case("x", {"score": 0.2}), case("y", {"score": 0.3})])
    once = run([case("x", {"score": 0.5}), case("z", {"score": 0.5})])
    said = compare_runs(twice, once, [metric("score")]).warnings
    assert "The runs share 2 cases; 1 only in A and 1 only in B are left out." in said
