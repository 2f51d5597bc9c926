"""The files that judging a task reads: its tables, its expected result, and the vocabulary of the options."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.records import Case, Prediction
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.vocabulary import AUTO, LANGUAGES
from karat.suites.codegen.records import Task


def files(case: Case[Task], _predictions: Sequence[Prediction], options: Options) -> Iterator[str]:
    """Their paths, as the task names them."""
    for task in (turn.target for turn in case.conversation if turn.target is not None):
        yield from (table.path for table in task.tables.values() if table.path)
        yield from task.files
        if task.expected is not None and task.expected.published is not None:
            yield from task.expected.published.files
        if task.expected is not None and task.expected.file:
            yield task.expected.file
        if task.expected is not None and task.expected.files:
            yield from (wanted.file for wanted in task.expected.files.values() if wanted.file)
    if options.vocabulary not in ("", AUTO, *LANGUAGES):
        yield options.vocabulary
