"""PandasPlotBench: a plot to draw from one table, ``data.csv``. What its own code (``code_plot``) draws in the sandbox
says which type and data are right; its pictures are not looked at.

A plot whose code draws several panels, or what cannot be read as data, leaves its task ``gold_error``.
"""

from __future__ import annotations

import ast

import msgspec

from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import Neighbours
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.plots.records import PanelGold, PlotGold
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Expected, Task

KEYS = frozenset({"id", "code_plot", "code_data", "data_csv", "task__plot_description", "task__plot_style"})
TIMEOUT = 60.0


class _Row(msgspec.Struct, frozen=True):
    id: int | str
    code_plot: str
    code_data: str
    data_csv: str
    task__plot_description: str
    task__plot_style: str = ""


def read(told: _Row, _beside: Neighbours, source: Where) -> list[Case[Task] | Problem]:
    """One task as a case, or why it cannot be asked."""
    ast.parse(told.code_data)
    ast.parse(told.code_plot)
    table = f"with open('data.csv', 'w', encoding='utf-8') as _file:\n    _file.write({told.data_csv!r})"
    task = Task(
        reference=told.code_plot,
        setup=f"{table}\n{told.code_data}",
        expected=Expected(plot=PlotGold((PanelGold(reference=("type", "data")),))),
        timeout=TIMEOUT,
    )
    shown = f"This code has run already:\n```python\n{told.code_data.strip()}\n```"
    asked = "\n\n".join(part.strip() for part in (told.task__plot_description, told.task__plot_style) if part.strip())
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=f"Draw one plot.\n\n{shown}\n\n{WRITE}"),
        Turn(role="user", content=asked, target=task),
    )
    return [Case(str(told.id), conversation, source=source)]


SET = PublishedSet("a PandasPlotBench task", KEYS, _Row, read)
