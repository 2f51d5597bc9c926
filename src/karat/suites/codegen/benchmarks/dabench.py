"""InfiAgent-DABench as it is published: questions, labels and tables beside each other.

``da-dev-questions.jsonl`` (id, question, constraints, format, file_name, …), ``da-dev-labels.jsonl`` (id,
common_answers) and a folder with the CSV files. The figures of a label are named; each must be among the result's. The
format is given in the instructions and is no part of the question: its words ("where x is a number") ask for nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from karat.core.files import json
from karat.core.files.reading import read_bytes
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem, did_you_mean
from karat.core.records import Case, Turn, Where
from karat.core.remote.address import INSIDE, url_inside
from karat.suites.codegen.question.default_prompt import instructions
from karat.suites.codegen.records import Expected, TableSource, Task

QUESTION_KEYS = frozenset({"id", "question", "file_name", "format"})
LABEL_KEYS = frozenset({"id", "common_answers"})
TABLE = "df"


class _Question(msgspec.Struct, frozen=True):
    id: int | str
    question: str
    file_name: str
    format: str
    constraints: str = ""
    concepts: tuple[str, ...] = ()
    level: str = ""


class _Label(msgspec.Struct, frozen=True):
    id: int | str
    common_answers: tuple[tuple[str, Json], ...]


def is_question(row: JsonMapping) -> bool:
    return set(row) >= QUESTION_KEYS


_label = msgspec.json.Decoder(_Label)


def is_label(row: JsonMapping) -> bool:
    return set(row) >= LABEL_KEYS


class Beside:
    """What lies beside a file of questions: labels by id, and the folders that may hold tables."""

    def __init__(self, file: Path) -> None:
        self.labels: dict[str, dict[str, str]] = {}
        for other in sorted(file.parent.glob("*.jsonl")):
            if other != file:
                self._read(other)
        self.folders = [file.parent, *sorted(folder for folder in file.parent.iterdir() if folder.is_dir())]

    def _read(self, file: Path) -> None:
        try:
            lines = read_bytes(file).splitlines()
        except OSError:
            return
        for line in lines:
            try:
                label = json.decode_as(line, _label)
            except json.BadJson:  # another kind of file
                return
            self.labels[str(label.id)] = {name: str(figure) for name, figure in label.common_answers}

    def table(self, name: str) -> Path | None:
        return next((folder / name for folder in self.folders if (folder / name).is_file()), None)

    def names(self) -> list[str]:
        return [file.name for folder in self.folders for file in folder.glob("*.csv")]


def read_question(row: JsonMapping, beside: Beside, source: Where) -> Case[Task] | Problem:
    """One question as a case, or why it cannot be asked."""
    try:
        asked = msgspec.convert({name: value for name, value in row.items() if value is not None}, _Question)
    except msgspec.ValidationError as error:
        return Problem(f"not a DABench question: {error}", file=source.file, line=source.line)
    if url := url_inside(asked.file_name):
        message = f'"{url}" is a URL; a question cannot name a table by a URL'
        return Problem(message, file=source.file, line=source.line, hint=INSIDE)
    path = None if Path(asked.file_name).name != asked.file_name else beside.table(asked.file_name)
    if path is None:
        message = f'there is no table "{asked.file_name}" next to the questions'
        hint = did_you_mean(asked.file_name, beside.names())
        return Problem(message, file=source.file, line=source.line, hint=hint)
    named = beside.labels.get(str(asked.id))
    task = Task(
        tables={TABLE: TableSource(path=str(path.resolve()))},
        expected=None if named is None else Expected(named=named),
        timeout=30.0,
    )
    names = re.findall(r"@(\w+)\[", asked.format)
    shape = f"The answer is a dict with the names {', '.join(dict.fromkeys(names))}. " if names else ""
    said = asked.question + (f"\n\n{asked.constraints}" if asked.constraints.strip() else "")
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=instructions(task, more=(f"{shape}Format: {asked.format}",))),
        Turn(role="user", content=said, target=task),
    )
    tags = tuple(tag for tag in (asked.level, *asked.concepts) if tag)
    return Case(str(asked.id), conversation, tags=tags, metadata={"file_name": asked.file_name}, source=source)
