"""A stored case as it would stand in a case file of its suite, to start a new case from, or to keep a set of cases as a file.

A suite whose cases do not stand one by one in a text file (a sheet, judgements of a search) has no such form, and the page says so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

Plain = dict[str, Any]


class CaseFile(msgspec.Struct, frozen=True):
    """Cases as text, the ending of such a file, and what else to mind."""

    text: str
    ending: str
    note: str


def case_file(suite: str, cases: Sequence[Mapping[str, Any]]) -> CaseFile | None:
    """The cases as one file of this suite; None where that cannot be said."""
    writer = _WRITERS.get(suite)
    return writer(cases) if writer is not None and cases else None


def renamed(case: Mapping[str, Any], new_id: str) -> Plain:
    """The case under another id."""
    return {**case, "id": new_id}


def _data_query(cases: Sequence[Mapping[str, Any]]) -> CaseFile:
    keys = ("id", "name", "tags", "comments", "conversation")
    written = [{key: case[key] for key in keys if case.get(key)} for case in cases]
    return CaseFile("---\n".join(_yaml(case) for case in written), "yaml", "Put it into the cases folder.")


def _codegen(cases: Sequence[Mapping[str, Any]]) -> CaseFile | None:
    tasks = [_task(case) for case in cases]
    known = [task for task in tasks if task is not None]
    if len(known) < len(tasks):  # DS-1000 and the like: their files are made by others
        return None
    note = (
        "Add it to the tasks of a file. Tables are named without their folders: write the paths relative to that file."
    )
    return CaseFile(_yaml(known), "yaml", note)


def _task(case: Mapping[str, Any]) -> Plain | None:
    asked = next((turn for turn in case.get("conversation", ()) if turn.get("target") is not None), None)
    if asked is None or asked["target"].get("template") or asked["target"].get("answer", "result") != "result":
        return None
    target = asked["target"]
    found: Plain = {"id": case["id"], "question": asked["content"], "name": case.get("name", "")}
    found["tables"] = {
        name: table.get("columns") if table.get("columns") is not None else _base(table.get("path", ""))
        for name, table in target.get("tables", {}).items()
    }
    expected = target.get("expected")
    if expected:
        form, value = next(iter(expected.items()))
        found["expected"] = {form: _base(value) if form == "file" else value}
    found |= {key: target.get(key, "") for key in ("reference", "setup", "cluster")}
    found |= {"tags": case.get("tags", ()), "comments": case.get("comments", "")}
    found |= {name: target[key] for name, key, usual in _LIMITS if target.get(key, usual) != usual}
    return {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in found.items()
        if value or key == "expected"
    }


_LIMITS = (("timeout", "timeout", 10.0), ("memory", "memory_mb", 1024))


def _answers(cases: Sequence[Mapping[str, Any]]) -> CaseFile | None:
    rows = []
    for case in cases:
        asked = next((turn for turn in case.get("conversation", ()) if turn.get("target") is not None), None)
        gold = asked["target"] if asked is not None else {}
        if not gold.get("entries") or gold.get("family") == "flat":
            return None
        entries = [{"func": entry["func"], "parameters": entry.get("parameters", {})} for entry in gold["entries"]]
        row: Plain = {"instance_id": case["id"], **case.get("metadata", {})}
        row |= {key: gold[key] for key in ("ties", "as_of", "temporal") if gold.get(key)}
        rows.append(row | {"evaluation": entries[0] if len(entries) == 1 else entries})
    text = "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)
    note = "Add it to the gold file as a separate line. Gold files that it names belong in the folder of the new id."
    return CaseFile(text, "jsonl", note)


_WRITERS: dict[str, Callable[[Sequence[Mapping[str, Any]]], CaseFile | None]] = {
    "data_query": _data_query,
    "codegen": _codegen,
    "answers": _answers,
}


def _base(path: Any) -> str:
    """A file's name without the folders of this machine."""
    return str(path).replace("\\", "/").rpartition("/")[2]


def _yaml(value: Any) -> str:
    import yaml

    return yaml.dump(value, Dumper=_dumper(), sort_keys=False, allow_unicode=True, width=100, default_flow_style=False)


def _dumper() -> Any:
    import yaml

    class Blocks(yaml.SafeDumper):
        """Text of several lines as a block, without anchors: as a person would write it."""

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Blocks.add_representer(str, text)
    return Blocks
