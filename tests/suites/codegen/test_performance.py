"""Time and memory beside the reference: the formula by hand, and real code in its order."""

from __future__ import annotations

import msgspec
import pytest

from karat.sandbox import Outcome
from karat.suites.codegen.metrics.performance import performance_of, scored
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Columns, TableSource, Task
from karat.suites.codegen.running.sandbox_client import warm_box
from karat.suites.codegen.timing.records import Scale
from karat.suites.codegen.timing.scale_runs import no_more, starved
from karat.suites.codegen.timing.scaled_results import wrong_when_larger
from karat.suites.codegen.timing.scaled_tables import scaled

MB = 1024**2
ROWS = 4_000
TASK = Task(
    tables={"t": TableSource(columns={"g": [n % 7 for n in range(ROWS)], "x": [n * 0.5 for n in range(ROWS)]})},
    reference='result = df.groupby("g")["x"].sum()',
)
LOOP = """
sums = {}
for _, row in df.iterrows():
    sums[row["g"]] = sums.get(row["g"], 0) + row["x"]
result = sums
"""


def test_the_formula() -> None:
    found = scored([Scale(1, 0.018, 0.008, 4 * MB, 0), Scale(4, 0.038, 0.008, 12 * MB, 4 * MB)])
    # time: sqrt(10/20 × 10/40) = 0.3536; memory: sqrt(4/8 × 8/16) = 0.5
    assert found.time == pytest.approx(0.125**0.5) and found.memory == pytest.approx(0.5)
    assert found.score == pytest.approx(0.7 * 0.125**0.5 + 0.15)
    assert found.time_ratio == pytest.approx(8**0.5)


def test_the_ratio_of_the_pairs_counts_where_there_are_pairs() -> None:
    found = scored([Scale(1, 0.5, 0.1, 0, 0, ratio=2.0), Scale(4, 0.5, 0.1, 0, 0, ratio=8.0, wrong=True)])
    assert (found.time_ratio, found.time) == (2.0, 0.0)  # what is wrong says nothing of time
    assert scored([Scale(1, 0.5, 0.1, 0, 0, ratio=1.3, same_time=True)]).time == 1


def test_quicker_than_the_reference_is_not_more_than_full() -> None:
    assert scored([Scale(1, 0.001, 1.0, 0, MB)]).score == 1


def test_a_scale_that_it_does_not_get_through_costs_all() -> None:
    assert scored([Scale(1, 0.01, 0.01, 0, 0), Scale(4, 10, 0.01, 0, 0, ran=False)]).score == 0


def test_a_slow_loop_scores_far_below_the_vectorised_code() -> None:
    options = Options(repeats_for_timing=2, scales=(1,))
    quick = performance_of(warm_box(), TASK, 'result = df.groupby("g").x.sum()', passed=True, options=options)
    slow = performance_of(warm_box(), TASK, LOOP, passed=True, options=options)
    assert quick.score is not None and slow.score is not None
    assert slow.score + 0.2 < quick.score
    assert slow.time is not None and quick.time is not None and slow.time < quick.time / 2
    assert [scale.scale for scale in quick.scales] == [1]


@pytest.mark.parametrize(
    ("task", "passed", "options"),
    [
        (TASK, False, Options()),
        (Task(tables=TASK.tables), True, Options()),
        (TASK, True, Options(performance=False)),
    ],
)
def test_when_there_is_nothing_to_measure_the_reason_is_said(task: Task, passed: bool, options: Options) -> None:
    found = performance_of(warm_box(), task, TASK.reference, passed=passed, options=options)
    assert found.score is None and found.reason


def test_larger_tables_stay_within_bounds() -> None:
    assert scaled({"t": {"a": [0] * 1000}}, 1024) is None
    assert scaled({}, 4) is None


def test_larger_tables_have_more_keys_and_the_same_kind_of_values() -> None:
    shop: dict[str, Columns] = {
        "customers": {"id": [1, 2, 3, 4], "code": ["A-17", "A-18", "B-20", "C-31"]},
        "orders": {
            "customer_id": [1, 2, 2, 3, 4, 1, 3, None],
            "amount": [2.5, 3.25, 9.0, 4.5, 1.25, 7.75, 8.0, 6.5],
            "state": ["open", "paid", "open", "open", "paid", "paid", "open", "paid"],
        },
    }
    made = scaled(shop, 16)
    assert made is not None and made == scaled(shop, 16)
    customers, orders = made["customers"], made["orders"]
    assert customers["id"] == list(range(1, 65))
    assert len(set(customers["code"])) == 64 and set(shop["customers"]["code"]) <= set(customers["code"])
    assert customers["code"] == sorted(customers["code"])  # as they were
    assert len(orders["amount"]) == len(set(orders["amount"])) == 128
    known = {value for value in orders["customer_id"] if value is not None}
    assert known <= set(customers["id"]) and len(known) > 40 and None in orders["customer_id"]
    assert set(orders["state"]) == {"open", "paid"}


