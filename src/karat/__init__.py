"""Karat measures data assistants: systems that turn a question in plain language into data.

    import karat

    result = karat.score(suite="data_query", cases="cases/", predictions="predictions.jsonl")
    print(result.metric("macro_recall"))

Everything named here is the public API. Importing it is cheap: heavy modules are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from karat.core.problems import Problem, UnknownName, UserError
    from karat.core.records import Case, Prediction, Turn
    from karat.core.results.result import CaseResult, MetricSummary, RunInfo, RunResult
    from karat.core.scores import Score
    from karat.core.system import System
    from karat.reports.comparison import Compared
    from karat.stats.gates.verdicts import Verdict
    from karat.suites.codegen.session import Session
    from karat.verbs.check import check
    from karat.verbs.compare import compare
    from karat.verbs.gate import Verdicts, gate
    from karat.verbs.run import run
    from karat.verbs.runs import load_run
    from karat.verbs.score import score

__all__ = [
    "Case",
    "CaseResult",
    "Compared",
    "MetricSummary",
    "Prediction",
    "Problem",
    "RunInfo",
    "RunResult",
    "Score",
    "Session",
    "System",
    "Turn",
    "UnknownName",
    "UserError",
    "Verdict",
    "Verdicts",
    "__version__",
    "check",
    "compare",
    "gate",
    "load_run",
    "run",
    "score",
]

_HOMES = {
    "check": "karat.verbs.check",
    "compare": "karat.verbs.compare",
    "gate": "karat.verbs.gate",
    "load_run": "karat.verbs.runs",
    "run": "karat.verbs.run",
    "score": "karat.verbs.score",
    "Problem": "karat.core.problems",
    "UnknownName": "karat.core.problems",
    "UserError": "karat.core.problems",
    "Case": "karat.core.records",
    "Prediction": "karat.core.records",
    "Turn": "karat.core.records",
    "CaseResult": "karat.core.results.result",
    "Compared": "karat.reports.comparison",
    "Verdict": "karat.stats.gates.verdicts",
    "Verdicts": "karat.verbs.gate",
    "MetricSummary": "karat.core.results.result",
    "RunInfo": "karat.core.results.result",
    "RunResult": "karat.core.results.result",
    "Score": "karat.core.scores",
    "Session": "karat.suites.codegen.session",
    "System": "karat.core.system",
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
