"""The reference solution of a task, run once however many answers are compared with it.

It runs apart from the answers (``Sandbox.apart``): no package of its environment can show an answer what the reference
gave. That is kept with its sandbox, by everything that could change it: the tables, the setup, the code, the limits.
A reference that fails here makes the task a ``gold_error``: it is shown apart, and not held against the model.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TypeVar
from weakref import WeakKeyDictionary

import msgspec

from karat.core.suite import NotApplicable
from karat.sandbox import Outcome, Plain, Sandbox, Table
from karat.suites.codegen.harness.unit_tests import seen_in
from karat.suites.codegen.harness.unit_tests import trouble as unit_test_trouble
from karat.suites.codegen.harness.verdict import published_of, verdict_of
from karat.suites.codegen.records import Answers, Columns, Harness, Schema, Task
from karat.suites.codegen.running.execution import attempt_of, given_tables, limits_of, run_code, snippet_of

KEPT = 256
KEPT_TABLES = 4
DISTINCT = 50
"""A text column with at most this many values is one that questions name the values of."""
MOST_COLUMNS = 2_000
PASSING = frozenset({"timeout", "server_died"})
"""Ends that a busy machine may bring about: not kept, so that the next answer's reference gets another chance."""


_LOOK = """
def _about(frame):
    names, values = [], {}
    for place, name in enumerate(frame.columns[:MOST_COLUMNS]):
        names.append(str(name))
        column = frame.iloc[:, place]
        if not pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_datetime64_any_dtype(column.dtype):
            try:
                found = column.dropna().unique()
            except TypeError:
                continue
            if len(found) <= DISTINCT and all(isinstance(value, str) for value in found):
                values[str(name)] = [str(value)[:100] for value in found]
    return {"columns": names, "values": values}
_given = {id(frame) for frame in tables.values()}
_made = {name: frame for name, frame in list(globals().items())
         if isinstance(frame, pd.DataFrame) and id(frame) not in _given and not name.startswith("_")}
result = {name: _about(frame) for name, frame in {**tables, **_made}.items()}
""".replace("MOST_COLUMNS", str(MOST_COLUMNS)).replace("DISTINCT", str(DISTINCT))

Values = dict[str, tuple[str, ...]]
"""The values of text columns that have few."""


Found = TypeVar("Found")


class _Kept:
    """What one sandbox has found out, the oldest dropped first."""

    def __init__(self) -> None:
        self.outcomes: OrderedDict[str, Outcome] = OrderedDict()
        self.tables: OrderedDict[str, dict[str, Columns] | None] = OrderedDict()
        self.trusted: OrderedDict[str, bool] = OrderedDict()
        self.schemas: OrderedDict[str, tuple[Schema, Values]] = OrderedDict()


_kept: WeakKeyDictionary[Sandbox, _Kept] = WeakKeyDictionary()


def _of(box: Sandbox) -> _Kept:
    return _kept.setdefault(box, _Kept())


def reference_outcome(box: Sandbox, task: Task) -> Outcome:
    """What the reference gives on the task's own tables. Raises NotApplicable when it fails here."""
    kept, key = _of(box).outcomes, digest(task, task.reference)
    outcome = kept.get(key)
    if outcome is None:
        outcome = run_code(box.apart(), task, task.reference)[1]
        if outcome.status not in PASSING:
            _keep(kept, key, outcome, KEPT)
    if not outcome.ok:
        attempt = attempt_of(task, task.reference, snippet_of(task, task.reference), outcome)
        at = f" (line {attempt.line})" if attempt.line else ""
        raise NotApplicable(f"gold_error: the reference fails here: {attempt.error}{at}")
    if task.unit_tests is not None and (failed := unit_test_trouble(task.unit_tests, seen_in(outcome.result))):
        raise NotApplicable(f"gold_error: its own tests reject the reference here: {failed}")
    if task.harness is not None and (trouble := _harness_trouble(box, task, task.harness, outcome.result)):
        raise NotApplicable(f"gold_error: {trouble}")
    return outcome


def _harness_trouble(box: Sandbox, task: Task, harness: Harness, answers: Answers) -> str:
    """Why a problem's own tests cannot judge here; empty when they can, which is kept."""
    kept, key = _of(box).trusted, digest(task, task.reference)
    if key in kept:
        return ""
    published = published_of(box, harness, task.reference, limits_of(task))
    if published.reference:
        return f"its own tests reject the reference here: {published.reference}"
    if published.idle:
        return f"its own tests accept code that does nothing: {published.idle[0].strip()}"
    verdict = verdict_of(box, harness, task.reference, answers, limits_of(task))
    if not verdict.passed:
        error = verdict.execution or verdict.string
        return f"its tests accept the reference only in the same process: {error}"
    _keep(kept, key, True, KEPT)
    return ""


