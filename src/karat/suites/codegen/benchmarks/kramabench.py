"""KramaBench: questions over a domain's raw files, each answer with a type of its own.

Its subtasks are the steps of a session, and the question itself is the last one. An answer in one piece is judged by
the final answer alone.
"""

from __future__ import annotations

from pathlib import Path

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
    accepted_answers: list[Json] | None = None
    """Other answers that are as right."""


class _Part(msgspec.Struct, frozen=True):
    query: str
    answer: Json = None
    answer_type: str | None = None
    accepted_answers: list[Json] | None = None


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One task as a case, or why it cannot be asked."""
    if told.answer_type not in KINDS:
        hint = did_you_mean(told.answer_type, KINDS)
        message = f'unknown answer_type "{told.answer_type}"'
        return [Problem(message, file=source.file, line=source.line, hint=hint)]
    folder = _data_of(told.id, beside)
    found = {name: [] if folder is None else beside.all_named(folder, name) for name in told.data_sources}
    if missing := [name for name, places in found.items() if not places]:
        return [LeftOut("KramaBench", told.id, f"its data is not here ({missing[0]} for one)")]
    places = list(dict.fromkeys(place for several in found.values() for place in several))
    if len({place.name for place in places}) < len(places):
        return [LeftOut("KramaBench", told.id, "two of its files have one name, and the working folder has no folders")]
    tables, files = inputs_of(places)
    task = Task(
        tables=tables,
        files=files,
        expected=Expected(published=_rule(told)),
        steps=_steps(told),
        timeout=TIMEOUT,
        memory_mb=4096,
    )
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=session_instructions(task) if task.steps else instructions(task)),
        Turn(role="user", content=first_question(told.query, task) if task.steps else told.query, target=task),
    )
    return [Case(told.id, conversation, tags=(told.answer_type,), source=source)]


def _data_of(name: str, beside: Neighbours) -> Path | None:
    """The folder of the task's domain, which is the first word of its id and the name of its list; else all data."""
    folder = beside.folder("data", "input")
    if folder is None:
        return None
    for domain in (beside.file.stem, name.partition("-")[0]):
        if (folder / domain).is_dir():
            return folder / domain / "input" if (folder / domain / "input").is_dir() else folder / domain
    return folder


def _rule(told: _Row | _Part) -> Published:
    more = list(told.accepted_answers or ())
    return Published("kramabench", told.answer, told.answer_type or "", options={"accepted": more} if more else {})


def _steps(told: _Row) -> tuple[Step, ...]:
    """The subtasks whose answers have a rule, and the question itself."""
    parts = [part for part in told.subtasks or () if part.answer_type in KINDS and part.answer is not None]
    found: list[_Row | _Part] = [*parts, told]
    return tuple(Step(one.query, Expected(published=_rule(one))) for one in found) if parts else ()


SET = PublishedSet("a KramaBench task", KEYS, _Row, read)