def test_two_columns_that_are_the_key_together_are_not_repeated() -> None:
    months, regions = ["jan", "feb", "mar", "apr"], ["north", "south", "east"]
    pairs = [(month, region) for month in months for region in regions]
    grid: Columns = {"month": [one for one, _ in pairs], "region": [two for _, two in pairs], "x": [5, 3] * 6}
    assert scaled({"t": grid}, 4) is None


WRONG_WHEN_LARGE = 'result = df.groupby("g")["x"].sum() if len(df) < 5000 else df["g"].head(7)'


def test_code_that_is_wrong_on_larger_tables_has_nothing_there() -> None:
    options = Options(repeats_for_timing=1, scales=(1, 4, 16))
    found = performance_of(warm_box(), TASK, WRONG_WHEN_LARGE, passed=True, options=options)
    assert [(scale.scale, scale.wrong) for scale in found.scales] == [(1, False), (4, True)]
    assert found.score == 0 and found.reason == "with 4 times the rows its result is not the reference's"


def test_a_run_that_had_no_processor_says_nothing_of_its_code() -> None:
    waited = Outcome("timeout", wall=10.0, busy=1.6)
    assert starved(waited, 10.0)
    assert not starved(msgspec.structs.replace(waited, busy=9.0), 10.0)  # it computed, or slept
    assert not starved(Outcome("memory", wall=10.0, busy=1.6), 10.0)


def test_code_that_is_right_only_now_and_then_has_nothing() -> None:
    options = Options(repeats_for_timing=2, scales=(1,))
    found = performance_of(warm_box(), TASK, "import os\nresult = os.urandom(8).hex()", passed=True, options=options)
    assert found.score == 0 and found.reason == "run several times, its result is not always the reference's"


def test_a_difference_counts_only_where_the_reference_is_clear() -> None:
    task = msgspec.structs.replace(TASK, reference='result = df["x"].iloc[0]')  # it depends on the order of rows
    options = Options(repeats_for_timing=1, scales=(1, 4))
    code = 'result = df["x"].iloc[0] if len(df) < 5000 else -1.0'
    found = performance_of(warm_box(), task, code, passed=True, options=options)
    assert [scale.wrong for scale in found.scales] == [False, False]


def test_a_tie_on_larger_tables_is_no_mistake() -> None:
    task = Task(
        tables={"t": TableSource(columns={"c": ["oak", "oak", "elm"]})},
        reference='result = df.groupby("c").size().idxmax()',
    )
    code = 'result = df.groupby("c").size()[::-1].idxmax()'
    tied: dict[str, Columns] = {"t": {"c": ["oak", "elm", "oak", "elm"]}}
    clear: dict[str, Columns] = {"t": {"c": ["elm", "elm", "elm", "oak"]}}

    def wrong(larger: dict[str, Columns], second: dict[str, Columns], given: str, code: str) -> bool:
        results, options = ("elm", given), Options()
        return wrong_when_larger(
            warm_box(), task, code, larger, results, second=lambda: second, ordered=False, options=options
        )

    assert not wrong(tied, tied, "oak", code)
    assert not wrong(clear, tied, "elm", code)
    always = 'result = "oak"'
    assert wrong(clear, clear, "oak", always)
    assert not wrong(clear, {"t": {"c": ["oak", "oak", "elm"]}}, "oak", always)  # right on the second drawing


@pytest.mark.parametrize(
    "code",
    [
        TASK.reference,
        "# sums\nresult = df.groupby('g')['x'].sum()  # done",
        "df.groupby(\n    'g'\n)['x'].sum()",
    ],
)
def test_the_reference_itself_has_one_whatever_the_clock_says(code: str) -> None:
    found = performance_of(warm_box(), TASK, code, passed=True, options=Options())
    assert (found.score, found.reason, found.scales) == (1.0, "the same code as the reference", ())


def test_noise_costs_nothing() -> None:
    same = Scale(1, 0.020, 0.010, 9 * MB, 4 * MB, same_time=True, same_memory=True)
    assert scored([same]).score == 1
    slower = scored([Scale(1, 0.020, 0.010, 9 * MB, 4 * MB)]).score
    assert slower is not None and slower < 0.7
    assert no_more([0.012, 0.014], [0.010, 0.012], 0.002)  # the best run is no slower than the reference's worst
    assert no_more([0.0118], [0.010], 0.002) and not no_more([0.020, 0.022], [0.010, 0.012], 0.002)
