"""A run in which answers are confused, refused and lost on the way, for what a page shows over all cases."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from karat.core.plugins import load_suite
from karat.core.records import Prediction
from karat.core.results.result import RunResult
from karat.runs.scores.run_scoring import score_recorded
from karat.store import RunRecord, open_store, run_name

NAMES = {"MEX": "Mexico", "USA": "United States", "NOR": "Norway"}


def selection(*ids: str) -> list[dict[str, Any]]:
    values = [{"id": one, "name": NAMES[one]} for one in ids]
    return [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "COUNTRY", "values": values}]}]


STAGES = [
    {"name": "lexical", "group": "retrieved", "indicator_selection": selection("MEX")},
    {"name": "semantic", "group": "retrieved", "indicator_selection": selection("USA")},
    {"name": "llm_scored", "indicator_selection": selection("MEX")},
]
ALL = {"indicator_selection": selection("MEX", "USA", "NOR")}
ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "right": (ALL, ALL),
    "lost": (ALL, {"indicator_selection": selection("MEX"), "stages": STAGES}),
    "instead": ({"indicator_selection": selection("MEX")}, {"indicator_selection": selection("USA", "NOR")}),
    "refused": (ALL, {"outcome": "no_data"}),
    "no data": ({"outcome": "no_data"}, ALL),
}
"""Case → target and answer."""


def scored(copies: int = 1) -> tuple[RunResult, list[tuple[str, bytes]], list[Prediction]]:
    """The result, the cases as the store keeps them, and the answers; each case as often as is said."""
    suite = load_suite("data_query")
    named = [(f"{name} {copy}", pair) for copy in range(copies) for name, pair in ASKED.items()]
    plain = [
        {"id": name, "tags": ["some"], "conversation": [{"role": "user", "content": f"{name}?", "target": target}]}
        for name, (target, _) in named
    ]
    assert suite.cases_from is not None
    loaded = suite.cases_from(plain, Path())
    assert not loaded.problems
    answers = [Prediction(name, response=msgspec.json.encode(answer)) for name, (_, answer) in named]
    result = score_recorded(suite, loaded.cases, answers, suite.options())
    return result, [(case.id, msgspec.json.encode(case)) for case in loaded.cases], answers


def add_staged(url: str, copies: int = 1) -> str:
    """The run in a store; its name."""
    result, cases, answers = scored(copies)
    with open_store(url) as store:
        run = store.create_run(
            RunRecord(suite="data_query", name="staged", cases=len(cases), truth_set=result.run.truth_set)
        )
        store.add_cases(run, cases)
        store.add_predictions(run, answers)
        store.add_scoring(run, result)
        store.set_status(run, "finished")
    return run_name(run)
