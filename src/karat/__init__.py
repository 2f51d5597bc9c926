"""Karat measures data assistants: systems that turn a question in plain language into data.

    import karat

    result = karat.score(suite="data_query", cases="cases/", predictions="predictions.jsonl")
    print(result.metric("macro_recall"))

Everything named here is the public API. Importing it is cheap: heavy modules are loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str

    from karat import answers, engines, retrieval, sandbox, stats
    from karat.core.case_files.case_rows import CaseFiles, CaseRow
    from karat.core.case_files.loaded import LoadedCases, LoadedPredictions
    from karat.core.case_files.recorded import read_recorded, stream_recorded
    from karat.core.explanation import Explanation, Group, Line, Part, differing_lines, explaining
    from karat.core.metric import Metric
    from karat.core.metrics.parameters import Parameter
    from karat.core.plugins import BrokenPlugin, PluginWarning
    from karat.core.problems import Problem, UnknownName, UserError
    from karat.core.records import CallError, Case, Prediction, Turn, Where
    from karat.core.replies import Reply, read_reply
    from karat.core.report import Column, Report, Sheet, Table
    from karat.core.results.result import CaseResult, Estimate, MetricSummary, RunInfo, RunResult
    from karat.core.scores import Score, not_applicable, scored
    from karat.core.suite import NotApplicable, Suite, SuiteOptions, Unreadable
    from karat.core.suite_prompt import Hint, Prompting
    from karat.core.system import (
        CallFailed,
        NoAnswer,
        PromptedConfig,
        Request,
        Response,
        System,
        SystemConfig,
        SystemType,
    )
    from karat.engines import Engine, EngineConfig, EngineError, EngineType, ResultTable, check_query, result_table
    from karat.reports.compare.comparison import Compared
    from karat.search.records import Model
    from karat.stats.gates.verdicts import Verdict
    from karat.suites.codegen.session import Session
    from karat.verbs.check import check
    from karat.verbs.compare import compare
    from karat.verbs.explain import Explained, explain
    from karat.verbs.export import ExportedFile, export
    from karat.verbs.gate import Verdicts, gate
    from karat.verbs.report import report
    from karat.verbs.run import run
    from karat.verbs.runs import load_run
    from karat.verbs.score import score
    from karat.verbs.show import ShownCase, show
    from karat.verbs.tune import Tuned, tune

__all__ = [
    "BrokenPlugin",
    "CallError",
    "CallFailed",
    "Case",
    "CaseFiles",
    "CaseResult",
    "CaseRow",
    "Column",
    "Compared",
    "Engine",
    "EngineConfig",
    "EngineError",
    "EngineType",
    "Estimate",
    "Explained",
    "Explanation",
    "ExportedFile",
    "Group",
    "Hint",
    "Line",
    "LoadedCases",
    "LoadedPredictions",
    "Metric",
    "MetricSummary",
    "Model",
    "NoAnswer",
    "NotApplicable",
    "Parameter",
    "Part",
    "PluginWarning",
    "Prediction",
    "Problem",
    "PromptedConfig",
    "Prompting",
    "Reply",
    "Report",
    "Request",
    "Response",
    "ResultTable",
    "RunInfo",
    "RunResult",
    "Score",
    "Session",
    "Sheet",
    "ShownCase",
    "Suite",
    "SuiteOptions",
    "System",
    "SystemConfig",
    "SystemType",
    "Table",
    "Tuned",
    "Turn",
    "UnknownName",
    "Unreadable",
    "UserError",
    "Verdict",
    "Verdicts",
    "Where",
    "__version__",
    "answers",
    "check",
    "check_query",
    "compare",
    "differing_lines",
    "engines",
    "explain",
    "explaining",
    "export",
    "gate",
    "load_run",
    "not_applicable",
    "read_recorded",
    "read_reply",
    "report",
    "result_table",
    "retrieval",
    "run",
    "sandbox",
    "score",
    "scored",
    "show",
    "stats",
    "stream_recorded",
    "tune",
]

_MODULES = frozenset(("answers", "engines", "retrieval", "sandbox", "stats"))
"""Public modules: ``karat.sandbox.run`` needs no import beside that of karat."""

_HOMES = {
    "check": "karat.verbs.check",
    "explain": "karat.verbs.explain",
    "Explained": "karat.verbs.explain",
    "compare": "karat.verbs.compare",
    "export": "karat.verbs.export",
    "gate": "karat.verbs.gate",
    "load_run": "karat.verbs.runs",
    "report": "karat.verbs.report",
    "run": "karat.verbs.run",
    "score": "karat.verbs.score",
    "show": "karat.verbs.show",
    "tune": "karat.verbs.tune",
    "CaseFiles": "karat.core.case_files.case_rows",
    "CaseRow": "karat.core.case_files.case_rows",
    "Explanation": "karat.core.explanation",
    "Group": "karat.core.explanation",
    "Line": "karat.core.explanation",
    "Part": "karat.core.explanation",
    "differing_lines": "karat.core.explanation",
    "explaining": "karat.core.explanation",
    "Parameter": "karat.core.metrics.parameters",
    "BrokenPlugin": "karat.core.plugins",
    "PluginWarning": "karat.core.plugins",
    "Problem": "karat.core.problems",
    "UnknownName": "karat.core.problems",
    "UserError": "karat.core.problems",
    "Hint": "karat.core.suite_prompt",
    "Prompting": "karat.core.suite_prompt",
    "read_recorded": "karat.core.case_files.recorded",
    "stream_recorded": "karat.core.case_files.recorded",
    "CallError": "karat.core.records",
    "Case": "karat.core.records",
    "Prediction": "karat.core.records",
    "Turn": "karat.core.records",
    "Where": "karat.core.records",
    "Reply": "karat.core.replies",
    "read_reply": "karat.core.replies",
    "Column": "karat.core.report",
    "Report": "karat.core.report",
    "Sheet": "karat.core.report",
    "Table": "karat.core.report",
    "CaseResult": "karat.core.results.result",
    "Estimate": "karat.core.results.result",
    "MetricSummary": "karat.core.results.result",
    "RunInfo": "karat.core.results.result",
    "RunResult": "karat.core.results.result",
    "Score": "karat.core.scores",
    "not_applicable": "karat.core.scores",
    "scored": "karat.core.scores",
    "LoadedCases": "karat.core.case_files.loaded",
    "LoadedPredictions": "karat.core.case_files.loaded",
    "Metric": "karat.core.metric",
    "NotApplicable": "karat.core.suite",
    "Suite": "karat.core.suite",
    "SuiteOptions": "karat.core.suite",
    "Unreadable": "karat.core.suite",
    "CallFailed": "karat.core.system",
    "NoAnswer": "karat.core.system",
    "PromptedConfig": "karat.core.system",
    "Request": "karat.core.system",
    "Response": "karat.core.system",
    "System": "karat.core.system",
    "SystemConfig": "karat.core.system",
    "SystemType": "karat.core.system",
    "Engine": "karat.engines",
    "EngineConfig": "karat.engines",
    "EngineError": "karat.engines",
    "EngineType": "karat.engines",
    "ResultTable": "karat.engines",
    "check_query": "karat.engines",
    "result_table": "karat.engines",
    "ExportedFile": "karat.verbs.export",
    "ShownCase": "karat.verbs.show",
    "Tuned": "karat.verbs.tune",
    "Verdicts": "karat.verbs.gate",
    "Compared": "karat.reports.compare.comparison",
    "Model": "karat.search.records",
    "Verdict": "karat.stats.gates.verdicts",
    "Session": "karat.suites.codegen.session",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("karat")
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in _MODULES:
        return import_module(f"karat.{name}")
    raise AttributeError(f"module 'karat' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
