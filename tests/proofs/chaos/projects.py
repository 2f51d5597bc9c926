"""What is run: a project for each suite, with its cases on the S3 server, and an assistant that answers all of them,
some with garbage."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.e2e.test_killed import CASE

GARBAGE = ("bytes", "half", "empty", "500", "429", "deep", "other", "cut", "large")
"""What a reply may be in place of an answer; ``other`` is JSON that says nothing of use."""
SHARE = 0.25
"""Of the cases, how many get garbage."""


@dataclass(frozen=True)
class Project:
    """One suite: its cases as files, and the right answer to each."""

    suite: str
    files: dict[str, str]
    cases: str
    """The file or folder that is given as ``--cases``."""
    ids: tuple[str, ...]
    answer: Callable[[str], Any]
    options: dict[str, Any]


def _data_query(count: int) -> Project:
    ids = tuple(f"d{number:04}" for number in range(count))
    values = [{"id": "a", "name": "name of a"}]
    target = {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}
    text = "---\n".join(CASE.format(id=name) for name in ids)
    return Project("data_query", {"all.yaml": text}, "all.yaml", ids, lambda _: target, {})


def _answers(count: int) -> Project:
    ids = tuple(f"a{number:04}" for number in range(count))
    files: dict[str, str] = {}
    lines = []
    for number, name in enumerate(ids):
        table = number % 2 == 0
        gold: Any = "result.csv" if table else [f"ship {number}"]
        if table:
            files[f"gold/{name}/result.csv"] = f"line,stops\nnorth,{number}\nsouth,7\n"
        func = "table_match" if table else "string_match"
        rule = {"func": func, "parameters": {"gold": gold}}
        kind = "table" if table else "text"
        lines.append(json.dumps({"instance_id": name, "instruction": "Which?", "type": kind, "evaluation": rule}))
    files["gold/karat_gold.jsonl"] = "\n".join(lines) + "\n"

    def answer(name: str) -> Any:
        number = int(name[1:])
        rows = [{"line": "north", "stops": number}, {"line": "south", "stops": 7}]
        return {"answer": f"ship {number}"} if number % 2 else rows

    return Project("answers", files, "gold", ids, answer, {})


def _retrieval(count: int) -> Project:
    ids = tuple(f"r{number:04}" for number in range(count))
    queries = "\n".join(json.dumps({"_id": name, "text": f"What is sour? {name}"}) for name in ids)
    corpus = "\n".join(json.dumps({"_id": name, "title": "", "text": name}) for name in ("lemon", "lime", "apple"))
    rows = "\n".join(f"{name}\t{one}\t1" for name in ids for one in ("lemon", "lime"))
    files = {
        "beir/queries.jsonl": queries + "\n",
        "beir/corpus.jsonl": corpus + "\n",
        "beir/qrels/test.tsv": f"query-id\tcorpus-id\tscore\n{rows}\n",
    }
    return Project("retrieval", files, "beir", ids, lambda _: {"results": ["lemon", "apple", "lime"]}, {})


def _codegen(count: int) -> Project:
    ids = tuple(f"g{number:04}" for number in range(count))
    tasks = [
        {"id": name, "question": "What is the total fine?", "reference": f"result = loans.fine.sum() + {number}"}
        for number, name in enumerate(ids)
    ]
    sheet = json.dumps({"tables": {"loans": "loans.csv"}, "tasks": tasks})
    files = {"tasks.yaml": sheet, "loans.csv": "fine\n1.5\n2.25\n4.0\n"}
    options = {"performance": False, "perturb": "quick", "max_recovery_attempts": 0}

    def answer(name: str) -> Any:
        return {"code": f"result = loans.fine.sum() + {int(name[1:])}"}

    return Project("codegen", files, "tasks.yaml", ids, answer, options)


def projects(count: int) -> dict[str, Project]:
    """All four suites, with this many cases each; fewer where each one runs code."""
    found = (_data_query(count), _answers(count), _retrieval(count), _codegen(max(2, count // 4)))
    return {project.suite: project for project in found}


class Assistant:
    """Answers every suite under its own path, counts the calls, and gives garbage to a fixed share of the cases."""

    def __init__(self, found: Collection[Project], rng: random.Random, delay: float) -> None:
        self.delay = delay
        self.calls: Counter[tuple[str, str]] = Counter()
        """(path, case) → how often it was asked: two runs of one suite have the same cases, and a path each."""
        self.url = ""
        self.garbage = {name: rng.choice(GARBAGE) for one in found for name in one.ids if rng.random() < SHARE}
        self._answers = {name: one.answer for one in found for name in one.ids}
        self._lock = threading.Lock()

    def reply(self, path: str, name: str) -> tuple[int, bytes]:
        """(status, body); the status is 0 where the connection is to be cut."""
        with self._lock:
            self.calls[path, name] += 1
        right = json.dumps(self._answers[name](name)).encode()
        return {
            "": (200, right),
            "bytes": (200, b"\x00\xff<<<not json"),
            "half": (200, right[: len(right) // 2]),
            "empty": (200, b""),
            "500": (500, b"oops"),
            "429": (429, b"slow down"),
            "deep": (200, b"[" * 5_000),
            "other": (200, b'{"weather": ["mild", null, 1e999]}'),
            "cut": (0, right),
            "large": (200, b'{"answer": "' + b"x" * 300_000 + b'"}'),
        }[self.garbage.get(name, "")]


@contextmanager
def serving(assistant: Assistant) -> Iterator[Assistant]:
    """Serve on loopback until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body = assistant.reply(self.path, request["id"])
            time.sleep(assistant.delay)
            if not status:
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def handle(self) -> None:
            with suppress(OSError, ValueError):  # the one who asked was killed, perhaps in the middle of a request
                super().handle()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    assistant.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield assistant
    finally:
        server.shutdown()
        server.server_close()


def write_project(project: Project, folder: Path, url: str, cases: str, store: str) -> None:
    """The karat.yaml of a project. Its cases are elsewhere, by URL."""
    folder.mkdir(parents=True)
    settings = {
        "store": store,
        "run": {"store_retry": 6, "grace": 1},
        "systems": {"assistant": {"type": "http", "url": url, "concurrency": 4, "retries": 1, "timeout": 10}},
        "suites": [{"suite": project.suite, "cases": cases, "system": "assistant", "options": project.options}],
    }
    (folder / "karat.yaml").write_text(json.dumps(settings))
