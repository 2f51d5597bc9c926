"""Secrets planted in every place, and every reply that gives them back; then everything that was written, printed or
served is searched.

Each secret contains ``c4n4ry``, in a form with signs that writers of JSON, URLs and HTML escape.
"""

from __future__ import annotations

import html
import json
import re
import sqlite3
import sys
import threading
import urllib.parse
import zipfile
import zlib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from karat.cli import main
from karat.core.problems import UserError
from karat.web.app import create_app

SECRETS = {
    "CANARY_API_KEY": "sk-c4n4ry+key/1A==",
    "CANARY_HEADER_TOKEN": "c4n4ry/header+2B=",
    "CANARY_PASSWORD": "c4n4ry:pass+3C",
    "CANARY_QUERY_KEY": "c4n4ry-query-4D",
    "CANARY_BODY_SECRET": "c4n4ry&body<5E>",
    "CANARY_OTHER_CREDENTIAL": "c4n4ry-other-6F",
    "CANARY_DB_PASS": "c4n4ry-pass-7G",
    "CANARY_PAT": "c4n4ry-pat-8H",
    "CANARY_DSN": "postgresql://app:c4n4ry-dsn-9I@db.example/app",
}
FORMS = ("plain", "escaped", "quoted", "html", "stream", "lines", "error", "refused", "huge", "redirect")


def leaks(data: bytes) -> list[str]:
    """What is left of a secret in some bytes, however it is written."""
    text = data.decode("utf-8", "replace")
    unescaped = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    forms = {text, unescaped, urllib.parse.unquote(text), html.unescape(text)}
    return [form[max(0, at.start() - 60) : at.end() + 40] for form in forms for at in re.finditer("(?i)c4n4ry", form)]


def test_the_search_sees_every_form() -> None:
    key = "c4n4ry"
    for form in (key, "".join(f"\\u{ord(sign):04X}" for sign in key), "%63%34n4ry", "&#99;4n4ry", "C4N4RY"):
        assert leaks(form.encode())
    assert not leaks(b"canary")


def chunk(text: str, **more: object) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, **more}
    return json.dumps({"object": "chat.completion.chunk", "choices": [choice]}).encode()


