"""The system that answers the questions of a sheet: its own search, with the n and model that are chosen for each
field.

It needs no server. Opening it makes one pass of each model over each field and chooses; an answer is then a look-up.
The tuning is a note of the run, so that a stored run can say how its settings were chosen, whichever of its questions
it asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.files.project_folder import vectors_folder
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, UserError
from karat.core.remote.paths import local_path
from karat.core.suite import Suite
from karat.core.system import NoAnswer, Request, Response, System, SystemConfig, SystemType
from karat.search.chunks.chunk import Chunk
from karat.suites.retrieval.formats.lines import shown_name
from karat.suites.retrieval.notes import TUNING
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import Ranked, Retrieved

if TYPE_CHECKING:
    from karat.search.choose.reporting.result import Tuning
    from karat.sheet import EvaluationTable, Sheet


class SheetConfig(SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Whose questions are answered, and within what limits n and model are chosen."""

    sheet: str
    """The sheet; its questions are the cases."""
    budget_tokens: int = 2000
    """Tokens that the retrieved values of all fields together may take, in the worst question."""
    max_n: int | None = None
    """The most values to retrieve for a field."""
    models: tuple[str, ...] = ("bm25", "wordllama")
    """The models and rankers to choose from."""
    encoding: str = "o200k_base"
    """How tokens are counted."""
    passes: str = "all"
    """Which of its truths must be found for a question to pass: all, any, or a share such as 0.5."""
    require: tuple[str, ...] = ()
    """Fields that may not be left out, such as T[f]."""


class SheetSystem(System):
    """Every answer, ready; and how n and model were chosen, as a note of the run."""

    measures_time = False
    """A look-up has no latency worth the name."""

    def __init__(self, answers: Mapping[str, bytes], tuning: Tuning, problems: Sequence[Problem] = ()) -> None:
        self._answers = answers
        self.problems = problems
        self.notes = {TUNING: tuning}

    async def call(self, request: Request) -> Response:
        """What was retrieved for the question."""
        if request.case_id not in self._answers:
            raise NoAnswer(f'the sheet has no question "{request.case_id}"')
        return Response(self._answers[request.case_id])


def open_sheet(config: SheetConfig, suite: Suite) -> SheetSystem:
    """Rank, choose, retrieve: all answers at once."""
    from karat.search.choose.limits import Limits
    from karat.search.choose.tune import tune
    from karat.search.chunks.rank import chosen_chunks
    from karat.search.models.vectors import VectorCache
    from karat.search.rankers.load import load_rankers
    from karat.search.rankers.notes import with_ranker_notes
    from karat.search.ranks.ranking import best
    from karat.sheet import evaluation_of
    from karat.suites.retrieval.sheets.cases import ids_of
    from karat.suites.retrieval.sheets.parse import parse_once

    if suite.name != "retrieval":
        raise UserError(f'a system of type "sheet" answers the suite retrieval, not {suite.name}')
    path = local_path(config.sheet)
    try:
        sheet = parse_once(read_bytes(path), path.name)
        table = evaluation_of(sheet, folder=path.parent)
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    models = {model.name: model for model in load_rankers(config.models)}
    cache = VectorCache(vectors_folder(path))
    tuning = tune(
        table.questions,
        table.fields,
        list(models.values()),
        Limits(config.budget_tokens, config.max_n, config.passes, config.require),
        encoding=config.encoding,
        cache=cache,
    )
    found: dict[str, tuple[list[list[int]], Sequence[str]]] = {}
    for field, chosen in zip(table.fields, tuning.fields, strict=True):
        if chosen.model is None:  # the field is left out: nothing is retrieved for it
            found[field.field] = ([[] for _ in table.questions], field.values)
            continue
        name, values = chosen_chunks(chosen.model, field.values)
        ids, _ = best(models[name], table.questions, _texts(values), min(chosen.n, len(values)), cache=cache)
        found[field.field] = (ids.tolist(), _names(values))
    answers = {}
    for place, name in enumerate(ids_of(table.questions)):
        fields = {field: Ranked([values[at] for at in ids[place]]) for field, (ids, values) in found.items()}
        answers[name] = msgspec.json.encode(Retrieved(fields))
    tuning = with_ranker_notes(tuning, config.models, list(models.values()))
    return SheetSystem(answers, tuning, _passed_differs(sheet, table, tuning, config, path))


def _texts(values: Sequence[str]) -> list[str]:
    return [str(value) for value in values]


def _names(values: Sequence[str]) -> list[str]:
    """What the answer calls a value: itself, or the part of a document that a chunk is."""
    return [value.name if isinstance(value, Chunk) else value for value in values]


def _passed_differs(
    sheet: Sheet, evaluation: EvaluationTable, tuning: Tuning, config: SheetConfig, path: Path
) -> list[Problem]:
    """A warning where the sheet's own ``[Passed]`` column counts otherwise than the choice. Only where there is one is
    the table computed, with the choice that was made."""
    from karat.search.choose.tuning import choice_in
    from karat.sheet import Settings, evaluate
    from karat.sheet.passed_column import passed_column, passed_problem

    name, choice = evaluation.name, choice_in(tuning)
    table = next(table for table in sheet.tables if table.name == name)
    if not passed_column(table):
        return []
    settings = Settings(
        models=config.models, encoding=config.encoding, vectors=vectors_folder(path), choices={name: choice}
    )
    file = shown_name(path)
    try:
        workbook = evaluate(sheet, folder=path.parent, settings=settings, only=[name], file=file)
    except UserError:  # what cannot be computed is said by karat sheet; the run does not need it
        return []
    problem = passed_problem(table, workbook.table(name).columns, evaluation.questions, choice, file)
    return [problem] if problem is not None else []


def default_system(path: Path, options: Options) -> SheetConfig | None:
    """A sheet answers its own questions; other files have no system of their own."""
    if path.suffix != ".sheet":
        return None
    return SheetConfig(
        type="sheet",
        sheet=str(path),
        budget_tokens=options.budget_tokens,
        max_n=options.max_n,
        models=options.models,
        encoding=options.encoding,
        passes=str(options.passes),
        require=options.require,
    )


system = SystemType(
    "sheet",
    "a sheet's own search, with the best n and model for each field",
    SheetConfig,
    open_sheet,
    paths=("sheet",),
)
