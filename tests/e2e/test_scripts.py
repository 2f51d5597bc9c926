"""``karat.score`` and ``karat.run`` from wherever Python code comes from: no form needs a guard, and none runs
twice."""

from __future__ import annotations

import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.runs.executors.engine import Lost
from karat.runs.executors.processes import Processes
from tests.sandbox.processes import all_gone, descendants

SCRIPT = """
import karat
with open("ran.txt", "a") as log:
    log.write("main\\n")

def system(question):
    with open("ran.txt", "a") as log:
        log.write("asked\\n")
    return "result = sales.price.sum()"

suite, cases, options = "data_query", "query.yaml", {}
if CODEGEN:
    suite, cases, options = "codegen", "tasks.yaml", {"performance": False}
ran = karat.run(suite=suite, cases=cases, system=system, options=options, store="runs.db", workers=2)
again = karat.score(suite=suite, cases=cases, predictions=[{"id": "total", "code": "result = 6"}], options=options,
                    workers=None if CODEGEN else 2)
with open("out.txt", "w") as out:
    out.write(f"{len(ran.cases)} {len(again.cases)} {again.cases[0].status}")
"""
TASKS = """
tables: {sales: {price: [1, 2, 3]}}
tasks:
  - {id: total, question: What is the total price?, expected: {value: 6}}
"""
QUERY = """
id: q
conversation:
- role: user
  content: Which one?
  target:
    indicator_selection:
    - dataset_id: X:D
      dimensions:
      - {dimension_name: A, values: [{id: a, name: name of a}]}
"""
NOTEBOOK = """
import asyncio, sys, types
main = types.ModuleType("__main__")  # as a kernel's: no file, no spec, and a loop that runs already
sys.modules["__main__"] = main
async def cell():
    exec(compile(open("source.txt").read(), "<ipython-input-1>", "exec"), main.__dict__)
asyncio.run(cell())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tasks.yaml").write_text(TASKS)
    (tmp_path / "query.yaml").write_text(QUERY)
    return tmp_path


@pytest.mark.parametrize("form", ["script", "stdin", "-c", "interactive", "notebook"])
def test_every_form_runs_once_and_scores(folder: Path, form: str) -> None:
    codegen = form in (
        "script",
        "stdin",
        "notebook",
    )  # the others start the same processes, for a suite that takes less time
    source = f"CODEGEN = {codegen}\n{SCRIPT}"
    (folder / "source.txt").write_text(source)
    words, given = [], ""
    if form == "script":
        (folder / "plain_script.py").write_text(source)
        words = ["plain_script.py"]
    elif form == "stdin":
        words, given = ["-"], source
    elif form == "-c":
        words = ["-c", source]
    elif form == "interactive":
        words, given = ["-i", "-q"], "exec(open('source.txt').read())\nexit()\n"
    else:
        words = ["-c", NOTEBOOK]
    done = subprocess.run(
        [sys.executable, *words], input=given, cwd=folder, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == 0, done.stderr
    assert (folder / "ran.txt").read_text() == "main\nasked\n"
    assert (folder / "out.txt").read_text() == f"1 1 {'scored' if codegen else 'missing'}"


def _double(number: int) -> int:
    print("this must not disturb the answers")
    return 2 * number


def _fails(number: int) -> int:
    raise UserError("no", hint=str(number))


def _dies(number: int) -> None:
    import os

    os.kill(os.getpid(), number)


def test_workers_answer_in_order_and_bring_back_errors() -> None:
    with Processes(2) as pool:
        assert list(pool.map(_double, range(20))) == [2 * n for n in range(20)]
        with pytest.raises(UserError) as caught:
            pool.submit(_fails, 7).result()
        assert (caught.value.message, caught.value.hint) == ("no", "7")
        with pytest.raises(Lost, match=r"ended unexpectedly \(signal 9\)"):
            pool.submit(_dies, int(signal.SIGKILL)).result()
        assert pool.submit(_double, 4).result() == 8
        processes = list(pool._all)
    assert all(process.poll() is not None for process in processes)


def test_an_error_of_the_caller_ends_what_is_under_way() -> None:
    with pytest.raises(KeyboardInterrupt), Processes(1) as pool:
        pool.submit(time.sleep, 600)
        while not pool._all:
            time.sleep(0.01)
        raise KeyboardInterrupt
    assert [process.poll() for process in pool._all] == [-signal.SIGKILL]


def test_workers_die_with_a_killed_caller() -> None:
    script = textwrap.dedent("""
        import time
        from karat.runs.executors.processes import Processes
        pool = Processes(2)
        pool.submit(abs, 1).result()
        print("up", flush=True)
        pool.submit(time.sleep, 600)
        pool.submit(time.sleep, 600).result()
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as caller:
        assert caller.stdout is not None and caller.stdout.readline() == b"up\n"
        while len(family := descendants(caller.pid)) < 2:
            time.sleep(0.01)
        caller.kill()
        caller.wait()
    assert all_gone(family)
