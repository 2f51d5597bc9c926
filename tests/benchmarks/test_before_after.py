"""Ratios before and now: read from what a benchmark prints, compared in the direction of their target."""

from __future__ import annotations

import pytest

from benchmarks.before_after import Pair, Ratio, pairs, ratios

PRINTED = """
excel
  10,000 cases
  2 cores · x86_64 · Python 3.11.7 · load 0.10, 0.20, 0.30 (1, 5, 15 min)
  cells a second: 1.11×, target ≤ 1.5×: met
  rows: 1M equal: 1,190.50×, target ≥ 100×: met
  peak: 94 MB, target ≤ 250 MB: met
"""


def test_ratios_with_a_target_are_read_with_their_direction() -> None:
    assert ratios(PRINTED) == {
        "cells a second": Ratio(1.11, more_is_better=False),
        "rows: 1M equal": Ratio(1190.5, more_is_better=True),
    }


@pytest.mark.parametrize(
    ("before", "now", "more_is_better", "worse_by"),
    [(10, 8, True, 0.25), (10, 12.5, True, -0.2), (1.0, 1.1, False, 0.1), (1.1, 1.0, False, -1 / 11)],
)
def test_worse_is_less_of_what_should_be_much(before: float, now: float, more_is_better: bool, worse_by: float) -> None:
    assert Pair("x", before, now, more_is_better).worse_by == pytest.approx(worse_by)


def test_medians_of_what_every_run_of_both_sides_has(capsys: pytest.CaptureFixture[str]) -> None:
    def run(value: float, **more: float) -> dict[str, Ratio]:
        return {name: Ratio(figure, more_is_better=True) for name, figure in {"speed": value, **more}.items()}

    (pair,) = pairs("scoring", [run(3), run(9, gone=1), run(4)], [run(5, new=2), run(6, new=2), run(1, new=2)])
    assert pair == Pair("scoring: speed", 4, 5, more_is_better=True)
    assert "only now: new" in capsys.readouterr().out
