from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from karat.core.plugins import load
from karat.core.problems import UserError
from karat.core.records import CallError, Prediction
from karat.core.system import CallFailed
from karat.systems.replay import ReplayConfig, ReplaySystem, open_replay
from tests.systems.asking import answer, ask, error, request

CONFIG = ReplayConfig(type="replay", predictions="unused")


def test_a_recording_comes_back_as_it_was() -> None:
    recorded = Prediction("a", 1, 2, b"{}", None, latency=3.5, tokens=70, cost=0.2)
    assert answer(ReplaySystem([recorded]), CONFIG, request("a", 1, 2)) == recorded


def test_a_latency_that_was_not_recorded_stays_unknown() -> None:
    assert answer(ReplaySystem([Prediction("a", 0, 0, b"{}")]), CONFIG).latency is None


def test_what_is_not_recorded_is_missing() -> None:
    system = ReplaySystem([Prediction("a", 0, 0, b"{}")])
    assert ask(system, CONFIG, request("b"), request("a", 1), request("a", 0, 1)) == [None, None, None]


def test_a_recorded_failure_is_not_tried_again() -> None:
    system = ReplaySystem([Prediction("a", 0, 0, b"raw", CallError("timeout", "no answer", 5))])
    found = answer(system, CONFIG)
    assert (found.error, found.response) == (CallError("timeout", "no answer", 1), b"raw")
    with pytest.raises(CallFailed) as caught:
        system.call(request()).send(None)
    assert not caught.value.retry


def test_a_turn_that_was_not_recorded() -> None:
    alone = ReplaySystem([Prediction("a", None, 0, b"x"), Prediction("a", None, 1, b"y")])
    third = [msgspec.structs.replace(request("a", 3, repeat), default_turn=3) for repeat in range(3)]
    found = ask(alone, CONFIG, request("a", 0), request("a", 3), *third)  # turn 0, unless the case scores turn 3 alone
    assert [item and item.response for item in found] == [b"x", None, b"x", b"y", None]
    several = ReplaySystem([Prediction("a", None, 0, b"x"), Prediction("a", 1, 0, b"y")])
    found = ask(several, CONFIG, request("a", 0), request("a", 1), request("a", 2))
    assert [item and item.response for item in found] == [b"x", b"y", None]


def test_the_suite_reads_the_file(tmp_path: Path) -> None:
    from karat.suites.data_query import suite

    path = tmp_path / "answers.jsonl"
    path.write_text(
        '{"id": "a", "indicator_selection": [], "latency": 2}\nnot json\n{"id": "b", "error": "it broke"}\n'
    )
    config = ReplayConfig(type="replay", predictions=str(path))
    opened = open_replay(config, suite)
    (problem,) = opened.problems
    assert problem.line == 2
    assert answer(opened, config).latency == 2.0
    assert error(opened, config, request("b")) == CallError("recorded", "it broke", 1)
    with pytest.raises(UserError, match="no predictions"):
        open_replay(ReplayConfig(type="replay", predictions=str(tmp_path / "none.jsonl")), suite)
    assert load("karat.systems", "replay").open is open_replay
