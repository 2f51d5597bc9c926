"""A notebook as an answer: its code cells in their order, one for each step.

Where cells are tagged ``karat:step``, only those are steps, and code between them belongs to the next one. Setup and
tests are the task's business and are left out. An empty cell that is tagged is a step without an answer. A cell that
holds what is never run (``!pip``) becomes a step that fails with that line.
"""

from __future__ import annotations

from pathlib import Path

from karat.core.problems import Problem
from karat.core.records import Prediction, join_attempts
from karat.suites.codegen.notebooks.cells import SETUP, STEP, TESTS, Cell, read_notebook
from karat.suites.codegen.notebooks.magics import Refused, plain_python


def notebook_prediction(file: Path, case_id: str) -> Prediction | Problem:
    """The answer that a notebook holds."""
    notebook = read_notebook(file)
    if isinstance(notebook, Problem):
        return notebook
    code_cells = [cell for cell in notebook.cells if cell.kind == "code" and (cell.source.strip() or STEP in cell.tags)]
    cells = [cell for cell in code_cells if SETUP not in cell.tags and TESTS not in cell.tags]
    tagged = any(STEP in cell.tags for cell in cells)
    answers: list[str] = []
    waiting: list[str] = []
    for cell in cells:
        waiting.append(_code(cell))
        if not tagged or STEP in cell.tags:
            answers.append("\n".join(waiting))
            waiting = []
    if not any(text.strip() for text in answers):
        return Problem("a notebook without code", file=str(file), line=1)
    named = notebook.about.get("id")
    return Prediction(
        named if isinstance(named, str) and named else case_id,
        None,
        response=join_attempts([text.encode(errors="replace") for text in answers]),
    )


def _code(cell: Cell) -> str:
    try:
        return plain_python(cell.source)
    except Refused as error:
        return f"raise PermissionError({f'cell {cell.number}, {error}'!r})"
