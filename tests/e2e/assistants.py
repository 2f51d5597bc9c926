"""Assistants behind a loopback OpenAI-compatible server: a small project of each suite, and what the server replies in
each of its cases.

A project has one case for each form of a reply. Its question ends with ``#`` and the name of the form, by which the
server replies.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

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

OPENAI = ("content", "content parts", "after reasoning", "Responses API", "events", "Responses API events",
    "DIAL attachment", "JSON lines of chunks")  # fmt: skip
NOT_OPENAI = ("body", "recorded", "MCP structuredContent")
"""Of the forms of JSON, those that no OpenAI-compatible endpoint sends."""

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


def said(text: str) -> dict[str, bytes]:
    """Words in every form an endpoint sends them."""
    return {name: response for name, response in text_forms(text).items() if name in OPENAI}


def replies(answer: Any, *, prose: bool = True) -> dict[str, bytes]:
    """An answer in JSON in every form an endpoint sends it. (Every pair of words and envelope is tried in the tests of
    the readers.)"""
    texts = {name: text for name, text in json_texts(answer).items() if prose or name != "inside words"}
    found = {f"{name} in content": said(text)["content"] for name, text in texts.items()}
    found |= {f"with words in {form}": response for form, response in said(texts["fenced with words"]).items()}
    return found | {name: response for name, response in given_as_json(answer).items() if name not in NOT_OPENAI}


@dataclass(frozen=True)
class Project:
    """One suite in an empty folder."""

    suite: str
    metric: str
    write: Callable[[Path, Mapping[str, bytes]], str]
    """Writes a case for each form, and gives the path of the cases."""
    right: Mapping[str, bytes]
    wrong: Mapping[str, bytes]
    answer: Mapping[str, Any]
    """What a model that obeys the suite's own schema gives for its properties."""
    options: str = ""
    extras: tuple[str, ...] = ()
    """Of the install, which the suite needs for these cases."""

    def config(self, folder: Path, url: str, forms: Mapping[str, bytes], more: str = "") -> None:
        """The project as a new user writes it."""
        text = f"""
systems:
  mine: {{type: openai, base_url: "{url}", model: m, retries: 0, api_key_env: ""{more}}}
suites:
  - {{suite: {self.suite}, cases: {self.write(folder, forms)}, system: mine{self.options}}}
""".strip()
        assert len(text.splitlines()) <= 12
        (folder / "karat.yaml").write_text(text, encoding="utf-8")


# -- the server -------------------------------------------------------------------------------------------------------


class Assistant:
    """Replies by the word that the question ends with, or as ``answer`` says from the whole request."""

    def __init__(self) -> None:
        self.replies: Mapping[str, bytes] = {}
        self.answer: Callable[[dict[str, Any]], bytes] | None = None
        self.asked: list[str] = []
        self.requests: list[tuple[str, dict[str, Any]]] = []

    def reply(self, path: str, request: dict[str, Any]) -> bytes:
        self.requests.append((path, request))
        question = (request.get("messages") or request["input"])[-1]["content"]
        self.asked.append(question)
        return self.answer(request) if self.answer else self.replies[question.rpartition("#")[2].strip()]


@contextmanager
def served() -> Iterator[tuple[Assistant, str]]:
    assistant = Assistant()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            response = assistant.reply(self.path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
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


# -- the suites -------------------------------------------------------------------------------------------------------


def selection(code: str) -> dict[str, Any]:
    values = [{"id": code, "name": f"name of {code}"}]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}


def _data_query() -> Project:
    def write(folder: Path, forms: Mapping[str, bytes]) -> str:
        cases = [
            {
                "id": f"c{n}",
                "conversation": [{"role": "user", "content": f"What of a? #{form}", "target": selection("a")}],
            }
            for n, form in enumerate(forms)
        ]
        (folder / "cases.yaml").write_text(json.dumps(cases), encoding="utf-8")
        return "cases.yaml"

    queries = {"queries": [{"datasetUrn": "X:D",
            "filters": [{"dimensionId": "A", "values": [{"id": "a", "name": "name of a"}]}]}]}  # fmt: skip
    state = {"dimension_id_to_name": {"X:D": {"A": {"a": "name of a"}}}}
    tools = {"tool_messages": [{"role": "tool", "custom_content": {"state": state}}]}
    right = replies(selection("a")) | {"MCP arguments": body(chat(tool_calls=[tool_call(queries)])),
        "StatGPT": body(chat("Here.", custom_content={"state": tools}))}  # fmt: skip
    wrong = replies(selection("b")) | {"empty": body(chat('{"indicator_selection": '
                                                          '[]}')),
                                                  "refusal": body(chat(None, refusal="No."))}  # fmt: skip
    return Project("data_query", "macro_recall", write, right, wrong, selection("a"))