def untouched(box: Sandbox, task: Task) -> list[Plain]:
    """What an answer that does nothing gives: each table as it is, and what the setup leaves in the answer's name."""
    found: list[Plain] = list((plain_tables(box, task) or {}).values())
    if task.setup and task.answer != "result" and not task.template:
        kept, key = _of(box).outcomes, digest(task, "pass")
        if key not in kept:
            ran = box.run(snippet_of(task, "pass").code, given_tables(task), limits=limits_of(task))
            _keep(kept, key, ran, KEPT)
        outcome = kept.get(key)
        if outcome is not None and outcome.ok:
            found.append(outcome.result)
    return found


def schema_of(box: Sandbox, task: Task) -> tuple[Schema, Values]:
    """The columns of each table, also of frames that the setup makes, and the values of text columns that have few."""
    kept, key = _of(box).schemas, digest(task, "")
    found = kept.get(key)
    if found is None:
        code = f"{task.setup.rstrip()}\n{_LOOK}" if task.setup else _LOOK
        seen = box.run(code, given_tables(task), limits=limits_of(task)).result
        found = _schema(seen) if isinstance(seen, dict) else (Schema({}), {})
        _keep(kept, key, found, KEPT)
    return found


def _schema(seen: Mapping[Plain, Plain]) -> tuple[Schema, Values]:
    values: Values = {}
    for table in seen.values():
        for column, found in table["values"].items():
            values[column] = tuple(dict.fromkeys((*values.get(column, ()), *found)))
    return Schema({str(name): tuple(table["columns"]) for name, table in seen.items()}), values


def plain_tables(box: Sandbox, task: Task) -> dict[str, Columns] | None:
    """The tables as columns, as pandas reads them; None when they cannot be read this way, such as without tables."""
    if not task.tables:
        return None
    kept, key = _of(box).tables, digest(task, "tables")
    if key in kept:
        return kept.get(key)
    seen = {
        name: box.run("result = next(iter(tables.values()))", {name: source}).result
        for name, source in given_tables(task).items()
    }
    columns = {name: columns_of(value) for name, value in seen.items()}
    whole = {name: found for name, found in columns.items() if found is not None}
    found = whole if len(whole) == len(columns) else None
    _keep(kept, key, found, KEPT_TABLES)
    return found


def columns_of(value: object) -> Columns | None:
    """A table as columns. None: not all of it can be given back as it was."""
    if not isinstance(value, Table) or len(set(value.names)) < len(value.columns):
        return None
    found = {column.name: column.values for column in value.columns}
    plain = all(isinstance(name, str) for name in found) and all(_sendable(values) for values in found.values())
    return found if plain else None


def _sendable(values: Sequence[object]) -> bool:
    return all(value is None or isinstance(value, str | bool | int | float | date) for value in values)


def digest(task: Task, code: str) -> str:
    """All that decides what this code gives. A file is known by its place, size and time."""
    tables: list[tuple[object, ...]] = []
    for name, source in task.tables.items():
        if source.columns is not None:
            tables.append((name, source.columns))
        else:
            tables.append((name, *_place_and_time(source.path)))
    said: tuple[object, ...] = (
        tables,
        task.setup,
        task.template,
        task.answer,
        code,
        task.timeout,
        task.memory_mb,
        task.harness,
    )
    if task.unit_tests is not None:
        said = (*said, task.unit_tests)
    if task.files:
        said = (*said, tuple(map(_place_and_time, task.files)))
    plot = task.expected.plot if task.expected is not None else None
    drawn = () if plot is None else ("plot", plot.named, len(plot.panels))
    return hashlib.sha256(msgspec.json.encode((*said, *drawn), enc_hook=repr)).hexdigest()


def _place_and_time(path: str) -> tuple[str, tuple[int, int] | None]:
    about = Path(path).stat() if Path(path).exists() else None
    return path, (about.st_size, about.st_mtime_ns) if about else None


def _keep(kept: OrderedDict[str, Found], key: str, value: Found, most: int) -> None:
    """The oldest goes. Safe with threads: what two of them make at once is the same."""
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)
