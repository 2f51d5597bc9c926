"""The public gold sets, read in the simplest way: what the conformance tests and the benchmark need, and no more."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from karat.suites.answers.records import Answer, Entry, Gold


def lite_golds(shared: Path) -> list[Gold]:
    """The lite gold set: each row with the CSV files that are there. A row without any is left out."""
    folder = shared / "data/spider2/lite/evaluation_suite/gold"
    files: dict[str, list[str]] = defaultdict(list)
    for path in sorted((folder / "exec_result").glob("*.csv")):
        files[re.sub(r"_[a-z]$", "", path.stem)].append(str(path))
    rows = [json.loads(line) for line in (folder / "spider2lite_eval.jsonl").read_text().splitlines()]
    return [
        Gold(row["instance_id"], (_flat_entry(row, files[row["instance_id"]]),), family="flat")
        for row in rows
        if row["instance_id"] in files
    ]


def _flat_entry(row: dict[str, Any], files: list[str]) -> Entry:
    parameters = {name: row[name] for name in ("condition_cols", "ignore_order")}
    return Entry("table_match", parameters, tuple(files))


def old_golds(shared: Path) -> Iterator[Gold]:
    """The contract's own gold set."""
    folder = shared / "data/spider2/old/evaluation_suite/gold"
    for line in (folder / "spider2_eval.jsonl").read_text().splitlines():
        row = json.loads(line)
        evaluation = row["evaluation"] if isinstance(row["evaluation"], list) else [row["evaluation"]]
        yield Gold(
            row["instance_id"], tuple(_entry(folder / row["instance_id"], found) for found in evaluation if found)
        )


def _entry(folder: Path, row: dict[str, Any]) -> Entry:
    parameters = row["parameters"]
    if row["func"] not in ("table_match", "tables_match", "duckdb_match"):
        return Entry(row["func"], parameters)
    names = parameters["gold"]
    paths = [str(folder / name) for name in ([names] if isinstance(names, str) else names)]
    return Entry(row["func"], parameters, tuple(paths))


def as_submitted(gold: Gold, path: str) -> Answer:
    return Answer(gold.instance_id, "file", paths=(path,))
