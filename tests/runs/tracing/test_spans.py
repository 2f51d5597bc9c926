"""Runs recorded with the real SDK of OpenTelemetry: in memory, in a file, and read back as predictions."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

import karat
from karat.core.problems import UserError
from karat.store import open_store
from karat.verbs.imports.answers import import_answers
from tests.chat_server import Chat, chatting

GOLD = [
    {
        "instance_id": name,
        "question": f"How many {name}?",
        "evaluation": {"func": "number_match", "parameters": {"gold": n}},
    }
    for name, n in (("ships", 37), ("seats", 40))
]


@pytest.fixture
def chat() -> Iterator[Chat]:
    with chatting(lambda asked: 500 if "seats" in str(asked["messages"]) else "There are 37.") as running:
        yield running


def recorded(chat: Chat, tmp_path: Path, **more: Any) -> tuple[karat.RunResult, dict[str, list[ReadableSpan]]]:
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    result = karat.run(
        "answers", GOLD, chat.settings(temperature=0.5), traces=provider, store=tmp_path / "runs.db", **more
    )
    spans: dict[str, list[ReadableSpan]] = {}
    for span in exporter.get_finished_spans():
        spans.setdefault(span.name.split()[0], []).append(span)
    return result, spans


def test_run_calls_and_scores_are_spans_with_the_attributes_of_the_conventions(chat: Chat, tmp_path: Path) -> None:
    result, spans = recorded(chat, tmp_path)
    assert {kind: len(found) for kind, found in spans.items()} == {"chat": 2, "score": 2, "karat": 1}
    (run,) = spans["karat"]
    assert run.attributes is not None and run.attributes["karat.run.id"] == result.run.id
    calls = {str((span.attributes or {})["karat.case.id"]): span for span in spans["chat"]}
    asked = dict(calls["ships"].attributes or {})
    assert asked.pop("karat.latency") == result.cases[0].scores["latency"].value
    assert asked == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m1",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.model": "m1",
        "gen_ai.usage.input_tokens": 100,
        "gen_ai.usage.output_tokens": 10,
        "karat.case.id": "ships",
        "karat.repeat": 0,
        "karat.tokens": 110,
        "karat.turn": 0,
    }
    context = run.get_span_context()
    assert context is not None
    assert all(span.parent is not None and span.parent.span_id == context.span_id for span in spans["chat"])
    assert (calls["seats"].attributes or {})["error.type"] == "server_error"
    assert calls["seats"].status.status_code.name == "ERROR"
    scores = {str((span.attributes or {})["karat.case.id"]): span for span in spans["score"]}
    assert (scores["ships"].attributes or {})["karat.outcome"] == "right"
    called = calls["ships"].get_span_context()
    assert called is not None and scores["ships"].links[0].context.span_id == called.span_id
    values = {
        str((event.attributes or {})["gen_ai.evaluation.name"]): (event.attributes or {}).get(
            "gen_ai.evaluation.score.value"
        )
        for event in scores["ships"].events
    }
    assert values["strict"] == 1.0


def test_no_text_of_a_prompt_or_an_answer_is_recorded_unless_it_is_asked_for(chat: Chat, tmp_path: Path) -> None:
    _, spans = recorded(chat, tmp_path)
    text = "".join(span.to_json() for found in spans.values() for span in found)
    assert "How many" not in text and "There are" not in text
    _, spans = recorded(chat, tmp_path, traces_content=True)
    attributes = next(span.attributes for span in spans["chat"] if (span.attributes or {})["karat.case.id"] == "ships")
    assert attributes is not None
    asked = [{"role": "user", "parts": [{"type": "text", "content": "How many ships?"}]}]
    assert json.loads(str(attributes["gen_ai.input.messages"])) == asked
    said = json.loads(str(attributes["gen_ai.output.messages"]))
    assert said[0]["parts"][0]["content"] == "There are 37."


def test_a_file_of_traces_reads_back_as_the_same_predictions(
    chat: Chat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in GOLD))
    first = karat.run(
        "answers",
        "gold.jsonl",
        chat.settings(),
        traces="traces.jsonl",
        traces_content=True,
        repeats=2,
        store="runs.db",
    )
    done = import_answers(tmp_path / "traces.jsonl", "answers", tmp_path / "gold.jsonl", to=tmp_path / "read")
    assert done.count == 4 and done.cases == 2 and not done.skipped
    again = karat.score("answers", "gold.jsonl", done.predictions)
    for before, after in zip(first.cases, again.cases, strict=True):
        assert (before.id, before.scores["strict"].value) == (after.id, after.scores["strict"].value)
    with pytest.raises(UserError, match="would be overwritten"):
        import_answers(tmp_path / "traces.jsonl", "answers", tmp_path / "gold.jsonl", to=tmp_path / "read")


def test_a_run_without_traces_does_not_load_opentelemetry(tmp_path: Path) -> None:
    code = (
        "import sys, karat; karat.run('answers', [{'instance_id': 'a', 'question': 'q', 'evaluation': "
        "{'func': 'number_match', 'parameters': {'gold': 1}}}], lambda request: '1', store=sys.argv[1]); "
        "print([name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "runs.db")],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stdout.strip() == "[]"


def test_traces_that_cannot_be_written_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="traces_content needs traces"):
        karat.run("answers", GOLD, lambda request: "37", traces_content=True, store=tmp_path / "runs.db")
    with pytest.raises(UserError, match="cannot write traces"):
        karat.run("answers", GOLD, lambda request: "37", traces=tmp_path, store=tmp_path / "runs.db")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_traces_that_are_lost_on_a_full_disk_are_reported_and_the_run_is_stored(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="the traces in /dev/full are not complete: No space left on device"):
        karat.run("answers", GOLD, lambda request: "37", traces="/dev/full", store=tmp_path / "runs.db")
    with open_store(str(tmp_path / "runs.db")) as store:
        assert [run.status for run in store.runs()] == ["finished"]
