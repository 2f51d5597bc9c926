"""One run by one process and by two that share it, over a system that waits 50 ms a call. PostgreSQL is started here.

What counts is the time from the first call to the last: starting Python is not part of it."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from benchmarks import measure

CASES, WAIT, GOAL = 3_000, 0.05, 0.6

SYSTEM = f"""
import os, time
from pathlib import Path

def ask(request):
    began = time.time()
    time.sleep({WAIT})
    with Path(f"calls-{{os.getpid()}}").open("a") as log:
        log.write(f"{{request['id']}} {{began}} {{time.time()}}\\n")
    return {{"indicator_selection": []}}
"""
CASE = """\
id: q{number}
conversation:
- role: user
  content: Which one, {number}?
  target:
    indicator_selection:
    - dataset_id: X:D
      dimensions:
      - {{dimension_name: A, values: [{{id: a, name: name of a}}]}}
"""


def main() -> None:
    measure.heading("two runners", f"{CASES:,} calls that wait {WAIT * 1000:.0f} ms, 8 at once in each process")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server

    with tempfile.TemporaryDirectory(prefix="karat-pg-") as folder:
        server = get_server(Path(folder), cleanup_mode="delete")
        try:
            times = {count: _run(server.get_uri(), count) for count in (1, 2)}
        finally:
            server.cleanup()
    ratio = times[2] / times[1]
    rows = [[f"{count} of them", f"{seconds:.1f} s", f"{CASES / seconds:.0f}"] for count, seconds in times.items()]
    measure.table(["processes", "calling", "calls a second"], rows)
    measure.verdict("time of two runners / of one", ratio, at_most=GOAL)


def _run(server: str, count: int) -> float:
    """Seconds from the moment when all processes call until the last call; with the calls before that moment taken
    off the work that was to do."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE runners_{count}".encode())
    store = server.replace("/postgres?", f"/runners_{count}?")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "slow.py").write_text(SYSTEM)
        (folder / "cases.yaml").write_text("---\n".join(CASE.format(number=number) for number in range(CASES)))
        words = ["run", "--store", store]
        first = [*words, "--suite", "data_query", "--cases", "cases.yaml", "--system", "function"]
        first += ["--system-option", "function=slow:ask", "--system-option", "concurrency=8"]
        processes = [_start(folder, first)]
        while not list(folder.glob("calls-*")) and processes[0].poll() is None:
            time.sleep(0.01)
        processes += [_start(folder, [*words, "--resume", "latest", "--join"]) for _ in range(count - 1)]
        said = [process.communicate()[0] for process in processes]
        if any(process.returncode for process in processes):
            raise measure.CommandFailed("\n".join(said))
        calls = [[line.split() for line in log.read_text().splitlines()] for log in folder.glob("calls-*")]
    asked = [case for log in calls for case, _, _ in log]
    if len(calls) != count or sorted(asked) != sorted({f"q{number}" for number in range(CASES)}):
        raise AssertionError(f"{len(asked)} calls by {len(calls)} processes for {CASES} cases")
    together = max(min(float(began) for _, began, _ in log) for log in calls)
    after = sum(float(began) >= together for log in calls for _, began, _ in log)
    last = max(float(ended) for log in calls for _, _, ended in log)
    return (last - together) * CASES / after


def _start(folder: Path, words: list[str]) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "karat", *words]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
