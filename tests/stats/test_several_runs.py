"""Several runs beside each other, against the comparison of two and by hand."""

from __future__ import annotations

import numpy as np
import pytest

from karat.core.metric import Metric
from karat.core.results.columns.columns import Columns, make_columns
from karat.core.results.result import CaseResult
from karat.core.scores import Score
from karat.stats.compare.pairing import pair_columns
from karat.stats.compare.right_wrong import right_wrong
from karat.stats.compare.several import STATES, compare_several
from karat.stats.compare.significance.holm import holm


def _never(_: object) -> Score:
    raise AssertionError


RIGHT = Metric("right", "right", "", _never, kind="rate", headline=True)
SHARE = Metric("share", "share", "", _never, headline=True)
TIME = Metric("time", "time", "", _never, kind="quantity")


def run(verdicts: str, first: int = 0) -> Columns:
    """A case for each letter: 1 right, 0 wrong, x a failed call, h half right."""
    values = {"1": 1.0, "0": 0.0, "h": 0.5, "x": None}
    cases = []
    for number, letter in enumerate(verdicts, start=first):
        value = values[letter]
        state = "scored" if value is not None else "error"
        scores = {"right": Score(value, state), "share": Score(value, state), "time": Score(number / 10)}  # type: ignore[arg-type]  # as the test wants it
        cases.append(CaseResult(f"c{number:02d}", state, scores))  # type: ignore[arg-type]  # as the test wants it
    return make_columns("none", cases, groups=False)


def test_the_table_of_right_and_wrong() -> None:
    pairs = pair_columns(run("1100xh1"), run("10101hx"), [SHARE, RIGHT])
    found = right_wrong(pairs, [SHARE, RIGHT])
    assert found is not None and found.metric == "right", "a rate decides before a share"
    assert (found.right, found.newly_wrong, found.newly_right, found.wrong, found.n) == (1, 1, 1, 2, 5)
    assert right_wrong(pair_columns(run("1"), run("1"), [TIME]), [TIME]) is None, "seconds are not right or wrong"


def test_lower_is_better() -> None:
    bad = Metric("right", "faults", "", _never, kind="rate", headline=True, higher_is_better=False)
    found = right_wrong(pair_columns(run("01"), run("00"), [bad]), [bad])
    assert found is not None and (found.right, found.newly_right) == (1, 1)


def test_figures_are_those_of_two_runs_and_holm_is_over_all_runs() -> None:
    runs = [run("1010101010" * 3), run("1110101110" * 3), run("0000101010" * 3)]
    found = compare_several(runs, [RIGHT, SHARE, TIME])
    right = found.figures[0].runs
    assert right[0].difference is None and right[0].mean == pytest.approx(0.5)
    alone = [pair_columns(runs[0], other, [RIGHT]).difference("right") for other in runs[1:]]
    assert [cell.difference for cell in right[1:]] == alone
    assert alone[0] is not None and alone[1] is not None
    # The share has the same values as the rate: one test under two names, so two tests in all.
    assert [cell.p_adjusted for cell in right[1:]] == holm([alone[0].p, alone[1].p])
    assert all(cell.p_adjusted is None for cell in found.figures[2].runs), "no claim rests on other figures"


def test_cases_whose_verdict_is_not_the_same() -> None:
    #          same, newly wrong, newly right, right again, failed once, half right
    runs = [run("110111"), run("110011"), run("1011xh")]
    found = compare_several(runs, [RIGHT], settings=["x", "y", "x"]).cases
    words = {case: [STATES[code] for code in codes] for case, codes in zip(found.ids, found.verdicts, strict=True)}
    assert words == {
        "c01": ["right", "right", "wrong"],
        "c04": ["right", "right", "no verdict"],
        "c05": ["right", "right", "wrong"],
        "c02": ["wrong", "wrong", "right"],
        "c03": ["right", "wrong", "right"],
    }
    assert found.ids == ["c01", "c04", "c05", "c02", "c03"], "newly wrong first"
    assert [found.ids[place] for place in np.flatnonzero(found.flaky)] == ["c01", "c05", "c02"], "of the same settings"
    assert not compare_several(runs, [RIGHT], settings=[None] * 3).cases.flaky.any(), (
        "nobody says what they were made with"
    )
    assert found.of == 6


def test_a_case_that_a_run_does_not_have() -> None:
    found = compare_several([run("11"), run("11", first=1), run("01", first=1)], [RIGHT]).cases
    assert found.ids == ["c01"] and [STATES[code] for code in found.verdicts[0]] == ["right", "right", "wrong"]
    nothing = compare_several([run(""), run("1"), run("1")], [RIGHT])
    assert nothing.cases.ids == [] and nothing.figures[0].runs[0].mean is None
