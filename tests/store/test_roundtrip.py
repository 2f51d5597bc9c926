"""Whatever a system answers comes back from both databases as it was."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from karat.core.records import CallError, Prediction
from karat.core.results.result import CaseResult, RunInfo, RunResult
from karat.store import RunRecord, Store, open_store
from karat.store.codec import LARGE, RAW, ZLIB, from_text, pack, to_text, unpack
from tests.store.conftest import PostgresServer

any_text = st.text(st.characters(exclude_categories=()) | st.sampled_from("\x00\u2400\ud800;0d"), max_size=30)
whole = st.integers(0, 2**63 - 1)
number = st.none() | st.floats(allow_nan=False)
errors = st.none() | st.builds(CallError, kind=any_text, message=any_text, tries=whole)
responses = st.binary(max_size=3000) | st.binary(min_size=1, max_size=20).map(lambda part: part * 500)
predictions = st.builds(
    Prediction,
    case_id=any_text,
    turn=st.none() | whole,
    repeat=whole,
    response=responses,
    error=errors,
    latency=number,
    tokens=st.none() | whole,
    cost=number,
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def lasting_store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """One store for all examples."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('roundtrip')}/karat.db"
    else:
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
    with open_store(url) as opened:
        yield opened


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(items=st.lists(predictions, max_size=5, unique_by=lambda item: (item.case_id, item.turn, item.repeat)))
def test_predictions(lasting_store: Store, items: list[Prediction]) -> None:
    run = lasting_store.create_run(RunRecord(suite="data_query"))
    lasting_store.add_predictions(run, items)
    assert lasting_store.predictions(run) == items
    for item in items:
        assert lasting_store.attempts(run, item.case_id, item.turn, item.repeat) == [item]


@settings(max_examples=30, deadline=None)
@given(suite=any_text, name=any_text, system=any_text)
def test_names_of_runs(lasting_store: Store, suite: str, name: str, system: str) -> None:
    run = lasting_store.create_run(RunRecord(suite=suite, name=name, system=system))
    found = lasting_store.run(run)
    assert (found.suite, found.name, found.system) == (suite, name, system)
    assert lasting_store.runs(1, suite=suite)[0].id == run


@given(any_text)
def test_stored_text_has_only_what_databases_take_and_reads_back(text: str) -> None:
    stored = to_text(text)
    assert "\x00" not in stored
    stored.encode("utf-8")
    assert from_text(stored) == text


def test_the_escapes_are_visible() -> None:
    assert to_text("a\x00b\ud800c\u2400") == "a␀0;b␀d800;c␀␀"
    assert to_text("plain, größe, 😀") == "plain, größe, 😀"


@given(responses)
def test_packing(data: bytes) -> None:
    codec, packed = pack(data)
    assert unpack(codec, packed) == data
    assert len(packed) <= len(data)
    assert codec == RAW or len(data) > LARGE


def test_what_does_not_shrink_stays_as_it_is() -> None:
    noise = os.urandom(10_000)
    assert pack(noise) == (RAW, noise)
    assert pack(b"x" * 10_000)[0] == ZLIB


def test_a_huge_answer(lasting_store: Store) -> None:
    run = lasting_store.create_run(RunRecord(suite="data_query"))
    huge = Prediction("a", response=os.urandom(1000) * 30_000)  # 30 MB
    lasting_store.add_predictions(run, [huge, Prediction("b", response=os.urandom(8_000_000))])
    found = lasting_store.predictions(run)
    assert found[0] == huge
    assert len(found[1].response) == 8_000_000


def test_numbers_that_no_database_holds(lasting_store: Store) -> None:
    run = lasting_store.create_run(RunRecord(suite="data_query"))
    lasting_store.add_predictions(run, [Prediction("a", latency=float("nan"), tokens=10**30, cost=float("inf"))])
    assert lasting_store.predictions(run) == [Prediction("a", latency=None, tokens=2**63 - 1, cost=float("inf"))]


def test_odd_text_in_scores_becomes_visible(lasting_store: Store) -> None:
    run = lasting_store.create_run(RunRecord(suite="data_query", options={"key\x00": "\ud800"}))
    case = CaseResult("a\x00\ud800", "scored", {}, {"quote": "x\ud800\x00y", "deep": [{"\udfff": ("\ud801",)}]})
    lasting_store.add_scoring(run, RunResult(RunInfo("data_query", name="\ud800"), (), (case,)))
    found = lasting_store.result(run)
    assert found.cases[0].details == {"quote": "x\\ud800\x00y", "deep": [{"\\udfff": ["\\ud801"]}]}
    assert found.run.name == "\\ud800"
    assert lasting_store.run(run).options == {"key\x00": "\\ud800"}


def test_cases_are_kept_byte_for_byte(lasting_store: Store, tmp_path: Path) -> None:
    run = lasting_store.create_run(RunRecord(suite="data_query"))
    data = msgspec.json.encode({"id": "a", "text": "\x00 é 😀" * 1000})
    lasting_store.add_cases(run, [("a\x00", data)])
    assert lasting_store.cases(run) == [data]
