"""A new user's assistant behind a loopback OpenAI-compatible server gets its true figure, whatever form its replies have.

For each suite: all right is 1.000, all wrong is 0.000, and what cannot be read is an error, with at most 12 lines of configuration. The
server answers each case in another of the forms.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from karat.cli.main import app
from tests.reply_forms import (
    body,
    chat,
    chunks,
    events,
    given_as_json,
    json_texts,
    responses_api,
    text_forms,
    tool_call,
)

OPENAI = ("content", "content parts", "after reasoning", "Responses API", "events", "Responses API events", "DIAL attachment", "JSON lines of chunks")  # fmt: skip
AS_JSON = ("tool call", "after another tool call", "function call", "structured output", "JSON part", "Responses API call", "DIAL state", "DIAL JSON attachment")  # fmt: skip


def said(text: str) -> dict[str, bytes]:
    """Words in every form an endpoint sends them."""
    return {name: response for name, response in text_forms(text).items() if name in OPENAI}


def replies(answer: Any, *, prose: bool = True) -> dict[str, bytes]:
    """An answer in JSON in every form an endpoint sends it. (Every pair of words and envelope is tried in the tests of the readers.)"""
    texts = {name: text for name, text in json_texts(answer).items() if prose or name != "inside words"}
    found = {f"{name} in content": said(text)["content"] for name, text in texts.items()}
    found |= {f"with words in {form}": response for form, response in said(texts["fenced with words"]).items()}
    return found | {name: response for name, response in given_as_json(answer).items() if name in AS_JSON}


UNREADABLE: Mapping[str, bytes] = {
    "words": body(chat("I am afraid that I cannot say.")),
    "empty": body(chat("")),
    "null": body(chat(None)),
    "cut": body(chat('{"answer": "x", "sql": "SELECT', finish="length")),
    "filtered": body(chat("no", finish="content_filter")),
    "no choices": body({"choices": []}),
    "other JSON": body(chat('{"thoughts": "hm"}')),
    "another tool": body(chat(tool_calls=[tool_call({"q": "x"}, "look_up")])),
    "not JSON": b"<html>Sign in</html>",
    "cut stream": events(chunks("I am afraid")[:-1], done=False),
    "MCP error": body({"isError": True, "content": []}),
    "empty Responses API": body(responses_api()),
}


class Assistant:
    """Replies by the word that the question ends with."""

    def __init__(self) -> None:
        self.replies: Mapping[str, bytes] = {}
        self.asked: list[str] = []


@contextmanager
def served() -> Iterator[tuple[Assistant, str]]:
    assistant = Assistant()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            question = request["messages"][-1]["content"]
            assistant.asked.append(question)
            response = assistant.replies[question.rpartition("#")[2].strip()]
            self.send_response(200)
            kind = "text/event-stream" if response.startswith(b"data:") else "application/json"
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(response)))
            self.end_headers()
            self.wfile.write(response)

        def log_message(self, *_: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield assistant, f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def figure(
    folder: Path, suite: str, metric: str, options: str, url: str, cases: str
) -> tuple[float | None, int, int, Any]:
    """The mean, the scored cases, the errors and the whole result of one run of the command line."""
    config = f"""
systems:
  mine: {{type: openai, base_url: "{url}", model: m, retries: 0, api_key_env: ""}}
suites:
  - {{suite: {suite}, cases: {cases}, system: mine{options}}}
