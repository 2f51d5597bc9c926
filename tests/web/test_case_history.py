"""One case through the runs of its suite."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from sqlalchemy import event
from starlette.testclient import TestClient

from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.store import RunRecord, Store, open_store
from karat.store.viewer_queries import Viewing
from karat.web.app import create_app
from tests.web.conftest import HERE
from tests.web.sample_store import a_case, a_failure, summary_of
from tests.web.test_case_forms import words


def add(
    store: Store,
    cases: list[CaseResult],
    truth: str = "t1",
    system: str = "a",
    prompt: str = "p1",
    setting: str = "model",
    **more: str,
) -> int:
    """A finished run with its settings."""
    config = {"system": {"type": "openai", setting: system, **more}, "prompt": prompt}
    record = RunRecord(suite="data_query", system=system, cases=len(cases), status="finished", truth_set=truth)
    run = store.create_run(replace(record, config=config))
    stored = {"conversation": [{"role": "user", "content": "?", "target": {}}]}
    store.add_cases(run, [(case.id, msgspec.json.encode({"id": case.id, **stored})) for case in cases])
    info = RunInfo("data_query", cases=len(cases), truth_set=truth)
    store.add_scoring(run, RunResult(info, summary_of(cases), tuple(cases)))
    return run


@pytest.fixture
def asked(tmp_path: Path) -> Callable[[list[Any]], TestClient]:
    """A viewer over runs of three cases; the second is right or wrong as said, or failed (None)."""

    def build(verdicts: list[Any], **settings: Any) -> TestClient:
        url = f"sqlite:///{tmp_path}/karat.db"
        with open_store(url) as store:
            for right in verdicts:
                own = a_failure(1) if right is None else a_case(1, right, float(right))
                add(store, [a_case(0, True, 1.0), own, a_case(2, True, 1.0)], **settings)
        return TestClient(create_app(url), base_url=HERE)

    return build


def test_where_it_broke_and_that_it_is_flaky(asked: Callable[..., TestClient]) -> None:
    client = asked([True, None, True, False, True, False])
    text = client.get("/cases/data_query?id=case_001").text
    said = words(text)
    assert "Wrong in r-0006; right in 3 of the 5 runs so far" in said
    assert "First broken at r-0004 ." in said
    assert (
        "Flaky : with the same truth and the same system settings it was right in r-0003 and not right in r-0004"
        in said
    )
    assert said.count("asked for Ghana, got France") >= 1 and "as gold" in said
    assert "0001, 0003, 0005" in said and "0004, 0006" in said
    assert "The case in r-0006".lower() in said.lower()
    beside = client.get("/runs/r-0006/cases/1").text
    assert "right in 3 of 5 · wrong again since r-0006" in words(beside)
    assert 'href="/cases/data_query?id=case_001&amp;b=r-0006">history</a>' in beside


def test_two_answers_side_by_side(asked: Callable[..., TestClient]) -> None:
    client = asked([True, False, True])
    assert "as gold 2 0001, 0003" in words(client.get("/cases/data_query?id=case_001").text)
    found = client.get("/cases/data_query?id=case_001&a=r-0001&b=r-0002").text
    side = found[found.index("Two runs side by side") :]
    assert side.index('class="term found"') < side.index("GHA") < side.index("≠") < side.index("FRA")
    assert '<option value="r-0001" selected>r-0001 · A · right</option>' in side
    same = words(client.get("/cases/data_query?id=case_001&a=r-0001&b=r-0003").text)
    assert "1 part equal in both COUNTRY" in same
    usual = client.get("/cases/data_query?id=case_001").text
    assert '<option value="r-0002" selected>' in usual, "the newest beside the last that answered otherwise"


def test_a_change_of_settings_or_of_truth_is_not_flaky(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        add(store, [a_case(1, True, 1.0)], prompt="p1")
        add(store, [a_case(1, False, 0.0)], prompt="p2")
        add(store, [a_case(1, True, 1.0)], truth="t2")
        add(store, [a_case(1, False, 0.0)], system="b")
    with TestClient(create_app(url), base_url=HERE) as client:
        said = words(client.get("/cases/data_query?id=case_001").text)
    assert "Flaky" not in said and "First broken at r-0002" in said and "Truth set" in said


def test_recorded_answers_are_not_flaky(tmp_path: Path) -> None:
    """Two recordings with the same settings may be of two systems."""
    url = f"sqlite:///{tmp_path}/karat.db"
    with open_store(url) as store:
        for right in (True, False):
            add(store, [a_case(1, right, float(right))], system="answers.jsonl", setting="predictions")
        viewing = Viewing(store)
        assert viewing.same_settings([(1, "t1"), (2, "t1")]) == [None, None]
    with TestClient(create_app(url), base_url=HERE) as client:
        said = words(client.get("/cases/data_query?id=case_001").text)
    assert "First broken at r-0002" in said and "Flaky" not in said


@pytest.mark.parametrize(("version", "known"), [("", False), ("1.2", True)])
def test_what_is_behind_a_function_is_known_by_its_version_alone(tmp_path: Path, version: str, known: bool) -> None:
    """Its code may be another one under the same name, so a case that changed is not flaky."""
    with open_store(f"sqlite:///{tmp_path}/karat.db") as store:
        for right in (True, False):
            add(
                store,
                [a_case(1, right, float(right))],
                "t1",
                "ask",
                setting="function",
                type="function",
                version=version,
            )
        add(store, [a_case(1, True, 1.0)], "t1", "x", setting="address", type="of a plug-in that is not installed")
        first, second, third = Viewing(store).same_settings([(1, "t1"), (2, "t1"), (3, "t1")])
    assert (first == second) and (first is not None) is known and third is None


def test_a_case_is_found_in_another_order_and_a_run_without_it_is_left_out(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/karat.db"
    cases = [a_case(number, True, 1.0) for number in range(5)]
    with open_store(url) as store:
        add(store, cases)
        add(store, cases[::-1])
        add(store, cases[3:], truth="t3")
        add(store, [replace(case, id=f"{case.id}_more") for case in cases], truth="t4")
        found = Viewing(store).case_history(store.runs(10, "data_query"), "case_001")
        assert [(one.run.id, one.position) for one in found] == [(2, 3), (1, 1)]
    with TestClient(create_app(url), base_url=HERE) as client:
        assert client.get("/cases/data_query?id=nobody").status_code == 404
        assert client.get("/cases/nothing?id=case_001").status_code == 404
        assert client.get("/cases/data_query?id=case_001&a=r-0099&b=x").status_code == 200


def test_what_changed_since_the_baseline(asked: Callable[..., TestClient]) -> None:
    client = asked([True, False])
    text = client.get("/runs/r-0002/cases/1?baseline=r-0001").text
    assert "What changed since r-0001 right there" in words(text)
    delta = text[text.index('<div class="delta">') :]
    assert delta.index("cellv data r") < delta.index("Ghana") < delta.index("cellv data w") < delta.index("France")
    assert text.count('<td class="num dim">') == 3, "the scores before"


def test_a_history_reads_one_block_of_each_run(tmp_path: Path) -> None:
    """However many cases the runs have: the place of the case is guessed from the run before."""
    url = f"sqlite:///{tmp_path}/karat.db"
    cases = [a_case(number, True, 1.0) for number in range(4_000)]
    with open_store(url) as store:
        for _ in range(3):
            add(store, cases)
        rows = store.runs(10, "data_query")
        read: list[str] = []
        event.listen(store._engine, "before_cursor_execute", lambda *told: read.append(told[2]))
        found = Viewing(store).case_history(rows, "case_3999", 3999)
    assert [one.position for one in found] == [3999] * 3
    assert len([statement for statement in read if "_blocks" in statement]) == 3
