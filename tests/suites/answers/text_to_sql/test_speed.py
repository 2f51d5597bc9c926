"""What queries cost: BIRD's R-VES by its formula, the fair one that noise does not move, rows read and bytes.

Clocks are given, so that no figure here depends on the machine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from karat.core.results.result import RunResult
from karat.stats.intervals.estimates import estimate
from karat.suites.answers.report import report
from karat.suites.answers.text_to_sql.cost_report import slower
from karat.suites.answers.text_to_sql.official.rves import public_reward, reward
from karat.suites.answers.text_to_sql.running.cost import Cost
from karat.suites.answers.text_to_sql.running.rows_read import rows_read
from karat.suites.answers.text_to_sql.running.speed import Speed, measured, median_interval
from karat.verbs.answers.questions import score_queries
from tests.suites.answers.text_to_sql.making import compared, database, question_file


def clock(times: Sequence[float]) -> Callable[[], float]:
    left = iter(times)
    return lambda: next(left)


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (3.0, 1.25),
        (2.0, 1.25),
        (1.99, 1.0),
        (1.0, 1.0),
        (0.99, 0.75),
        (0.5, 0.75),
        (0.49, 0.5),
        (0.25, 0.5),
        (0.1, 0.25),
    ],
)
def test_the_reward_of_a_ratio(ratio: float, expected: float) -> None:
    assert reward(ratio) == expected


def test_the_public_formula_takes_the_mean_inside_three_sigma() -> None:
    # 20 ratios of 0.9 and 1.05, mean 0.975: 0.75. With one of 100 they are far below the mean, which is inside 3 σ of
    # all but the 100: that one is dropped.
    ratios = [0.9, 1.05] * 10
    assert public_reward(ratios) == 0.75
    assert public_reward([*ratios, 100.0]) == 0.75
    assert public_reward([1.0, 1.2, 1.1]) == 1.0


@pytest.mark.parametrize("ratios", [[1.0], [1.5, 1.5, 1.5]])
def test_the_public_formula_gives_0_where_all_ratios_are_equal(ratios: list[float]) -> None:
    assert public_reward(ratios) == 0.0


def test_gold_as_its_own_answer_is_as_quick_as_gold() -> None:
    """The public figure of it is 0.75 as often as not."""
    public = []
    for seed in range(200):
        chance = random.Random(seed)
        times = [chance.lognormvariate(-7, 0.3) for _ in range(40)]
        for same in (True, False):
            found = measured(clock(times[:20]), clock(times[20:]), 20, same=same)
            assert found.fair_rves == 100.0, (seed, same, found)
        public.append(found.bird_rves)
    assert sum(value < 100 for value in public) > 20


def test_a_drift_of_the_machine_is_no_difference() -> None:
    drift = [0.01 * 1.3**place for place in range(20)]
    assert measured(clock(drift), clock(drift), 20, same=False).fair_rves == 100.0


@pytest.mark.parametrize(
    ("factor", "expected"), [(4.0, 1.25), (1.5, 1.0), (1 / 1.5, 0.75), (1 / 3, 0.5), (1 / 8, 0.25)]
)
def test_a_real_difference_counts_whatever_the_noise(factor: float, expected: float) -> None:
    chance = random.Random(7)
    gold = [chance.lognormvariate(-5, 0.1) * (20 if place == 3 else 1) for place in range(30)]
    answer = [chance.lognormvariate(-5, 0.1) / factor for _ in range(30)]
    found = measured(clock(gold), clock(answer), 30, same=False)
    assert found.fair_rves == pytest.approx(100 * math.sqrt(expected))
    assert found.low <= factor <= found.high or math.isclose(found.ratio, factor, rel_tol=0.15)


def test_the_interval_of_a_median() -> None:
    assert median_interval([3.0, 1.0, 2.0]) == (1.0, 3.0)
    assert median_interval(list(range(1, 21))) == (6, 15)  # the table of the sign test for 20: ranks 6 and 15
    assert median_interval(list(range(1, 7))) == (1, 6)


def test_only_what_is_far_slower_than_gold_is_listed() -> None:
    assert slower(Cost(0.01, 0.2)) == pytest.approx(20)
    assert slower(Cost(0.05, 0.2)) is None
    assert slower(Cost(0.0001, 0.004)) is None  # 40 ×, and nobody waits for it
    assert slower(Cost(0.01, None)) is None
    many = Speed(100, 50.0, 50.0, ratio=1 / 30)
    assert slower(Cost(0.05, 0.2, speed=many)) == pytest.approx(30)


# -- real queries -----------------------------------------------------------------------------------------------------


def _scored(folder: Path, rows: list[dict[str, object]], *settings: str) -> RunResult:
    if not (folder / "databases").exists():
        database(folder / "databases")
    file = question_file(folder, [{"db": "shop", "question": "Who?", **row} for row in rows])
    return score_queries(file, None, str(folder / "databases"), settings=settings, workers=1)


def test_gold_itself_gets_100_and_a_wrong_answer_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    gold = "select name from customer"
    rows: list[dict[str, object]] = [
        {"id": "same", "sql": gold, "prediction": "SELECT name FROM customer;", "tags": ["a", "b"]},
        {"id": "wrong", "sql": gold, "prediction": "select country from customer", "tags": ["a"]},
        {"id": "broken", "sql": gold, "prediction": "select nothing from customer"},
    ]
    found = _scored(tmp_path, rows, "timing_runs=5")
    assert [case.scores["fair_rves"].value for case in found.cases] == [100.0, 0.0, 0.0]
    assert [case.scores["bird_rves"].value for case in found.cases][1:] == [0.0, 0.0]
    assert found.cases[0].details["sql"]["cost"]["speed"]["runs"] == 5
    without = _scored(tmp_path, rows)
    assert {case.scores["bird_rves"].state for case in without.cases} == {"not_applicable"}
    seconds = [case.scores["query_seconds"].value for case in without.cases]
    assert seconds[0] is not None and seconds[2] is None
    sheets = {sheet.title: sheet for sheet in report(without, estimate).sheets}
    totals = sheets["Query cost"].tables[0].rows[0]
    assert totals[1:3] == (3, 2)
    by_tag = next(table for table in sheets["Parts"].tables if table.title == "By tag")
    assert by_tag.rows == (("select", "a", 1),)


def test_the_bytes_of_a_result_grow_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = compared(tmp_path, "select name from customer", "select name, country, born from customer").queries
    assert found is not None and found.cost.answer_bytes is not None
    assert found.cost.answer_bytes > found.cost.gold_bytes > 0


def test_rows_read_are_those_of_the_scans() -> None:
    scan = {"Node Type": "Seq Scan", "Relation Name": "t", "Actual Rows": 2, "Rows Removed by Filter": 8}
    join = {"Node Type": "Nested Loop", "Plans": [scan, {**scan, "Actual Loops": 3}]}
    plans = {"postgres": f'[{{"Plan": {_json(join)}}}]', "duckdb": '{"query": {"total_rows_scanned": 7}}'}
    assert rows_read("postgres", lambda _: plans["postgres"], "select 1") == 40
    assert rows_read("duckdb", lambda _: plans["duckdb"], "select 1") == 7
    assert rows_read("duckdb", lambda _: '{"cumulative_rows_scanned": 9}', "select 1") == 9
    assert rows_read("duckdb", lambda _: "", "select 1") is None
    assert rows_read("sqlite", lambda _: "{}", "select 1") is None


def _json(value: object) -> str:
    import json

    return json.dumps(value)
