"""The viewer under load: a real ``karat serve`` over two runs, and 50 clients that look through its pages at the same
time. For each page the median and the 99th percentile of the time that a client waits; the memory of the server.

One client in ten hangs up in the middle of an answer now and then, as browsers do. Other sizes:
``python -m benchmarks.viewer_load CASES CLIENTS REQUESTS``.
"""

from __future__ import annotations

import http.client
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy

from benchmarks import claims, measure
from benchmarks.viewer import _add_run

CASES, CLIENTS, REQUESTS = 20_000, 50, 40
MEMORY = 1_000.0
"""MB that the server may take."""


class Load(msgspec.Struct):
    """What the clients saw: seconds by page, how many answers by status; what the server cost, and how many tracebacks
    it printed."""

    seconds: dict[str, list[float]]
    statuses: Counter[str]
    cost: measure.Cost
    tracebacks: int


def pages(count: int) -> dict[str, str]:
    """The pages that are looked at, by name."""
    return {
        "the list of runs": "/",
        "a run": "/runs/r-0001",
        "its last page": f"/runs/r-0001?page={count // 50}",
        "sorted by a metric": "/runs/r-0001?sort=macro_recall",
        "a search": "/runs/r-0001?q=growth",
        "a case": "/runs/r-0001/cases/17",
        "with a baseline": "/runs/r-0002?baseline=r-0001",
        "two runs compared": "/compare?a=r-0001&b=r-0002",
    }


@contextmanager
def serving(store: str) -> Iterator[tuple[subprocess.Popen[str], int, list[str]]]:
    """A viewer in a process of its own, its port, and the lines that it prints."""
    command = [sys.executable, "-m", "karat", "serve", "--port", "0", "--store", store]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        assert process.stdout is not None
        found = None
        while found is None and (line := process.stdout.readline()):
            found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
        if found is None:
            raise measure.CommandFailed("karat serve did not start")
        said: list[str] = []
        threading.Thread(target=lambda: said.extend(process.stdout or ()), daemon=True).start()
        yield process, int(found[1]), said
    finally:
        process.terminate()
        process.wait()


def load(store: str, count: int, clients: int, requests: int) -> Load:
    """Every client asks for pages in an order of its own, the next one when it has the last."""
    wanted = pages(count)
    seconds: dict[str, list[float]] = {name: [] for name in wanted}
    statuses: Counter[str] = Counter()
    lock = threading.Lock()

    def client(number: int, port: int) -> None:
        order = random.Random(number)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        for turn in range(requests):
            name = order.choice(list(wanted))
            began = time.perf_counter()
            try:
                connection.request("GET", wanted[name])
                if number % 10 == 0 and turn % 5 == 1:
                    connection.close()  # without reading what comes
                    word = "hung up"
                else:
                    answer = connection.getresponse()
                    answer.read()
                    word = str(answer.status)
            except OSError as error:
                connection.close()
                word = type(error).__name__
            with lock:
                statuses[word] += 1
                if word == "200":
                    seconds[name].append(time.perf_counter() - began)
        connection.close()

    with serving(store) as (process, port, said):
        threads = [threading.Thread(target=client, args=(number, port)) for number in range(clients)]
        began, before = time.perf_counter(), _cpu(process.pid)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cost = measure.Cost(time.perf_counter() - began, _cpu(process.pid) - before, _peak_mb(process.pid))
    return Load(seconds, statuses, cost, sum("Traceback" in line for line in said))


def _cpu(pid: int) -> float:
    """Seconds of processor that a process has used, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.exists() else None
    return int(found[1]) / 1024 if found else 0.0


def fill(store: str, count: int) -> None:
    """Two runs of the same cases with other answers."""
    from karat.store import open_store

    with open_store(store) as opened:
        for seed in (1, 2):
            _add_run(opened, count, seed)


def main(count: int = CASES, clients: int = CLIENTS, requests: int = REQUESTS) -> None:
    measure.heading("viewer under load", f"two runs of {count:,} cases, {clients} clients, {requests} requests each")
    with tempfile.TemporaryDirectory(prefix="karat-load-") as folder:
        store = str(Path(folder) / "karat.db")
        fill(store, count)
        found = load(store, count, clients, requests)
    rows = []
    for name, times in found.seconds.items():
        if times:
            middle, most = (float(numpy.quantile(times, share)) for share in (0.5, 0.99))
            rows.append([name, str(len(times)), f"{middle:.3f}", f"{most:.3f}"])
            for word, value in (("p50", middle), ("p99", most)):
                claims.add(claims.Claim(benchmark="", what=f"{name}, {word}", value=value, unit="s"))
    measure.table(["page", "answers", "p50, s", "p99, s"], rows)
    said = ", ".join(f"{number} {word}" for word, number in found.statuses.most_common())
    each = found.cost.cpu / found.statuses.total()
    print(f"  {found.statuses.total() / found.cost.wall:.1f} requests a second, {1000 * each:.0f} ms CPU each: {said}")
    failed = sum(number for word, number in found.statuses.items() if word not in ("200", "hung up"))
    measure.limit("requests that failed", failed, 0, "requests")
    measure.limit("tracebacks that the server printed", found.tracebacks, 0, "tracebacks")
    measure.limit("memory of the server", found.cost.peak_mb, MEMORY, "MB", sides=(found.cost, None))


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
