"""Code on many changed tables at once: one snippet runs it on all of them, which costs little more than running it
once.

Code that opens files must find each copy under the table's own file name, so it runs once a copy. So does code that
cannot be run on all of them within its limits, on the first few copies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence

import msgspec

from karat.core.json_types import JsonObject
from karat.sandbox import Outcome, Plain, Sandbox
from karat.suites.codegen.plots.plot_runs import drawing_limits, drawn_table, expects_plot
from karat.suites.codegen.records import Columns, Task
from karat.suites.codegen.running.execution import limits_of, run_code, snippet_of
from karat.suites.codegen.running.references import PASSING
from karat.suites.codegen.running.task_tables import placed

PATIENCE = 2.0
"""All copies together may take this many times the limit of one run."""
SINGLY = 20
"""Copies that code is tried on when they cannot all be run together."""
PATIENT = 2
"""Copies on which code may run out of time before the others are given up."""
SLOWER = 10
"""Code that does not end on a copy stands still there if its limit is this many times the processor time it took
before."""

_FILES = re.compile(
    r"""\bopen\s*\(|(?<![.\w'"])open\b(?!['"]|\s*=(?!=))|\bPath\s*\(|\bimport\b.*\bPath\b"""
    r"|\b(?:read|scan)_(?:\w+\s*\(|(?:csv|table|parquet|n?djson|json|excel|feather|ipc|sql|fwf|pickle|orc|database|text)\b)"
    r"|\b(?:loadtxt|genfromtxt|fromfile|listdir|glob|DictReader|getcwd)\b"
)
"""What opens files; a column may be called ``open`` or ``read_at``."""

_ALL = """
import ast as _ast
_frames = dict(tables)
def _once(code, tables):
    tree = _ast.parse(code, "<snippet>")
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
    names = {"__name__": "__main__", "pd": pd, "np": np, "tables": dict(tables)}
    names.update({name: table for name, table in tables.items() if name.isidentifier()})
    if len(tables) == 1:
        names.setdefault("df", next(iter(tables.values())))
    value = _once
    try:
        exec(compile(tree, "<snippet>", "exec"), names)
        if last is not None:
            value = eval(compile(_ast.Expression(last.value), "<snippet>", "eval"), names)
    except SystemExit as ended:
        if ended.code not in (None, 0):
            raise
    value = names.get("result", value)
    if value is _once:
        raise LookupError("it set no result")
    return value
def _drawn(code, tables):
    watch = _FigureWatch(20, 0)
    try:
        try:
            value = _once(code, tables)
        except LookupError as problem:
            if str(problem) != "it set no result":
                raise
            value = None
        return _json.dumps(watch.finish(value))
    finally:
        watch.end()
def _each(code, copies, run):
    found = []
    for copy in copies:
        try:
            found.append([True, run(code, {name: _frames[key] for name, key in copy})])
        except BaseException as problem:
            found.append([False, f"{type(problem).__name__}: {problem}"[:300]])
    return found
"""


_WATCH = """
import json as _json
from box.figures.watch import FigureWatch as _FigureWatch
"""
"""What drawing needs is loaded first. If it cannot be, the snippet fails as a whole and each copy is run by itself;
inside ``_each`` it would be an error of the code on every copy."""


class Ran(msgspec.Struct, frozen=True):
    """What code gave on one copy. ``value`` means something when it is ``ok``; ``late``: it was not done in time, or
    could not be tried."""

    ok: bool
    value: Plain = None
    error: str = ""
    late: bool = False


def on_all(box: Sandbox, task: Task, code: str, copies: Sequence[Mapping[str, Columns]]) -> list[Ran]:
    """The code on each of these copies, in their order."""
    found = None if opens_files(snippet_of(task, code).code) else _together(box, task, code, copies)
    if found is not None:
        return found
    ran: list[Ran] = []
    for place, copy in enumerate(copies):
        given_up = place >= SINGLY or sum(one.late for one in ran) >= PATIENT
        ran.append(Ran(False, late=True) if given_up else on_one(box, task, code, copy))
    return ran


def opens_files(code: str) -> bool:
    """Whether code may open a file."""
    return _FILES.search(code) is not None


def stalls(box: Sandbox, task: Task, code: str, tables: Mapping[str, Columns]) -> bool:
    """Whether code that is quick on the task's own tables does not end on a copy, run alone and once more. A busy
    machine is not the cause then: code could otherwise wait where it has no right answer."""
    own = run_code(box, task, code)[1]
    quick = own.ok and own.cpu * SLOWER < limits_of(task).wall
    return quick and on_one(box, task, code, tables).late


def on_one(box: Sandbox, task: Task, code: str, tables: Mapping[str, Columns]) -> Ran:
    """The code on one copy, in a process of its own."""
    with placed(task, tables) as given:
        outcome = run_code(box, task, code, given)[1]
    if outcome.ok:
        return Ran(True, outcome.result)
    return Ran(False, error=_error(outcome), late=outcome.status in PASSING)


def _together(box: Sandbox, task: Task, code: str, copies: Sequence[Mapping[str, Columns]]) -> list[Ran] | None:
    """None when they cannot be run so."""
    given: JsonObject = {}
    keys: list[list[tuple[str, str]]] = []
    for place, copy in enumerate(copies):
        keys.append([(name, f"copy{place}_{at}") for at, name in enumerate(copy)])
        given.update({f"copy{place}_{at}": columns for at, columns in enumerate(copy.values())})
    own, draws = snippet_of(task, code).code, expects_plot(task)
    harness, run = (_WATCH + _ALL, "_drawn") if draws else (_ALL, "_once")
    limits = limits_of(task)
    limits = msgspec.structs.replace(limits, wall=PATIENCE * limits.wall)
    limits = drawing_limits(task, limits, pictures=False)
    outcome = box.run(f"{harness}\nresult = _each({own!r}, {json.dumps(keys)}, {run})", given, limits=limits)
    results = outcome.result
    if not outcome.ok or not isinstance(results, list) or len(results) != len(copies):
        return None
    if not all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], bool) for one in results):
        return None
    if draws:
        results = [(ok, drawn_table(task, value) if ok else value) for ok, value in results]
    return [Ran(True, value) if ok else Ran(False, error=str(value)) for ok, value in results]


def _error(outcome: Outcome) -> str:
    raised = outcome.error
    return f"{raised.class_}: {raised.message}"[:300] if raised is not None else outcome.detail or outcome.status
