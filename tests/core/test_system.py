"""All that a system offers is declared on ``System``, with defaults; nothing is read from it, or from a suite, by a
name in a string."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core import plugins
from karat.core.problems import Problem, UserError
from karat.core.suite import Suite
from karat.core.system import Request, Response, System, SystemConfig, SystemType
from karat.runs.calls.system_calls import open_system
from karat.runs.job import Job

SOURCE = Path(karat.__file__).parent
CASES = [{"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}]


class Small(System):
    """As little as a system can be."""

    async def call(self, request: Request) -> Response:
        return Response(b'{"results": ["lemon"]}')


class Bare:
    """The same methods without the base class: it has no defaults."""

    async def call(self, request: Request) -> Response:
        return Response(b'{"results": ["lemon"]}')


def test_a_system_writes_only_its_call() -> None:
    system = Small()
    assert (system.problems, system.recorded, dict(system.notes)) == ((), (), {})
    assert system.measures_time and system.can_be_asked_again
    assert system.reply("é".encode()) == {"role": "assistant", "content": "é"}
    asyncio.run(system.close())
    with pytest.raises(TypeError, match="abstract"):
        System()  # type: ignore[abstract]  # wrong on purpose


def plugged(monkeypatch: pytest.MonkeyPatch, opened: Any) -> dict[str, Any]:
    """Settings of a system of another package."""
    kind = SystemType("small", "a system of another package", SystemConfig, lambda _config, _suite: opened)
    load = plugins.load
    monkeypatch.setattr(plugins, "load", lambda group, name: kind if name == "small" else load(group, name))
    return {"type": "small"}


def test_a_plug_in_with_defaults_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    system = plugged(monkeypatch, Small())
    result = karat.run(suite="retrieval", cases=CASES, system=system, store=tmp_path / "k.db")
    assert result.metric("passed").mean == 1.0
    assert result.problems == () and result.metric("latency").n == 1


def test_what_a_plug_in_declares_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Telling(Small):
        measures_time = False
        problems = (Problem("one line could not be read", severity="warning"),)

        def __init__(self) -> None:
            self.notes = {"colour": 3}

    system = plugged(monkeypatch, Telling())
    result = karat.run(suite="retrieval", cases=CASES, system=system, store=tmp_path / "k.db")
    said = [problem.message for problem in result.problems]
    assert said == [
        "one line could not be read",
        'the suite retrieval has no note "colour" of a run: it is left out',
    ]
    assert all(item.metric != "latency" for item in result.summary)


def test_an_object_that_is_no_system_is_refused_before_anything_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    plugged(monkeypatch, Bare())
    suite: Suite = plugins.load_suite("retrieval")
    job = Job(suite=suite, cases=(), options=suite.options(), config=SystemConfig(type="small"), system="small")
    with pytest.raises(UserError, match="opened an object of type Bare") as caught:
        open_system(job)
    assert "Derive its class from karat.System" in caught.value.hint


# Names that may be read by ``getattr``: the object is not ours, or Python itself leaves open whether it has them.
FOREIGN = {
    "fixturenames": "tests of pytest that are functions",
    "param": "requests for fixtures of pytest, where there is one",
    "workerinput": "the configuration of a worker of pytest-xdist",
    "errno": "exceptions of the system and of database drivers",
    "strerror": "exceptions of the system",
    "reason": "exceptions of urllib",
    "lineno": "nodes and errors of ast and of parsers",
    "id": "nodes of ast",
    "message": "exceptions of database drivers",
    "msg": "exceptions of database drivers",
    "errors": "exceptions of sqlglot",
    "sqlite_errorname": "exceptions of sqlite3",
    "sqlstate": "exceptions of psycopg",
    "_credentials": "the client of BigQuery",
    "service_account_email": "credentials of Google",
    "to_pydatetime": "values of pandas",
    "na_value": "kinds of values of pandas",
    "unit": "kinds of values of pandas",
    "hour": "dates, with and without a time",
    "_fields": "classes in generated code",
    "height": "values of generated code",
    "O_NOFOLLOW": "os: not on every platform",
    "MADV_DONTFORK": "mmap: not on every platform",
    "EREMOTEIO": "errno: not on every platform",
    "model_dump": "models of pydantic, which clients of vendors return",
    "isatty": "files that the caller gives",
    "flow_style": "nodes of PyYAML",
    "__name__": "types that may be generic aliases",
    "__parameters__": "types that may be generic aliases",
    "__module__": "functions that the user gives",
    "__qualname__": "functions that the user gives",
    "__file__": "modules",
    "revision": "a plain function that the user gives as a model",
    "type_descriptor": "options of Typer",
    "annotation": "options of Typer",
    "is_flag": "options of Click",
    "count": "options of Click",
    "param_type_name": "options of Click",
    "session": "the state of a request of Starlette",
    "__version__": "modules of an environment",
    "_base_executable": "sys: not in every Python",
    "_one_thread": "a mark on the module of DuckDB",
    "__self__": "bound methods: the answer's own code may be one without it",
    "types": "relations of DuckDB",
    "queries": "sheet functions, which a host may describe by their number of arguments alone",
    "form": "sheet functions, likewise",
    "signature": "sheet functions, likewise",
}


def read_by_name() -> dict[str, list[str]]:
    """Name → where it is read by ``getattr`` with the name in a string."""
    found: dict[str, list[str]] = {}
    for file in SOURCE.rglob("*.py"):
        if file.match("sandbox/server/figures/*.py"):
            continue  # figures of matplotlib, plotly and altair are known by what they can do
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if "getattr(" in text else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr"):
                continue
            name = node.args[1]
            if isinstance(name, ast.Constant) and isinstance(name.value, str):
                found.setdefault(name.value, []).append(f"{file.relative_to(SOURCE)}:{node.lineno}")
    return found


def test_nothing_of_our_own_is_read_by_a_name_in_a_string() -> None:
    found = read_by_name()
    assert {name: places for name, places in found.items() if name not in FOREIGN} == {}, "declare it on its class"
    assert sorted(set(FOREIGN) - set(found)) == [], "take these off the list"
