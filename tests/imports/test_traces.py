"""Traces as answers: the forms that exporters and instrumentations write."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from typer.testing import CliRunner

from karat.cli.main import app
from karat.core.problems import UserError
from karat.imports.reading import read_source
from karat.verbs.imports.answers import import_answers
from tests.conftest import NO_SHARED_DATA

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "judge" / "traces"


def value(given: Any) -> dict[str, Any]:
    if isinstance(given, bool):
        return {"boolValue": given}
    return {"intValue": str(given)} if isinstance(given, int) else {"stringValue": given}


def span(
    attributes: dict[str, Any], *, trace: str = "t1", name: str = "s1", parent: str = "", start: int = 1, **more: Any
) -> dict[str, Any]:
    found = {"traceId": trace, "spanId": name, "parentSpanId": parent, "name": name}
    found |= {"startTimeUnixNano": str(start * 10**9), "endTimeUnixNano": str((start + 2) * 10**9)}
    return found | {"attributes": [{"key": key, "value": value(one)} for key, one in attributes.items()], **more}


def document(*spans: dict[str, Any]) -> str:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]})


def messages(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


CURRENT: dict[str, str | int] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.input.messages": messages("user", "How many ships?"),
    "gen_ai.output.messages": messages("assistant", "37 ships"),
    "gen_ai.usage.input_tokens": 7,
    "gen_ai.usage.output_tokens": 2,
}
NUMBERED = {
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be short.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "How many ships?",
    "gen_ai.completion.0.content": "37 ships",
    "gen_ai.usage.prompt_tokens": 7,
    "gen_ai.usage.completion_tokens": 2,
}
OPENINFERENCE = {
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "How many ships?",
    "llm.output_messages.0.message.content": "37 ships",
    "llm.token_count.prompt": 7,
    "llm.token_count.completion": 2,
}
VALUES = {"input.value": "How many ships?", "output.value": "37 ships", **{k: CURRENT[k] for k in list(CURRENT)[3:]}}
EVENTS = [
    {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": value("How many ships?")}]},
    {"name": "gen_ai.choice", "attributes": [{"key": "message", "value": value(json.dumps({"content": "37 ships"}))}]},
]


def gold(folder: Path, *names: str) -> Path:
    rows = [
        {
            "instance_id": name,
            "question": f"How many {name}?",
            "evaluation": {"func": "number_match", "parameters": {"gold": 37}},
        }
        for name in names or ("ships",)
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "gold.jsonl"


@pytest.mark.parametrize(
    "text",
    [
        document(span(CURRENT)),
        document(span(NUMBERED)),
        document(span(OPENINFERENCE)),
        document(span(VALUES)),
        document(span({k: CURRENT[k] for k in list(CURRENT)[3:]}, events=EVENTS)),
        json.dumps(json.loads(document(span(CURRENT))), indent=2),
        f"{document(span(CURRENT))}\n{document(span({'other': 1}, trace='t1', name='s2', parent='s1'))}\n",
        json.dumps([json.loads(document(span(CURRENT)))]),
    ],
    ids=["conventions", "numbered", "openinference", "values", "events", "indented", "lines", "list"],
)
def test_the_same_call_in_every_form(text: str, tmp_path: Path) -> None:
    (tmp_path / "traces.json").write_text(text)
    source = read_source(tmp_path / "traces.json")
    assert source.format == "OpenTelemetry traces"
    (row,) = source.rows
    assert (row.cells["answer"], row.cells["tokens"], row.cells["latency"]) == ("37 ships", 9, 2.0)
    done = import_answers(tmp_path / "traces.json", "answers", gold(tmp_path), to=tmp_path / "out")
    assert (done.count, done.cases, list(done.skipped)) == (1, 1, [])


def test_the_command_that_is_printed_scores_the_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold SQL needs its databases: from the project, or as a part of the command."""
    monkeypatch.chdir(tmp_path)
    with closing(sqlite3.connect("fleet.sqlite")) as database:
        database.execute("CREATE TABLE ships (id INTEGER)")
    Path("team.yaml").write_text("- {id: q1, question: How many ships?, sql: SELECT count(*) FROM ships}\n")
    Path("t.json").write_text(document(span(CURRENT)))

    def scored(*words: str) -> str:
        done = import_answers(Path("t.json"), "answers", Path("team.yaml"), to=Path("out"), force=True)
        assert done.to_fill_in == words
        command = [word.replace("=PATH", "=fleet.sqlite") for word in done.command]
        said = CliRunner().invoke(app, command[1:])
        assert "no databases" not in said.output and "1 scored" in said.output
        return " ".join(done.command)

    assert scored("databases").endswith("--cases team.yaml --predictions out/predictions.jsonl --option databases=PATH")
    entry = "{suite: answers, questions: team.yaml, databases: fleet.sqlite, predictions: old.jsonl}"
    Path("karat.yaml").write_text(f"suites:\n  - {entry}\n")
    assert scored() == "karat score --suite answers --predictions out/predictions.jsonl"


