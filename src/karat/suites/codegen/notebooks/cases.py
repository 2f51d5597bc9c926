"""A notebook as a case: a session whose references are its own cells.

The markdown above a code cell is the question. Cells tagged ``karat:step`` are the steps; when none is tagged, every
code cell that has an output or sets ``result``. ``karat:setup`` is code that is there for every answer, ``karat:tests``
holds asserts about the step before it. Code between two steps belongs to the second; code before the first is setup.
Tables are those named under ``karat`` in the notebook's metadata, or the CSV and Parquet files beside it that its code
names.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from karat.core.json_types import JsonObject
from karat.core.problems import Problem, did_you_mean
from karat.core.records import Case, Where
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings
from karat.suites.codegen.analysis.reader.syntax_tree import syntax_tree
from karat.suites.codegen.notebooks.cells import SETUP, STEP, TAGS, TESTS, Cell, Notebook, read_notebook
from karat.suites.codegen.notebooks.magics import Refused, plain_python
from karat.suites.codegen.records import Task
from karat.suites.codegen.steps.flat import names_set
from karat.suites.codegen.tasks.files import read_task
from karat.suites.codegen.tasks.table_values import TABLE_SUFFIXES

KEYS = ("id", "name", "tables", "tags", "timeout", "memory", "final", "cluster", "comments", "environment")
"""What a notebook may say about itself."""


def notebook_cases(file: Path) -> Iterator[Case[Task] | Problem]:
    """The case of a notebook, and what is wrong with it."""
    notebook = read_notebook(file)
    if isinstance(notebook, Problem):
        yield notebook
        return
    problems: list[Problem] = []
    row = _row(notebook, file, problems)
    yield from problems
    if row is None or any(problem.severity == "error" for problem in problems):
        return
    findings = Findings(str(file))
    case = read_task(node_of(row, str(file), 1), {}, file.parent, findings, Where(str(file), 0, None, 1))
    yield from findings.problems
    if case is not None:
        yield case


def _row(notebook: Notebook, file: Path, problems: list[Problem]) -> JsonObject | None:
    """The notebook as a task would be written."""

    def wrong(message: str, line: int = 1, hint: str = "", *, warning: bool = False) -> None:
        problems.append(
            Problem(message, file=str(file), line=line, hint=hint, severity="warning" if warning else "error")
        )

    for key in notebook.about:
        if key not in KEYS:
            wrong(f'unknown key "{key}" under karat in the metadata', hint=did_you_mean(key, KEYS))
    for cell in notebook.cells:
        for tag in cell.tags:
            if tag.startswith("karat:") and tag not in TAGS:
                wrong(f'cell {cell.number}: unknown tag "{tag}"', cell.line, did_you_mean(tag, TAGS))
    made, named = _Steps(), _NamedFiles(file.parent)
    tagged = any(STEP in cell.tags for cell in notebook.cells)
    for cell in notebook.cells:
        if cell.kind == "markdown":
            made.read(cell)
            continue
        try:
            code = plain_python(cell.source)
        except Refused as error:
            wrong(f"cell {cell.number}, {error}", cell.line_of(error.line), error.hint)
            continue
        if elsewhere := named.read(code):
            said = (
                f"cell {cell.number}: {elsewhere} is not beside the notebook, so answers and references cannot read it"
            )
            wrong(said, cell.line, "Move it there, or name it in tables under karat in the metadata.", warning=True)
        problem = made.add(cell, code, is_step=STEP in cell.tags if tagged else _looks_like_step(cell, code))
        if problem:
            wrong(f"cell {cell.number}: {problem}", cell.line, warning=not tagged)
    if not made.steps:
        wrong("no code cell is a step", hint=f"Tag cells with {STEP}, or leave a result in them.")
        return None
    about = {key: value for key, value in notebook.about.items() if key in KEYS}
    tables = about.pop("tables", None) or named.beside
    setup = "\n".join(made.setup)
    return {"id": file.stem, **about, "tables": tables, "setup": setup, "steps": made.steps}


class _Steps:
    """Cells put together to steps, from top to bottom."""

    def __init__(self) -> None:
        self.setup: list[str] = []
        self.steps: list[JsonObject] = []
        self.waiting: list[str] = []
        self.markdown: list[str] = []
        self.fresh = False

    def read(self, cell: Cell) -> None:
        """Markdown: a new question, or the next part of it."""
        self.markdown = [*self.markdown, cell.source.strip()] if self.fresh else [cell.source.strip()]
        self.fresh = True

    def add(self, cell: Cell, code: str, *, is_step: bool) -> str:
        """A code cell; why it cannot be what it is tagged as."""
        if TESTS in cell.tags:
            if not self.steps:
                return f"{TESTS} without a step before it"
            self.steps[-1].setdefault("tests", []).append({"assert": code})
        elif SETUP in cell.tags:
            self.setup.append(code)
        elif is_step:
            return self._step(code)
        elif code.strip():
            (self.waiting if self.steps else self.setup).append(code)
        self.fresh = False
        return ""

    def _step(self, code: str) -> str:
        question = "\n\n".join(text for text in self.markdown if text)
        self.fresh = False
        if not question:
            self.waiting.append(code)
            return "a step without markdown above it, which would be its question"
        if not _answers(code):
            self.waiting.append(code)
            return "it leaves no result to compare, so it is no step"
        self.steps.append({"question": question, "reference": "\n".join((*self.waiting, code))})
        self.waiting = []
        return ""


def _looks_like_step(cell: Cell, code: str) -> bool:
    return cell.has_output or "result" in names_set(code)


def _answers(code: str) -> bool:
    """Whether a cell leaves an answer: it sets ``result``, or its last line is an expression that is no print."""
    tree = syntax_tree(code)
    if tree is None or not tree.body:
        return False
    last = tree.body[-1]
    printed = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and _name(last.value.func) == "print"
    return "result" in names_set(code) or (isinstance(last, ast.Expr) and not printed)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else ""


class _NamedFiles:
    """The table files that the code of a notebook names."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.beside: dict[str, str] = {}
        """Those beside the notebook, by the name of the table."""

    def read(self, code: str) -> str:
        """Take them from the code of one cell. A file that is there, but in another folder."""
        elsewhere = ""
        tree = syntax_tree(code)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.endswith(TABLE_SUFFIXES):
                name = PurePosixPath(node.value)
                if not (self.folder / name).is_file():
                    continue
                if name.name == str(name):
                    self.beside.setdefault(name.stem, name.name)
                else:
                    elsewhere = node.value
        return elsewhere
