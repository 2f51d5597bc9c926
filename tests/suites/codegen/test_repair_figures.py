"""What repairs are worth: every figure by hand, in the order of the module's own words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from karat.core.report import Cell, Sheet
from karat.core.results.result import RunResult
from karat.core.scores import Score
from karat.stats.intervals.estimates import estimate, wilson
from karat.suites.codegen.presentation.highlights import highlights
from karat.suites.codegen.repair.excel_recovery import recovery_sheet
from karat.suites.codegen.repair.figures import after_repairs, against_fresh, figures
from karat.suites.codegen.summaries.counts import Step, funnel
from tests.suites.codegen.tasks import judge_code
from tests.suites.codegen.tried_tasks import run_of

ONCE = run_of({"a": ["R"], "b": ["ER"], "c": ["EER"], "d": ["EEE"], "e": ["W"], "f": ["ER"], "g": ["?"], "h": ["x"]})
"""Known: a to f. Wrong at first: b c d e f, of which e ran. Right after one repair: b f; after two: c too."""

THRICE = run_of({"steady": ["R", "R", "R"], "mixed": ["ER", "W", "R"], "slow": ["EER", "EER", "EER"]})


def shown(result: RunResult) -> Sheet:
    found = recovery_sheet(result, estimate)
    assert found is not None
    return found


def rows(result: RunResult, title: str) -> tuple[tuple[Cell, ...], ...]:
    return next(table.rows for table in shown(result).tables if table.title == title)


# -- right after repairs, when wrong at first -------------------------------------------------------------------------


def test_right_after_repairs_when_the_first_try_was_wrong() -> None:
    one, two = after_repairs(ONCE, estimate)
    assert (one.repairs, one.wrong_at_first, one.did_not_run, one.right) == (1, 5, 4, 2)
    assert (two.repairs, two.wrong_at_first, two.did_not_run, two.right) == (2, 5, 4, 3)
    assert (one.share.mean, one.share.n, one.share.low, one.share.high) == (0.4, 5, *wilson(0.4, 5))
    assert [two.share.low, two.share.high] == pytest.approx([0.231, 0.882], abs=1e-3)  # Wilson, 3 of 5


def test_the_last_of_these_is_the_metric_of_the_run() -> None:
    metric = ONCE.metric("repaired")
    assert (metric.mean, metric.n, metric.undefined) == (0.6, 5, 2)  # a was right at first, of g nothing is known


def test_a_first_try_that_ran_and_was_wrong_is_wrong_for_good() -> None:
    (one,) = after_repairs(run_of({"a": ["W"], "b": ["W"], "c": ["ER"]}), estimate)
    assert (one.wrong_at_first, one.did_not_run, one.right) == (3, 1, 1)


def test_several_tries_at_a_task_are_kept_together() -> None:
    # Wrong at first: mixed "ER" and "W", slow three times. After one repair 1 of 5 is right, after two 4 of 5.
    one, two = after_repairs(THRICE, estimate)
    assert (one.right, one.wrong_at_first, two.right) == (1, 5, 4)
    assert two.share.mean == 0.8
    alone = wilson(0.8, 5)
    assert two.share.low is not None and two.share.high is not None
    assert (two.share.low, two.share.high) != alone  # two tasks, not five


def test_clusters_widen_the_interval() -> None:
    names = [f"t{i}" for i in range(24)]
    tasks = {name: ["ER" if int(name[1:]) % 6 < 3 else "EW"] for name in names}
    variants = {name: f"c{int(name[1:]) % 6}" for name in names}  # the four variants of a task agree
    (free,), (kept,) = (after_repairs(run_of(tasks, clusters), estimate) for clusters in ({}, variants))
    assert free.share.mean == kept.share.mean == 0.5 and free.share.n == kept.share.n == 24
    assert kept.share.low is not None and free.share.low is not None and kept.share.low < free.share.low - 0.1


def test_a_failed_call_counts_only_when_errors_count_zero() -> None:
    zeroed = run_of({"a": ["ER"], "b": ["x"]}, failed=Score(0.0, "scored", "errors: zero"))
    assert [(s.wrong_at_first, s.did_not_run, s.right) for s in after_repairs(zeroed, estimate)] == [(2, 2, 1)]
    left_out = run_of({"a": ["ER"], "b": ["x"]})
    assert [(s.wrong_at_first, s.right) for s in after_repairs(left_out, estimate)] == [(1, 1)]


def test_nothing_repaired_nothing_to_say() -> None:
    plain = run_of({"a": ["R"], "b": ["W"], "c": ["E"]})
    assert not after_repairs(plain, estimate) and not against_fresh(plain, estimate)
    assert [table.title for table in shown(plain).tables] == ["First try and repairs"]
    assert shown(plain).charts == ()
    assert not any(line.startswith("repairs") for line in highlights(plain))


def test_a_judgement_in_the_sandbox_gives_the_same_words() -> None:
    """The metric itself, on real code: right at first, mended, ran and wrong, never ran."""
    from karat.suites.codegen.metrics.repaired import score

    right, crash = 'result = df.groupby("city")["price"].mean()', 'result = df["nothing"]'
    wrong = 'result = df.groupby("city")["price"].sum()'
    assert score(judge_code(right)).state == "not_applicable"
    assert score(judge_code(crash, right)).value == 1
    assert score(judge_code(crash, wrong)).value == 0
    assert score(judge_code(wrong, right)).value == 0  # what ran stands; nobody asked for another
    assert score(judge_code(crash, crash)).value == 0


# -- repairs against fresh tries --------------------------------------------------------------------------------------


def test_repairs_against_fresh_tries_by_hand() -> None:
    one, two = against_fresh(THRICE, estimate)
    # One repair: steady 1 and 1, mixed 2/3 and 1 - C(2,2)/C(3,2) = 2/3, slow 0 and 0.
    assert (one.fresh_tries, one.tasks, one.left_out) == (2, 3, 0)
    assert one.with_repairs == pytest.approx(5 / 9) and one.with_fresh_tries == pytest.approx(5 / 9)
    assert one.difference.mean == pytest.approx(0) and one.difference.low is None  # no task differs: no spread is seen
    # Two repairs: steady 1 and 1, mixed 2/3 and 1, slow 1 and 0.
    assert (two.fresh_tries, two.tasks) == (3, 3)
    assert two.with_repairs == pytest.approx(8 / 9) and two.with_fresh_tries == pytest.approx(2 / 3)
    assert two.difference.mean == pytest.approx(2 / 9) and two.difference.n == 3
    assert two.difference.low is not None and two.difference.high is not None
    assert two.difference.low < 2 / 9 < two.difference.high


def test_the_example_of_the_page_and_of_the_module() -> None:
    three = run_of({"older": ["ER", "W", "R"]})
    (wrong,), (fresh,) = after_repairs(three, estimate), against_fresh(three, estimate)
    assert (wrong.wrong_at_first, wrong.did_not_run, wrong.right, wrong.share.mean) == (2, 1, 1, 0.5)
    assert (fresh.with_repairs, fresh.with_fresh_tries, fresh.difference.mean) == (2 / 3, 2 / 3, 0)


def test_the_interval_is_that_of_the_differences_task_by_task() -> None:
    words = (["ER", "R"], ["R", "W"], ["ER", "ER"], ["W", "W"], ["EW", "R"], ["R", "R"])
    (found,) = against_fresh(run_of({str(i): tries for i, tries in enumerate(words)}), estimate)
    gaps = [1 - 1, 1 / 2 - 1, 1 - 0, 0 - 0, 1 / 2 - 1, 1 - 1]
    assert found.difference == estimate(gaps, "quantity")


def test_variants_of_a_task_go_together_here_too() -> None:
    words = (["ER", "ER"], ["W", "R"], ["ER", "R"], ["R", "R"])
    tasks = {str(i): words[i % 4] for i in range(16)}
    variants = {str(i): f"c{i % 4}" for i in range(16)}
    (free,), (kept,) = (against_fresh(run_of(tasks, clusters), estimate) for clusters in ({}, variants))
    assert free.difference.mean == kept.difference.mean
    assert free.difference.low is not None and kept.difference.low is not None
    assert kept.difference.low < free.difference.low


def test_tasks_with_too_few_known_tries_are_left_out_and_counted() -> None:
    one, two = against_fresh(run_of({"a": ["EER", "R", "W"], "b": ["ER", "R", "x"], "c": ["ER", "x", "x"]}), estimate)
    assert (one.tasks, one.left_out, two.tasks, two.left_out) == (2, 1, 1, 2)


def test_without_repeats_the_table_says_what_fresh_tries_need() -> None:
    assert rows(ONCE, "Repairs against fresh tries") == (
        ("≤ 1 repair", 2, 0, None, None, None, None, None, 6),
        ("≤ 2 repairs", 3, 0, None, None, None, None, None, 6),
    )
    assert shown(ONCE).tables[2].note.endswith("2 fresh tries need as many tries per task: karat run --repeats 3.")
    assert "--repeats" not in shown(THRICE).tables[2].note


WORDS = st.sampled_from(["R", "W", "E", "ER", "EW", "EE", "EER", "EEW", "EEE", "?", "x"])


@given(st.lists(st.lists(WORDS, min_size=1, max_size=3), min_size=1, max_size=6))
def test_what_always_holds(tasks: list[list[str]]) -> None:
    result = run_of({str(i): words for i, words in enumerate(tasks)})
    steps = after_repairs(result, estimate)
    for step in steps:
        assert 0 <= step.right <= step.did_not_run <= step.wrong_at_first
    assert [step.right for step in steps] == sorted(step.right for step in steps)
    words = [word for tries in tasks for word in tries if word not in ("?", "x")]
    if steps:
        assert steps[-1].right == sum(word.endswith("R") and word != "R" for word in words)
        assert steps[-1].wrong_at_first == sum(word != "R" for word in words)
    for gap in against_fresh(result, estimate):
        assert gap.tasks + gap.left_out == sum(any(word not in ("?", "x") for word in tries) for tries in tasks)
        if gap.with_repairs is not None and gap.with_fresh_tries is not None:
            assert gap.difference.mean == pytest.approx(gap.with_repairs - gap.with_fresh_tries)


# -- where they are told ----------------------------------------------------------------------------------------------


def test_the_funnel_by_hand() -> None:
    # Judged: all but h. Ran at first: a e g; after one repair b f too; after two c too. g is not known to be right or
    # wrong.
    assert funnel(ONCE) == [Step(0, 7, 3, 6, 1), Step(1, 7, 5, 6, 3), Step(2, 7, 6, 6, 4)]
    assert rows(ONCE, "First try and repairs")[2] == ("after 2 repairs", 7, 6, 6 / 7, 6, 4, 4 / 6)


def test_the_sheet() -> None:
    found = shown(ONCE)
    assert [len(row) == len(table.columns) for table in found.tables for row in table.rows] == [True] * 7
    assert rows(ONCE, "Right after repairs, when the first try was wrong")[1][:5] == ("≤ 2 repairs", 5, 4, 3, 0.6)
    (chart,) = found.charts
    assert (chart.kind, chart.table, chart.y_most) == ("bar", 0, 1.0)
    heads = [column.title for column in found.tables[0].columns]
    assert [(s.title, heads[s.x], heads[s.y], s.first, s.last) for s in chart.series] == [
        ("ran", "after", "share that ran", 0, 2),
        ("right", "after", "share right", 0, 2),
    ]
    assert [column.title for column in shown(THRICE).tables[0].columns][1] == "tries"


def test_the_terminal() -> None:
    lines = highlights(ONCE)
    assert lines[0] == "of 7 tasks     3 → 5 → 6 ran · 1 → 3 → 4 right (first → after 2 repairs)"
    assert lines[1] == "repairs        3 of 5 wrong first tries right after ≤ 2 (0.60, 0.23–0.88)"
    # Over tries the share is 4 of 5, the metric's mean is over tasks: no interval beside it.
    assert highlights(THRICE)[1] == "repairs        4 of 5 wrong first tries right after ≤ 2 (0.80)"
    assert highlights(THRICE)[0].startswith("of 9 tries    ")
    one = highlights(run_of({"a": ["ER"]}))[1]
    assert one == "repairs        1 of 1 wrong first try right after ≤ 1 (1.00, 0.21–1.00)"


def test_the_same_as_plain_values() -> None:
    found = figures(ONCE, estimate)
    assert found["recovery_funnel"][1] == {"repairs": 1, "tries": 7, "ran": 5, "known": 6, "right": 3}
    assert found["right_after_repairs"][1] == {
        "repairs": 2,
        "wrong_at_first": 5,
        "did_not_run": 4,
        "right": 3,
        "share": {"mean": 0.6, "n": 5, "low": pytest.approx(0.231, abs=1e-3), "high": pytest.approx(0.882, abs=1e-3)},
    }
    assert found["repairs_against_fresh_tries"][0] == {
        "repairs": 1,
        "fresh_tries": 2,
        "tasks": 0,
        "left_out": 6,
        "with_repairs": None,
        "with_fresh_tries": None,
        "difference": {"mean": None, "n": 0, "low": None, "high": None},
    }