""".strip()
    assert len(config.splitlines()) <= 12
    (folder / "karat.yaml").write_text(config, encoding="utf-8")
    done = CliRunner().invoke(app, ["run", "--json", "result.json"])
    assert done.exit_code in (0, 3), done.output
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    states = [case["status"] for case in result["cases"]]
    (found,) = [item for item in result["summary"] if item["metric"] == metric]
    return found["mean"], states.count("scored"), states.count("error"), result


def all_three(
    folder: Path,
    suite: str,
    metric: str,
    right: Mapping[str, bytes],
    wrong: Mapping[str, bytes],
    write: Callable[[Mapping[str, bytes]], str],
    options: str = "",
    unreadable: Mapping[str, bytes] = UNREADABLE,
) -> None:
    with served() as (assistant, url):
        for forms, mean in ((right, 1.0), (wrong, 0.0)):
            assistant.replies = forms
            found = figure(folder, suite, metric, options, url, write(forms))
            failed = [(case["id"], case["error"]) for case in found[3]["cases"] if case["status"] != "scored"]
            assert found[:3] == (mean, len(forms), 0), failed or found[3]["cases"]
        assistant.replies = unreadable
        found = figure(folder, suite, metric, options, url, write(unreadable))
        assert found[:3] == (None, 0, len(unreadable)), [c["id"] for c in found[3]["cases"] if c["status"] != "error"]
        assert all(case["error"] for case in found[3]["cases"])
        assert f"{metric}" in json.dumps(found[3]["summary"])


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def selection(code: str) -> dict[str, Any]:
    values = [{"id": code, "name": f"name of {code}"}]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}


def test_data_query(here: Path) -> None:
    def write(forms: Mapping[str, bytes]) -> str:
        cases = [
            {
                "id": f"c{n}",
                "conversation": [{"role": "user", "content": f"What of a? #{form}", "target": selection("a")}],
            }
            for n, form in enumerate(forms)
        ]
        (here / "cases.yaml").write_text(json.dumps(cases), encoding="utf-8")
        return "cases.yaml"

    queries = {"queries": [{"datasetUrn": "X:D", "filters": [{"dimensionId": "A", "values": [{"id": "a", "name": "name of a"}]}]}]}  # fmt: skip
    state = {"dimension_id_to_name": {"X:D": {"A": {"a": "name of a"}}}}
    tools = {"tool_messages": [{"role": "tool", "custom_content": {"state": state}}]}
    right = replies(selection("a")) | {"MCP arguments": body(chat(tool_calls=[tool_call(queries)])), "StatGPT": body(chat("Here.", custom_content={"state": tools}))}  # fmt: skip
    wrong = replies(selection("b")) | {"empty": body(chat('{"indicator_selection": []}')), "refusal": body(chat(None, refusal="No."))}  # fmt: skip
    all_three(here, "data_query", "macro_recall", right, wrong, write)


def test_answers_in_sql_on_two_databases(here: Path) -> None:
    for name, value in (("shop", 7), ("zoo", 9)):
        with sqlite3.connect(here / f"{name}.sqlite") as connection:
            connection.execute("CREATE TABLE t (n INTEGER)")
            connection.execute(f"INSERT INTO t VALUES ({value})")
        connection.close()

    def write(forms: Mapping[str, bytes]) -> str:
        (here / "gold").mkdir(exist_ok=True)
        rows = []
        for number, form in enumerate(forms):
            name = ("shop", "zoo")[number % 2]
            (here / "gold" / f"q{number}").mkdir(exist_ok=True)
            (here / "gold" / f"q{number}" / "gold.csv").write_text(f"n\n{(7, 9)[number % 2]}\n", encoding="utf-8")
            evaluation = {
                "func": "table_match",
                "parameters": {"gold": "gold.csv", "condition_cols": [], "ignore_order": True},
            }
            rows.append({"instance_id": f"q{number}", "db_id": name, "question": f"How many? #{form}", "evaluation": evaluation})  # fmt: skip
        (here / "gold" / "spider2_eval.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return "gold"

    def forms_of(sql: str) -> dict[str, bytes]:
        blocks = f"First:\n```sql\nSELECT 0 AS n\n```\nBetter:\n```sql\n{sql}\n```\nDone."
        more = {"bare SQL": chat(sql), "a tool": chat(tool_calls=[tool_call({"query": sql}, "run_sql")])}
        return replies({"sql": sql}) | said(blocks) | {name: body(reply) for name, reply in more.items()}

    # The same table is in both databases, with another number: SQL that reached the wrong one is wrong.
    right = forms_of("SELECT n FROM t")
    wrong = forms_of("SELECT n + 1 AS n FROM t") | {"refusal": body(chat(None, refusal="No."))}
    options = ', options: {engines: {"": {engine: sqlite, database: "{database}.sqlite"}}}'
    all_three(here, "answers", "strict", right, wrong, write, options)


def test_retrieval(here: Path) -> None:
    def write(forms: Mapping[str, bytes]) -> str:
        (here / "qrels").mkdir(exist_ok=True)
        queries = [{"_id": f"q{n}", "text": f"Which? #{form}"} for n, form in enumerate(forms)]
        (here / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
        lines = ["query-id\tcorpus-id\tscore", *(f"q{n}\td1\t1" for n in range(len(forms)))]
        (here / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return "."

    right = replies({"results": ["d1"]}) | replies({"fields": {"documents": {"keys": ["d1"], "scores": [1.0]}}})
    wrong = replies({"results": ["d2"]}) | {"empty": body(chat('{"results": []}'))}
    all_three(here, "retrieval", "recall", right, wrong, write)


def test_codegen(here: Path) -> None:
    (here / "t.csv").write_text("n\n1\n2\n", encoding="utf-8")

    def write(forms: Mapping[str, bytes]) -> str:
        tasks = [
            {"id": f"t{n}", "question": f"What is the sum of n? #{form}", "tables": {"df": "t.csv"}, "expected": 3}
            for n, form in enumerate(forms)
        ]
        (here / "tasks.yaml").write_text(json.dumps(tasks), encoding="utf-8")
        return "tasks.yaml"

    def forms_of(code: str) -> dict[str, bytes]:
        blocks = f"First:\n```python\nresult = 0\n```\nBetter:\n```python\n{code}\n```\nIt prints\n```\n3\n```\n"
        return replies({"code": code}, prose=False) | said(blocks) | {"bare code": body(chat(code))}

    right, wrong = forms_of("result = df.n.sum()"), dict(list(forms_of("result = df.n.max()").items())[::5])
    options = ", options: {performance: false, max_recovery_attempts: 0}"
    all_three(here, "codegen", "passed", right, wrong, write, options)


def test_a_case_without_a_question_is_never_asked(here: Path) -> None:
    cases = [
        {"id": "mute", "conversation": [{"role": "user", "content": "  ", "target": selection("a")}]},
        {"id": "c", "conversation": [{"role": "user", "content": "What of a? #x", "target": selection("a")}]},
    ]
    (here / "cases.yaml").write_text(json.dumps(cases), encoding="utf-8")
    with served() as (assistant, url):
        assistant.replies = {"x": body(chat(json.dumps(selection("a"))))}
        found = figure(here, "data_query", "macro_recall", "", url, "cases.yaml")
        assert found[:3] == (1.0, 1, 1)
        assert assistant.asked == ["What of a? #x"]
        checked = CliRunner().invoke(app, ["check"])
        assert checked.exit_code == 1
        assert 'case "mute" has no question to send to mine' in checked.output
        assert "has no question" not in CliRunner().invoke(app, ["check", "cases.yaml", "--suite", "data_query", "--config", "none.yaml"]).output  # fmt: skip


@pytest.mark.parametrize(
    ("suite", "response", "words"),
    [
        ("data_query", chat(json.dumps(selection("a"))), ["a chat completion", '"dataset_id": "X:D"']),
        ("data_query", chat(None, refusal="No."), ["outcome:", "out_of_scope", "refusal"]),
        ("answers", chat("```sql\nSELECT 0\n```\n```sql\nSELECT 1\n```"), ["sql:", "SELECT 1", "spider2", "SELECT 0"]),
        ("retrieval", {"results": ["d1"]}, ["fields:", '"d1"']),
        ("codegen", chat("```python\nresult = 1\n```"), ["code:", "result = 1"]),
    ],
)
def test_check_response_prints_what_karat_understands(here: Path, suite: str, response: Any, words: list[str]) -> None:
    (here / "reply.json").write_bytes(body(response))
    done = CliRunner().invoke(app, ["check", "--response", "reply.json", "--suite", suite])
    assert done.exit_code == 0, done.output
    assert all(word in done.output for word in words), done.output
    piped = CliRunner().invoke(app, ["check", "--response", "-", "--suite", suite, "--json", "-"], input=body(response))
    assert json.loads(piped.output)["suite"] == suite
