"""KramaBench: questions over a domain's raw files, each answer with a type of its own.

Its subtasks are the steps of a session, and the question itself is the last one. An answer in one piece is judged by
the final answer alone.
"""

from __future__ import annotations

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem, did_you_mean
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.published.kramabench import KINDS
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Expected, Published, Step, Task
from karat.suites.codegen.steps.files import first_question, session_instructions

KEYS = frozenset({"id", "query", "answer", "answer_type", "data_sources"})
TIMEOUT = 120.0


class _Row(msgspec.Struct, frozen=True):
    id: str
    query: str
    answer: Json
    answer_type: str
    data_sources: list[str] = []
    subtasks: list[_Part] | None = None


class _Part(msgspec.Struct, frozen=True):
    query: str
    answer: Json = None
    answer_type: str = ""


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One task as a case, or why it cannot be asked."""
    if told.answer_type not in KINDS:
        hint = did_you_mean(told.answer_type, KINDS)
        message = f'unknown answer_type "{told.answer_type}"'
        return [Problem(message, file=source.file, line=source.line, hint=hint)]
    folder = beside.folder("data", "input")
    found = {name: None if folder is None else beside.named(folder, name) for name in told.data_sources}
    if missing := [name for name, place in found.items() if place is None]:
        return [LeftOut("KramaBench", told.id, f"its data is not here ({missing[0]} for one)")]
    tables, files = inputs_of([place for place in found.values() if place is not None])
    task = Task(
        tables=tables,
        files=files,
        expected=Expected(published=Published("kramabench", told.answer, told.answer_type)),
        steps=_steps(told),
        timeout=TIMEOUT,
        memory_mb=4096,
    )
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=session_instructions(task) if task.steps else instructions(task)),
        Turn(role="user", content=first_question(told.query, task) if task.steps else told.query, target=task),
    )
    return [Case(told.id, conversation, tags=(told.answer_type,), source=source)]


def _steps(told: _Row) -> tuple[Step, ...]:
    """The subtasks whose answers have a rule, and the question itself."""
    parts = [part for part in told.subtasks or () if part.answer_type in KINDS and part.answer is not None]
    if not parts:
        return ()
    found = [(part.query, Published("kramabench", part.answer, part.answer_type)) for part in parts]
    found.append((told.query, Published("kramabench", told.answer, told.answer_type)))
    return tuple(Step(query, Expected(published=rule)) for query, rule in found)


SET = PublishedSet("a KramaBench task", KEYS, _Row, read)
