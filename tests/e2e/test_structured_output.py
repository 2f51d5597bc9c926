"""A model that does what it is told, and no more, is right: the default prompt and ``response_format: suite`` fit what
the suite reads.

Both for chat completions and for the Responses API, where the request has another form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from karat.cli.main import app
from tests.e2e.assistants import PROJECTS, served
from tests.reply_forms import body, chat, output_text, responses_api

CASES = {"one": b"", "two": b""}


def obeyed(schema: Mapping[str, Any], known: Mapping[str, Any]) -> Any:
    """A value that fits a schema, with what the model knows where a property has that name."""
    if "anyOf" in schema:
        return obeyed(schema["anyOf"][-1], known)
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "object" in kinds:
        assert schema["additionalProperties"] is False
        assert set(schema["required"]) == set(schema["properties"])
        return {
            name: known[name] if name in known else obeyed(inner, known) for name, inner in schema["properties"].items()
        }
    return None if "null" in kinds else {"array": [], "string": "", "boolean": False}[kinds[0]]


def run(folder: Path, arguments: list[str] | None = None) -> Any:
    done = CliRunner().invoke(app, ["run", "--json", "result.json", *(arguments or ())])
    assert done.exit_code == 0, done.output
    return json.loads((folder / "result.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("suite", PROJECTS)
@pytest.mark.parametrize("path", ["/chat/completions", "/responses"])
def test_what_obeys_the_schema_of_the_suite_is_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, path: str
) -> None:
    monkeypatch.chdir(tmp_path)
    project = PROJECTS[suite]
    with served() as (assistant, url):

        def answer(request: dict[str, Any]) -> bytes:
            if path == "/responses":
                given = request["text"]["format"]
                assert "response_format" not in request
            else:
                given = {"type": request["response_format"]["type"], **request["response_format"]["json_schema"]}
            assert (given["type"], given["name"], given["strict"]) == ("json_schema", f"karat_{suite}", True)
            text = json.dumps(obeyed(given["schema"], project.answer))
            return body(responses_api(output_text(text)) if path == "/responses" else chat(text))

        assistant.answer = answer
        project.config(tmp_path, url, CASES, f", path: {path}, prompt: default, response_format: suite, temperature: 0")
        result = run(tmp_path)
    (found,) = [item for item in result["summary"] if item["metric"] == project.metric]
    assert (found["mean"], found["n"]) == (1.0, len(CASES))
    assert all(asked.rpartition("?")[0] and len(asked) > 60 for asked in assistant.asked)
    assert {where for where, _ in assistant.requests} == {f"/v1{path}"}


def test_the_responses_api_gets_its_own_names_and_its_stream_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = PROJECTS["retrieval"]
    with served() as (assistant, url):
        assistant.replies = {name: project.right[name] for name in ("Responses API call events", "Responses API call")}
        more = (
            ", path: /responses, stream: true, max_tokens: 50, response_format: json_object, system_prompt: Be brief."
        )
        project.config(tmp_path, url, assistant.replies, more)
        result = run(tmp_path)
    (found,) = [item for item in result["summary"] if item["metric"] == "recall"]
    assert (found["mean"], found["n"]) == (1.0, 2)
    (_, request), *_ = assistant.requests
    assert request["text"] == {"format": {"type": "json_object"}} and request["max_output_tokens"] == 50
    assert request["stream"] is True
    assert not {"messages", "max_tokens", "response_format", "stream_options"} & set(request)
    assert [message["role"] for message in request["input"]] == ["system", "user"]


def test_where_only_some_cases_have_a_database_either_answer_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = PROJECTS["answers"]
    with served() as (assistant, url):
        more = ", prompt: default, response_format: suite"
        project.config(tmp_path, url, CASES, more)
        config = (tmp_path / "karat.yaml").read_text(encoding="utf-8")
        (tmp_path / "karat.yaml").write_text(config.replace('engines: {"":', "engines: {q0:"), encoding="utf-8")
        gold = tmp_path / "gold" / "spider2_eval.jsonl"
        first, second = map(json.loads, gold.read_text(encoding="utf-8").splitlines())
        second["evaluation"] = {"func": "number_match", "parameters": {"gold": 9}}
        gold.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n", encoding="utf-8")

        def answer(request: dict[str, Any]) -> bytes:
            schema = request["response_format"]["json_schema"]["schema"]
            knows_tables = "Its tables:" in request["messages"][-1]["content"]
            known = project.answer if knows_tables else {"answer": "9"}
            return body(chat(json.dumps(obeyed(schema, known))))

        assistant.answer = answer
        result = run(tmp_path)
    (found,) = [item for item in result["summary"] if item["metric"] == "strict"]
    assert (found["mean"], found["n"]) == (1.0, 2), result["cases"]
