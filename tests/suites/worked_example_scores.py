"""Scoring a worked example of a suite, as files of a user would be."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import karat
from karat.core.metrics.worked_examples import WorkedExample
from karat.core.results.result import CaseResult
from karat.core.suite import Suite


def scored(suite: Suite, example: WorkedExample, folder: Path) -> CaseResult:
    """The result of the example's only case."""
    for name, content in example.files.items():
        if name.endswith(".sqlite"):
            with sqlite3.connect(folder / name) as database:
                database.executescript(content)
        else:
            (folder / name).write_text(content)
    options = json.loads(json.dumps(dict(example.options)).replace("FOLDER", str(folder)))
    cases: object = [dict(example.case)]
    predictions: object = [dict(example.answer)]
    if "sql" in example.case:
        cases, predictions = folder / "questions.jsonl", folder / "predictions.jsonl"
        cases.write_text(json.dumps(example.case))
        predictions.write_text(json.dumps(example.answer))
    result = karat.score(suite.name, cases, predictions, options=options, folder=folder)
    return result.cases[0]


def values(result: CaseResult) -> dict[str, float]:
    """The metrics that have a value."""
    return {name: score.value for name, score in result.scores.items() if score.value is not None}
