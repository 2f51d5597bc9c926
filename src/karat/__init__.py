"""Karat measures data assistants: systems that turn a question in plain language into data.

    import karat

    result = karat.score(suite="data_query", cases="cases/", predictions="predictions.jsonl")
    print(result.metric("macro_recall"))

Everything named here is the public API. Importing it is cheap: the work is loaded when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.api import check, load_run, run, score
    from karat.core.problems import Problem, UserError
    from karat.core.records import Case, Prediction, Turn
    from karat.core.result import CaseResult, MetricSummary, RunInfo, RunResult
    from karat.core.scores import Score
    from karat.suites.codegen.session import Session

__all__ = [
    "Case",
    "CaseResult",
    "MetricSummary",
    "Prediction",
    "Problem",
    "RunInfo",
    "RunResult",
    "Score",
    "Session",
    "Turn",
    "UserError",
    "__version__",
    "check",
    "load_run",
    "run",
    "score",
]

_HOMES = {
    "check": "karat.api",
    "load_run": "karat.api",
    "run": "karat.api",
    "score": "karat.api",
    "Problem": "karat.core.problems",
    "UserError": "karat.core.problems",
    "Case": "karat.core.records",
    "Prediction": "karat.core.records",
    "Turn": "karat.core.records",
    "CaseResult": "karat.core.result",
    "MetricSummary": "karat.core.result",
    "RunInfo": "karat.core.result",
    "RunResult": "karat.core.result",
    "Score": "karat.core.scores",
    "Session": "karat.suites.codegen.session",
}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("karat")
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'karat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
