"""The sheet language: tables whose fields are formulas, with the functions that evaluate retrieval.

    from karat.sheet import evaluate, parse

    workbook = evaluate(parse(text, "kitchen.sheet"), folder=folder)

The names below are what other packages use. Importing them is cheap: a module is loaded when one of its names is first
used. Inside:

- ``text/``: from text to the tree (``grammar.lark``, scanner, parser) and back (formatter);
- ``check/``: mistakes that can be found without evaluating, and what depends on what;
- ``plan/``: the nodes to compute, each once;
- ``compute/``: the value of every node, and the files and models that formulas read;
- ``functions/``: the functions of the language.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.sheet.check.checker import check_sheet
    from karat.sheet.compute.resources import Settings
    from karat.sheet.evaluation import evaluate, evaluation_of
    from karat.sheet.evaluation_table import EvaluationTable
    from karat.sheet.functions import FUNCTIONS
    from karat.sheet.plan.planner import make_plan
    from karat.sheet.text.formatter import format_sheet
    from karat.sheet.text.parser import parse
    from karat.sheet.text.tree import Sheet
    from karat.sheet.workbook import EvaluatedTable, Workbook

__all__ = [
    "FUNCTIONS",
    "EvaluatedTable",
    "EvaluationTable",
    "Settings",
    "Sheet",
    "Workbook",
    "check_sheet",
    "evaluate",
    "evaluation_of",
    "format_sheet",
    "make_plan",
    "parse",
]

_MODULES = {
    "FUNCTIONS": "functions",
    "EvaluatedTable": "workbook",
    "EvaluationTable": "evaluation_table",
    "Settings": "compute.resources",
    "Sheet": "text.tree",
    "Workbook": "workbook",
    "check_sheet": "check.checker",
    "evaluate": "evaluation",
    "evaluation_of": "evaluation",
    "format_sheet": "text.formatter",
    "make_plan": "plan.planner",
    "parse": "text.parser",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module 'karat.sheet' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"karat.sheet.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
