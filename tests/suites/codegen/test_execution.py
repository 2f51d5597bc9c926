"""Code in the real sandbox: what is put around it, what its end is called, and in whose lines."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import msgspec
import pytest

from karat.core.suite import NotApplicable
from karat.suites.codegen.records import TableSource, Task
from karat.suites.codegen.running import references
from karat.suites.codegen.running.execution import run_code, snippet_of
from karat.suites.codegen.running.references import plain_tables, reference_outcome, schema_of
from karat.suites.codegen.running.sandbox_client import warm_box
from tests.suites.codegen.tasks import MEANS, SALES

SETUP = Task(setup="import pandas as pd\ndf = pd.DataFrame({'a': [1, 2]})\n", answer="total")


def test_a_setup_stands_before_and_the_answer_is_copied() -> None:
    attempt, outcome = run_code(warm_box(), SETUP, "total = df.a.sum()")
    assert attempt.ran and outcome.result == 3 and attempt.outcome == "ok"


def test_lines_are_counted_in_the_models_own_code() -> None:
    attempt, _ = run_code(warm_box(), SETUP, "x = 1\ntotal = df['b'].sum()")
    assert (attempt.error, attempt.error_class, attempt.line) == ("KeyError: 'b'", "column_error", 2)


def test_a_template_keeps_its_indentation() -> None:
    task = Task(template="def f(x):\n    y = x\n    [insert]\nresult = [f(1), f(2)]")
    assert snippet_of(task, "z = y\nreturn z + 1").code == (
        "def f(x):\n    y = x\n    z = y\n    return z + 1\nresult = [f(1), f(2)]"
    )
    assert run_code(warm_box(), task, "return y + 1")[1].result == [2, 3]
    failed, _ = run_code(warm_box(), task, "z = 1\nreturn q")
    assert (failed.error_class, failed.line) == ("other_error", 2) and failed.error.startswith("NameError")


def test_code_that_does_not_parse_is_not_mended_by_what_follows() -> None:
    attempt, _ = run_code(warm_box(), SETUP, "total = 1\nif True:")
    assert (attempt.error_class, attempt.line) == ("syntax_error", 2)
    assert "<snippet>" not in attempt.error


@pytest.mark.parametrize(
    ("code", "error", "outcome"),
    [
        ("x = 1", "left no result: it does not set `total`", "error"),
        ("import socket\ntotal = socket.socket()", "tried to open a socket: refused", "refused"),
        ("open('/proc/1/mem', 'wb')", "tried to open /proc/1/mem: refused", "refused"),
        ("while True:\n    pass", "no answer within 0.5 s", "timeout"),
        ("total = bytearray(10**12)", "tried to use more than 1,024 MB", "memory"),
        ("import os\nos._exit(0)", "left no result", "no_result"),
    ],
)
def test_every_end_has_its_words(code: str, error: str, outcome: str) -> None:
    attempt, _ = run_code(warm_box(), msgspec.structs.replace(SETUP, timeout=0.5), code)
    assert (attempt.error, attempt.outcome) == (error, outcome)
    assert (attempt.ran, attempt.error_class) == (False, "other_error")


def test_a_reference_runs_once_for_many_answers() -> None:
    first = reference_outcome(warm_box(), MEANS)
    assert reference_outcome(warm_box(), MEANS) is first
    assert references.digest(MEANS, "a") != references.digest(MEANS, "b")


def test_a_changed_file_is_another_table(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a\n1\n2\n")
    task = Task(tables={"t": TableSource(path=str(file))}, reference="result = df.a.sum()")
    assert reference_outcome(warm_box(), task).result == 3
    file.write_text("a\n1\n2\n40\n")
    assert reference_outcome(warm_box(), task).result == 43


def test_a_reference_that_fails_is_a_gold_error() -> None:
    with pytest.raises(NotApplicable, match=r"gold_error.*AttributeError.*line 1"):
        reference_outcome(warm_box(), msgspec.structs.replace(MEANS, reference="result = df.nothing_here()"))


def test_the_schema_holds_tables_and_what_a_setup_makes() -> None:
    schema, values = schema_of(warm_box(), MEANS)
    assert schema.tables == {"sales": ("city", "price", "units")}
    assert values == {"city": ("Rome", "Oslo", "Bonn")}
    assert schema_of(warm_box(), SETUP)[0].tables == {"df": ("a",)}


def test_tables_come_back_as_columns() -> None:
    assert plain_tables(warm_box(), MEANS) == {"sales": SALES}
    assert plain_tables(warm_box(), SETUP) is None


def test_a_forked_process_has_a_sandbox_of_its_own() -> None:
    here = warm_box()
    assert warm_box() is here
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        own = warm_box()
        said = b"own" if own is not here and own.run("result = 1").result == 1 else b"same"
        own.close()
        os.write(writing, said)
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    assert os.read(reading, 10) == b"own"
    os.close(reading)
    assert here.run("result = 2").result == 2


def test_threads_share_it() -> None:
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(warm_box().run(f"result = {n}").result)) for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(map(str, found)) == ["0", "1", "2", "3"]
