"""DSBench's data analysis: one line has the questions of a workbook by name, their texts and tables are in
``data/ID/``. Choices and numbers are judged; its competitions are in ``dsbench_models``."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem, count_of
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Expected, Published, Task

KEYS = frozenset({"id", "name", "questions", "answers"})
TIMEOUT = 120.0
INTRODUCTION = "introduction"


class _Row(msgspec.Struct, frozen=True):
    id: str
    name: str
    questions: list[str]
    answers: list[Json]


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """A case for each question of a line, or why it cannot be asked."""
    if len(told.questions) != len(told.answers):
        message = f"{count_of(len(told.questions), 'question')} and {count_of(len(told.answers), 'answer')}"
        return [Problem(message, file=source.file, line=source.line)]
    place = beside.folder("data")
    folder = None if place is None else place / Path(told.id).name
    found: list[Case[Task] | Problem | LeftOut] = []
    for name, answer in zip(told.questions, told.answers, strict=True):
        question = _text(folder, name)
        if folder is None or not question:
            found.append(LeftOut("DSBench", f"{told.id}/{name}", "its question and tables are not in data/"))
            continue
        given = [file for file in sorted(folder.iterdir()) if file.is_file() and file.suffix not in (".txt", ".pdf")]
        tables, files = inputs_of(given)
        task = Task(
            tables=tables,
            files=files,
            expected=Expected(published=Published("dsbench", answer)),
            timeout=TIMEOUT,
            memory_mb=4096,
        )
        conversation: tuple[Turn[Task], ...] = (
            Turn(role="system", content=instructions(task, more=(_text(folder, INTRODUCTION),))),
            Turn(role="user", content=question, target=task),
        )
        found.append(Case(f"{told.id}/{name}", conversation, source=source))
    return found


def _text(folder: Path | None, name: str) -> str:
    try:
        return (folder / f"{Path(name).name}.txt").read_text(encoding="utf-8", errors="replace") if folder else ""
    except OSError:
        return ""


SET = PublishedSet("a DSBench line", KEYS, _Row, read)
