"""KramaBench: questions over a domain's raw files, each answer with a type of its own. The final answers are judged."""

from __future__ import annotations

import msgspec

from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem, did_you_mean
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.neighbours import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.default_prompt import instructions
from karat.suites.codegen.published.kramabench import KINDS
from karat.suites.codegen.records import Expected, Published, Task

KEYS = frozenset({"id", "query", "answer", "answer_type", "data_sources"})
TIMEOUT = 120.0


class _Row(msgspec.Struct, frozen=True):
    id: str
    query: str
    answer: Json
    answer_type: str
    data_sources: list[str] = []


def is_task(row: JsonMapping) -> bool:
    return set(row) >= KEYS


def read(row: JsonMapping, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One task as a case, or why it cannot be asked."""
    try:
        told = msgspec.convert(row, _Row)
    except msgspec.ValidationError as error:
        return [Problem(f"not a KramaBench task: {error}", file=source.file, line=source.line)]
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
        timeout=TIMEOUT,
        memory_mb=4096,
    )
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task)),
        Turn(role="user", content=told.query, target=task),
    )
    return [Case(told.id, conversation, tags=(told.answer_type,), source=source)]