def _answers() -> Project:
    def write(folder: Path, forms: Mapping[str, bytes]) -> str:
        for name, value in (("shop", 7), ("zoo", 9)):
            if not (folder / f"{name}.sqlite").exists():
                connection = sqlite3.connect(folder / f"{name}.sqlite")
                with connection:
                    connection.execute("CREATE TABLE t (n INTEGER)")
                    connection.execute(f"INSERT INTO t VALUES ({value})")
                connection.close()
        (folder / "gold").mkdir(exist_ok=True)
        rows = []
        for number, form in enumerate(forms):
            (folder / "gold" / f"q{number}").mkdir(exist_ok=True)
            (folder / "gold" / f"q{number}" / "gold.csv").write_text(f"n\n{(7, 9)[number % 2]}\n", encoding="utf-8")
            parameters = {"gold": "gold.csv", "condition_cols": [], "ignore_order": True}
            row = {"instance_id": f"q{number}", "db_id": ("shop", "zoo")[number % 2], "question": f"How many? #{form}"}
            rows.append(row | {"evaluation": {"func": "table_match", "parameters": parameters}})
        (folder / "gold" / "spider2_eval.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return "gold"

    def forms_of(sql: str) -> dict[str, bytes]:
        blocks = f"First:\n```sql\nSELECT 0 AS n\n```\nBetter:\n```sql\n{sql}\n```\nDone."
        more = {"bare SQL": chat(sql), "a tool": chat(tool_calls=[tool_call({"query": sql}, "run_sql")])}
        return replies({"sql": sql}) | said(blocks) | {name: body(reply) for name, reply in more.items()}

    # The same table is in both databases, with another number: SQL that reached the wrong one is wrong.
    right = forms_of("SELECT n FROM t")
    wrong = forms_of("SELECT n + 1 AS n FROM t") | {"refusal": body(chat(None, refusal="No."))}
    options = ', options: {engines: {"": {engine: sqlite, database: "{database}.sqlite"}}}'
    answer = {"sql": "SELECT n FROM t"}
    return Project("answers", "strict", write, right, wrong, answer, options, ("answers", "sql"))


def _retrieval() -> Project:
    def write(folder: Path, forms: Mapping[str, bytes]) -> str:
        (folder / "qrels").mkdir(exist_ok=True)
        queries = [{"_id": f"q{n}", "text": f"Which? #{form}"} for n, form in enumerate(forms)]
        (folder / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
        lines = ["query-id\tcorpus-id\tscore", *(f"q{n}\td1\t1" for n in range(len(forms)))]
        (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        return "."

    right = replies({"results": ["d1"]}) | replies({"fields": {"documents": {"keys": ["d1"], "scores": [1.0]}}})
    wrong = replies({"results": ["d2"]}) | {"empty": body(chat('{"results": []}'))}
    return Project("retrieval", "recall", write, right, wrong, {"documents": ["d1"]})


def _codegen() -> Project:
    def write(folder: Path, forms: Mapping[str, bytes]) -> str:
        (folder / "t.csv").write_text("n\n1\n2\n", encoding="utf-8")
        tasks = [
            {"id": f"t{n}", "question": f"What is the sum of n? #{form}", "tables": {"df": "t.csv"}, "expected": 3}
            for n, form in enumerate(forms)
        ]
        (folder / "tasks.yaml").write_text(json.dumps(tasks), encoding="utf-8")
        return "tasks.yaml"

    def forms_of(code: str) -> dict[str, bytes]:
        blocks = f"First:\n```python\nresult = 0\n```\nBetter:\n```python\n{code}\n```\nIt prints\n```\n3\n```\n"
        return replies({"code": code}, prose=False) | said(blocks) | {"bare code": body(chat(code))}

    right, wrong = forms_of("result = df.n.sum()"), dict(list(forms_of("result = df.n.max()").items())[::4])
    options = ", options: {performance: false, max_recovery_attempts: 0}"
    answer = {"code": "result = df.n.sum()"}
    return Project("codegen", "passed", write, right, wrong, answer, options, ("codegen",))


PROJECTS = {project.suite: project for project in (_data_query(), _answers(), _retrieval(), _codegen())}
