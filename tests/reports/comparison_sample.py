"""Two runs of the hand-written sample, compared: one case worse, one better, one lost, one mixed, one gone, one new."""

from __future__ import annotations

import msgspec

from karat.core.results.result import RunResult
from karat.reports.compare.comparison import Compared, side_by_side
from karat.stats.compare.runs import compare_runs
from tests.reports.sample_results import METRICS, RUN, SUMMARY, case, dimension, failed

NASTY = (
    "</td>|a|b|\n| x | y |\n"
    "<script>alert(1)</script> @octocat #12 GH-7 ![i](http://e.vil/x) `code` [l](javascript:1) www.e.vil"
)

BEFORE = (
    case("all_right", 1.0, 1.0, dimension("INDICATOR", 2, 0, 0), tags=("weo",)),
    case("lost", 1.0, 1.0, dimension("COUNTRY", 1, 0, 0), tags=("weo",)),
    case("mended", 0.0, 0.5, dimension("COUNTRY", 0, 1, 1), tags=("trade",)),
    case("shifted", 0.5, 1.0, dimension("INDICATOR", 1, 0, 1), tags=("trade",)),
    case("late", 1.0, 1.0, dimension("INDICATOR", 1, 0, 0)),
    case("gone", 1.0, 1.0),
)
NOW = (
    case("all_right", 1.0, 1.0, dimension("INDICATOR", 2, 0, 0), tags=("weo",)),
    case("lost", 0.0, 0.0, dimension("COUNTRY", 0, 2, 1), tags=("weo",)),
    case("mended", 1.0, 1.0, dimension("COUNTRY", 1, 0, 0), tags=("trade",)),
    case("shifted", 1.0, 0.5, dimension("INDICATOR", 2, 2, 0), tags=("trade",)),
    failed("late", "429 after 5 tries"),
    case("new", 1.0, 1.0),
)
A = RunResult(msgspec.structs.replace(RUN, id="r-0001"), SUMMARY[:5], BEFORE)
B = RunResult(msgspec.structs.replace(RUN, id="r-0002", system="changed"), SUMMARY[:5], NOW)
ANSWERS_A = {"lost": "GDP of Chile", "mended": "nothing", "late": "Inflation"}
ANSWERS_B = {"lost": NASTY, "mended": "GDP of Peru"}


def sample(a: RunResult = A, b: RunResult = B) -> Compared:
    return side_by_side(a, b, compare_runs(a, b, METRICS), METRICS, lambda _: ANSWERS_A, lambda _: ANSWERS_B)
