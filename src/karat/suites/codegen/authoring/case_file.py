"""Stored cases of the suite as a case file, see ``core.case_files.case_file``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.case_files.case_file import CaseFile, as_yaml, base_name
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.suites.codegen.plots.expectation.plot_spec import written_plot_of
from karat.suites.codegen.tasks.hidden_tests import KEYS, KINDS


def case_file(cases: Sequence[JsonMapping]) -> CaseFile | None:
    """The tasks as a YAML list; None where one of them comes from a benchmark's own file."""
    tasks = [_task(case) for case in cases]
    known = [task for task in tasks if task is not None]
    if len(known) < len(tasks):
        return None
    note = (
        "Add it to the tasks of a file. Tables are named without their folders: write the paths relative to that file."
    )
    return CaseFile(as_yaml(known), "yaml", note)


def _task(case: JsonMapping) -> JsonObject | None:
    asked = next((turn for turn in case.get("conversation", ()) if turn.get("target") is not None), None)
    if asked is None or asked["target"].get("template") or asked["target"].get("answer", "result") != "result":
        return None
    target = asked["target"]
    question = asked["content"]
    if target.get("steps"):  # the first step has its question itself
        question = question.removesuffix(target["steps"][0]["question"].strip()).strip()
    found: JsonObject = {"id": case["id"], "question": question, "name": case.get("name", "")}
    found |= _tables_and_expected(target)
    found["tests"] = [_test(test) for test in target.get("tests", ())]
    found["steps"] = [_step(step) for step in target.get("steps", ())]
    found["final"] = list(target.get("final", ()))
    keys = ("reference", "language", "reference_language", "setup", "cluster", "environment")
    found |= {key: target.get(key, "") for key in keys}
    found |= {"tags": case.get("tags", ()), "comments": case.get("comments", "")}
    found |= {name: target[key] for name, key, usual in _LIMITS if target.get(key, usual) != usual}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in found.items()
        if value or key == "expected"
    }


def _step(step: JsonMapping) -> JsonObject:
    found: JsonObject = {"question": step["question"], **_tables_and_expected(step)}
    found |= {"reference": step.get("reference", ""), "tests": [_test(test) for test in step.get("tests", ())]}
    found["timeout"] = step.get("timeout")
    return {key: value for key, value in found.items() if value or key == "expected"}


def _tables_and_expected(target: JsonMapping) -> JsonObject:
    """What a task and a test have in common, as a file gives it."""
    found: JsonObject = {
        "tables": {
            name: table.get("columns") if table.get("columns") is not None else base_name(table.get("path", ""))
            for name, table in target.get("tables", {}).items()
        }
    }
    expected = target.get("expected")
    if expected:
        found["expected"] = {form: _written(form, value) for form, value in expected.items()}
    return found


def _written(form: str, value: Json) -> Json:
    """What is expected under one name, as a file gives it."""
    if form == "plot":
        return written_plot_of(value)
    if form == "files":
        return {name: _file(entry) for name, entry in value.items()}
    return base_name(value) if form == "file" else value


def _file(entry: JsonMapping) -> JsonObject:
    """An expected file, as a task file gives it."""
    found = {key: _written(key, value) for key, value in entry.items() if key != "from_table"}
    if not entry.get("from_table"):
        return found
    columns = {"columns": found.pop("table")} if "table" in found else {}
    return {"table": entry["from_table"], **columns, **found}


def _test(test: JsonMapping) -> JsonObject:
    """An entry of ``tests`` with the keys of its kind."""
    relation = test.get("relation")
    others = test.get("property") or ("assert" if test.get("assert") else "tables")
    required, optional = KEYS[f"relation {relation}" if relation else others]
    keys = (*KINDS, "tables", *required, *optional)
    whole = {**test, **_tables_and_expected(test)}
    kept = {key: whole[key] for key in keys if whole.get(key) not in (None, "", {}, (), [])}
    if "result" in required:
        kept.setdefault("result", "same")
    return {key: list(value) if isinstance(value, tuple) else value for key, value in kept.items()}


_LIMITS = (("timeout", "timeout", 10.0), ("memory", "memory_mb", 1024))