class Echo(BaseHTTPRequestHandler):
    """A service that gives back everything it was sent, in the form that the question names."""

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        known = f"{self.path} {urllib.parse.unquote(self.path)} {list(self.headers.items())} {sent} {list(SECRETS.values())}"
        form = next((name for name in FORMS if f"#{name}" in sent), "plain")
        message = {"role": "assistant", "content": known}
        whole = json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        kind, status, extra = "application/json", 200, {}
        half = len(known) // 2
        pieces = [known[:half], known[half:]] + [part for value in SECRETS.values() for part in (value[:9], value[9:])]
        chunks = [chunk(piece) for piece in pieces] + [chunk("", finish_reason="stop")]
        if form == "escaped":
            whole = (
                whole.replace("/", "\\/")
                .replace("+", "\\u002B")
                .replace("=", "\\u003d")
                .replace("c4n", "\\u0063\\u0034n")
            )
        elif form == "quoted":
            text = " ".join(urllib.parse.quote(value, safe="").replace("%2B", "%2b") for value in SECRETS.values())
            whole = json.dumps({"choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]})
        elif form == "html":
            kind, whole = "text/html", f"<html>{html.escape(known)}</html>"
        elif form == "stream":
            kind, whole = (
                "text/event-stream",
                "".join(f"data: {one.decode()}\n\n" for one in chunks) + "data: [DONE]\n\n",
            )
        elif form == "lines":
            whole = "\n".join(one.decode() for one in chunks)
        elif form in ("error", "refused"):
            status = 500 if form == "error" else 401
            whole = json.dumps({"error": {"message": f"no such key: {known}", "code": "invalid_api_key"}})
        elif form == "huge":
            whole = json.dumps({"choices": [], "junk": ("x" * 100 + SECRETS["CANARY_API_KEY"]) * 2_000})
        elif form == "redirect":
            status, extra = 302, {"Location": f"http://127.0.0.1:1/?token={SECRETS['CANARY_API_KEY']}"}
        data = whole.encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Content-Length": str(len(data)),
            "X-Key": SECRETS["CANARY_API_KEY"],
            **extra,
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None: ...


@pytest.fixture
def echo() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


CASE = """id: {form}
conversation:
- role: user
  content: "How many? #{form}"
  target: {{indicator_selection: [{{dataset_id: A:B, dimensions: [{{dimension_name: C, values: [{{id: D, name: E}}]}}]}}]}}
"""
ASSISTANT = """
import json, os, sys
def ask(request):
    known = str([value for name, value in os.environ.items() if name.startswith("CANARY")])
    if "#error" in request["question"]:
        raise RuntimeError(known + ' {"X-Api-Key": "c4n' '4ry-unknown-1"} host=db password=c4n' '4ry-unknown-2')
    return {"answer": known, "indicator_selection": [], "note": known}
if __name__ == "__main__":
    question = json.load(sys.stdin)
    print(dict(os.environ), file=sys.stderr)
    print(json.dumps(ask(question)))
"""


def project(folder: Path, address: str) -> None:
    """Every place of a project file that may name a secret."""
    (folder / "cases").mkdir()
    for form in FORMS:
        (folder / "cases" / f"{form}.yaml").write_text(CASE.format(form=form))
    (folder / "assistant.py").write_text(ASSISTANT)
    (folder / "ask.j2").write_text("Bearer of news: {{ question }}")
    reaching = {"headers": {"X-Api-Token": "${CANARY_HEADER_TOKEN}"}, "timeout": 20, "retries": 0, "concurrency": 4}
    query = "?key=${CANARY_QUERY_KEY}"
    systems = {
        "chat": {
            "type": "openai", "base_url": f"http://me:${{CANARY_PASSWORD}}@{address}/v1", "path": f"/chat/completions{query}", "model": "m",
            "api_key_env": "CANARY_API_KEY", "extra_body": {"user_secret": "${CANARY_BODY_SECRET}"}, "prompt": "ask.j2", "stream": True, **reaching,
        },
        "plain": {
            "type": "http", "url": f"http://me:${{CANARY_PASSWORD}}@{address}/ask/${{CANARY_PAT}}{query}",
            "request": {"question": "{question}", "token": "${CANARY_BODY_SECRET}", "api_key": "${CANARY_API_KEY}"}, **reaching,
        },
        "command": {"type": "command", "command": [sys.executable, "assistant.py"], "retries": 0, "concurrency": 4},
        "function": {"type": "function", "function": "assistant:ask", "retries": 0},
    }  # fmt: skip
    suites = [{"suite": "data_query", "cases": "cases", "system": name} for name in systems]
    (folder / "karat.yaml").write_text(json.dumps({"name": "canaries", "systems": systems, "suites": suites}))


def karat(monkeypatch: pytest.MonkeyPatch, *words: str) -> None:
    monkeypatch.setattr(sys, "argv", ["karat", *words])
    with pytest.raises(SystemExit):
        main.main()


def everything(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Every file that was written, archives and databases taken apart; what the test planted itself is left out."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            data = path.read_bytes()
            yield path.name, data
            if path.suffix == ".xlsx":
                with zipfile.ZipFile(path) as archive:
                    yield from ((f"{path.name}!{name}", archive.read(name)) for name in archive.namelist())
            if path.suffix == ".db":
                with sqlite3.connect(path) as store:
                    for (table,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
                        for row in store.execute(f'SELECT * FROM "{table}"').fetchall():
                            for cell in row:
                                yield f"{path.name}!{table}", _bytes(cell)


def _bytes(cell: object) -> bytes:
    data = cell if isinstance(cell, bytes) else str(cell).encode("utf-8", "replace")
    try:
        return zlib.decompress(data)
    except zlib.error:
        return data


def pages(store: str, runs: int) -> Iterator[tuple[str, bytes]]:
    """Every page that can be reached in the viewer."""
    with TestClient(create_app(store), base_url="http://127.0.0.1:8765") as viewer:
        todo, seen = ["/", "/api/runs", *(f"/runs/r-{n:04}/report" for n in range(1, runs + 1))], set[str]()
        while todo and len(seen) < 300:
            address = todo.pop(0)
            if address in seen or address.startswith(("http", "#", "/static")):
                continue
            seen.add(address)
            answer = viewer.get(address)
            yield f"viewer {address}", answer.content + str(answer.headers).encode()
            if "html" in answer.headers.get("content-type", ""):
                todo += [html.unescape(found) for found in re.findall(r'href="(/[^"#]*)', answer.text)]
        assert len([one for one in seen if "/cases/" in one]) >= len(FORMS), seen


def test_no_secret_is_in_anything_that_is_written_shown_or_served(
    echo: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("DEBUG")
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("COLUMNS", "300")
    project(tmp_path, echo)
    karat(monkeypatch, "check")
    karat(
        monkeypatch,
        "run",
        "--verbose",
        "--json",
        "out.json",
        "--xlsx",
        "out.xlsx",
        "--html",
        "out.html",
        "--workers",
        "1",
    )
    ran = capfd.readouterr()
    assert "canaries" in ran.out + ran.err and not leaks((ran.out + ran.err).encode())
    for run in ("r-0001", "r-0002", "r-0003", "r-0004"):
        karat(monkeypatch, "export", run, "--predictions", f"{run}.jsonl", "--scores", f"{run}.csv")
        karat(monkeypatch, "report", run, "--xlsx", f"{run}.xlsx", "--html", f"{run}.html", "--json", f"{run}.json")
        karat(monkeypatch, "show", "plain", "--run", run)
        karat(monkeypatch, "show", "error", "--run", run)
    karat(
        monkeypatch,
        "compare",
        "r-0001",
        "r-0002",
        "--json",
        "compared.json",
        "--markdown",
        "compared.md",
        "--xlsx",
        "compared.xlsx",
    )
    karat(
        monkeypatch, "gate", "r-0001", "--gate", "data_query.errors<=0", "--junit", "junit.xml", "--markdown", "gate.md"
    )
    karat(monkeypatch, "runs", "show", "r-0001")
    karat(monkeypatch, "doctor")
    said = capfd.readouterr()
    assert "No such option" not in said.err, said.err
    found: dict[str, list[str]] = {
        "terminal": leaks((said.out + said.err).encode()),
        "log": leaks(caplog.text.encode()),
    }
    for place, data in [*everything(tmp_path), *pages(f"sqlite:///{tmp_path}/.karat/karat.db", 4)]:
        found.setdefault(place, []).extend(leaks(data))
    written = {
        "r-0001.xlsx",
        "out.data_query-4.html",
        "out.data_query-4.json",
        "compared.md",
        "gate.md",
        "junit.xml",
        "r-0002.jsonl",
        "r-0003.csv",
        "karat.db",
    }
    assert written <= set(found), written - set(found)
    assert {place: seen[:3] for place, seen in found.items() if seen} == {}


def test_a_key_written_into_a_prompt_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CANARY_API_KEY", SECRETS["CANARY_API_KEY"])
    project(tmp_path, "127.0.0.1:1")
    (tmp_path / "ask.j2").write_text(f"Use the key {SECRETS['CANARY_API_KEY']} for {{{{ question }}}}")
    words = (
        "--suite",
        "data_query",
        "--cases",
        "cases",
        "--system",
        "command",
        "--system-option",
        f"command={sys.executable} assistant.py",
    )
    karat(monkeypatch, "run", *words, "--system-option", "prompt=ask.j2", "--limit", "1")
    said = capfd.readouterr()
    assert "CANARY_API_KEY" in said.err and not leaks((said.out + said.err).encode().replace(b"CANARY", b""))
    assert not any(leaks(data) for name, data in everything(tmp_path) if name.startswith("karat.db"))


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://me:c4n4ry@127.0.0.1:1/db",
        "postgresql+psycopg://me:c4n4%72y/x@127.0.0.1:1/db?password=c4n4ry",
        "postgresql:/me:c4n4ry@127.0.0.1:1/db",
        "postgres:me:c4n4ry@127.0.0.1:1/db",
    ],
)
def test_the_password_of_a_store_is_in_no_message(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.jsonl").write_text('{"id": "a", "question": "Which?", "relevant": ["x"]}\n')
    (tmp_path / "p.jsonl").write_text('{"id": "a", "results": ["x"]}\n')
    karat(monkeypatch, "runs", "list", "--store", address)
    words = ("--suite", "retrieval", "--cases", "c.jsonl", "--predictions", "p.jsonl")
    karat(monkeypatch, "run", *words, "--store", address)
    said = capfd.readouterr()
    assert said.err and not leaks((said.out + said.err).encode())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.jsonl", "p.jsonl"], "no file by that name"


@pytest.mark.parametrize("engine", ["postgresql", "mysql"])
def test_the_password_of_an_engine_is_in_no_error(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from karat.engines.opening import open_engine
    from karat.engines.protocol import EngineError

    monkeypatch.setenv("CANARY_PASSWORD", SECRETS["CANARY_PASSWORD"])
    settings = {"engine": engine, "url": f"{engine}://me:${{CANARY_PASSWORD}}@127.0.0.1:1/db"}
    with pytest.raises((UserError, EngineError)) as caught:
        open_engine(settings, Path()).run("select 1", timeout=5, row_limit=1)
    assert not leaks(str(caught.value).encode())
