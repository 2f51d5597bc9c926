"""DABstep: questions about payments, with a manual and tables in ``context/`` beside the list. The test split has no
answers: its tasks are loaded, run and not judged."""

from __future__ import annotations

import msgspec

from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Expected, Published, Task

KEYS = frozenset({"task_id", "question", "guidelines", "level", "answer"})
TIMEOUT = 120.0


class _Row(msgspec.Struct, frozen=True):
    task_id: str | int
    question: str
    guidelines: str = ""
    level: str = ""
    answer: str | int | float | None = None


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One question as a case, or why it cannot be asked."""
    folder = beside.folder("context")
    if folder is None:
        return [LeftOut("DABstep", str(told.task_id), "there is no folder context/ beside the questions")]
    tables, files = inputs_of(sorted(place for place in folder.iterdir() if place.is_file()))
    known = told.answer is not None and str(told.answer).strip() != ""
    task = Task(
        tables=tables,
        files=files,
        expected=Expected(published=Published("dabstep", told.answer)) if known else None,
        timeout=TIMEOUT,
        memory_mb=4096,
    )
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task, more=(told.guidelines,))),
        Turn(role="user", content=told.question, target=task),
    )
    tags = tuple(tag for tag in (told.level, "" if known else "no gold") if tag)
    return [Case(str(told.task_id), conversation, tags=tags, source=source)]


SET = PublishedSet("a DABstep question", KEYS, _Row, read)