def test_what_the_console_exporter_of_the_sdk_prints(tmp_path: Path) -> None:
    with (tmp_path / "printed.txt").open("w") as file:
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter(out=file)))
        tracer = provider.get_tracer("test")
        with tracer.start_as_current_span("agent"):
            for _ in range(2):
                with tracer.start_as_current_span("chat", attributes=CURRENT):
                    pass
    (row,) = read_source(tmp_path / "printed.txt").rows
    assert row.cells["answer"] == "37 ships"


def test_the_outermost_answer_of_a_trace_counts_with_the_tokens_of_all_its_calls(tmp_path: Path) -> None:
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.output.messages": messages("assistant", "37, I am sure")}
    inner = [span(CURRENT, name=f"s{n}", parent="root", start=n) for n in (2, 5)]
    (tmp_path / "t.json").write_text(document(*inner, span(agent, name="root", start=1)))
    (row,) = read_source(tmp_path / "t.json").rows
    assert (row.cells["answer"], row.cells["tokens"]) == ("37, I am sure", 18)


def test_failed_traces_unknown_questions_and_missing_texts_are_never_answers(tmp_path: Path) -> None:
    failed = span(CURRENT, trace="t2", start=3, status={"code": 2, "message": "timeout"})
    unknown = span({**CURRENT, "gen_ai.input.messages": messages("user", "Why?")}, trace="t3", start=5)
    silent = span({"gen_ai.operation.name": "chat"}, trace="t4", start=7)
    (tmp_path / "t.jsonl").write_text(document(span(CURRENT), failed, unknown, silent))
    done = import_answers(tmp_path / "t.jsonl", "data_query", cases(tmp_path), to=tmp_path / "out")
    lines = [json.loads(line) for line in done.predictions.read_text().splitlines()]
    assert [(line["id"], line.get("repeat", 0), bool(line.get("error"))) for line in lines] == [
        ("ships", 0, False),
        ("ships", 1, True),
    ]
    told = " ".join(problem.message for problem in done.skipped)
    assert "no case has its question: Why?" in told and "(t4) has no answer" in told


def test_repairs_of_one_answer_are_one_prediction(tmp_path: Path) -> None:
    named = {**CURRENT, "karat.case.id": "ships", "karat.turn": 0, "karat.repeat": 0}
    second = {**named, "karat.response": "38 ships"}
    text = document(span({**named, "karat.response": "37 ships"}, name="a"), span(second, name="b", start=4))
    (tmp_path / "t.json").write_text(text)
    done = import_answers(tmp_path / "t.json", "data_query", cases(tmp_path), to=tmp_path / "out")
    (line,) = done.predictions.read_text().splitlines()
    assert "37 ships" in line and "38 ships" in line and done.count == 1
    assert json.loads(line)["tokens"] == 18


def cases(folder: Path) -> Path:
    target = {"indicator_selection": [{"dataset_id": "A:B", "dimensions": []}]}
    case = {"id": "ships", "conversation": [{"role": "user", "content": "How many  ships?", "target": target}]}
    (folder / "cases.yaml").write_text(json.dumps(case))
    return folder / "cases.yaml"


def test_the_same_question_twice_is_not_guessed_and_nothing_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text(document(span(CURRENT)))
    file = gold(tmp_path, "ships", "seats")
    file.write_text(file.read_text().replace("How many seats?", "how many ships?"))
    with pytest.raises(UserError, match="no answer of") as raised:
        import_answers(tmp_path / "t.json", "answers", file)
    assert "several cases have its question" in raised.value.problems[0].message


@pytest.mark.shared_data
@pytest.mark.skipif(not SHARED.exists(), reason=NO_SHARED_DATA)
def test_the_shared_trace() -> None:
    (row,) = read_source(SHARED / "otlp.json").rows
    expected = json.loads((SHARED / "expected.json").read_text())
    assert row.cells["answer"] == "Chile had 19.5 million people in 2021."
    assert (row.cells["tokens"], row.cells["latency"]) == (expected["tokens"], 1.5)
