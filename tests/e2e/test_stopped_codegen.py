"""Ctrl-C while code runs or waits to be mended: every answer that was paid for is there, and only the rest is asked."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from karat.core.records import attempts
from karat.store import open_store

NAMES = ("one", "two", "three")
SLOW = "import time\ntime.sleep(2)\nresult = loans.fine.summ()"
MENDED = "result = loans.fine.sum()"


class Bot(ThreadingHTTPServer):
    """Answers with code that takes its time and fails; asked to mend it, with code that is right."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: Counter[str] = Counter()
        self.mended: Counter[str] = Counter()


class _Handler(BaseHTTPRequestHandler):
    server: Bot

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        messages = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["messages"]
        said = [message["content"] for message in messages if message["role"] == "user"]
        name = next(name for name in NAMES if f"shelf {name}" in said[0])
        (self.server.asked if len(said) == 1 else self.server.mended)[name] += 1
        code = SLOW if len(said) == 1 else MENDED
        content = f"```python\n{code}\n```"
        body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def test_answers_are_stored_before_their_code_has_run(tmp_path: Path) -> None:
    bot = Bot()
    threading.Thread(target=bot.serve_forever, daemon=True).start()
    tasks = [
        {
            "id": name,
            "question": f"What is the total fine of shelf {name}?",
            "tables": {"loans": {"fine": [1.5, 2.25, 4.0]}},
            "reference": MENDED,
        }
        for name in NAMES
    ]
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    (tmp_path / "karat.yaml").write_text(
        f"systems:\n  bot: {{type: openai, base_url: 'http://127.0.0.1:{bot.server_port}/v1', model: m}}\n"
        "suites:\n- {suite: codegen, cases: tasks.jsonl, system: bot, options: {performance: false}}\n"
    )
    command = [sys.executable, "-m", "karat", "run"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + 60
    while sum(bot.asked.values()) < len(NAMES) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    time.sleep(0.5)  # the answers are there, their code is running
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130, output
    assert "3 of 3" in output and not bot.mended
    with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
        assert sorted(one.case_id for one in store.predictions(1)) == sorted(NAMES)
    again = subprocess.run([*command, "--resume", "r-0001"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    bot.shutdown()
    assert again.returncode == 0, again.stdout + again.stderr
    assert bot.asked == bot.mended == Counter(NAMES)
    with open_store(f"sqlite:///{tmp_path / '.karat' / 'karat.db'}") as store:
        assert {len(attempts(one.response)) for one in store.predictions(1)} == {2}
        assert [len(store.attempts(1, name)) for name in NAMES] == [2, 2, 2]  # as it came, and mended
