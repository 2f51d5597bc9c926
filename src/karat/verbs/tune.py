"""``karat.tune`` and ``karat tune``: the best n and model for each field of a sheet's evaluation table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.problems import UserError, count_of
from karat.core.remote.paths import local_path, local_tables
from karat.search.choose.result import Tuning
from karat.verbs.sheet import MODELS, Tables, checked_sheet, columns_of

if TYPE_CHECKING:
    from karat.search.choose.tune import Watch
    from karat.sheet import EvaluationTable


class Tuned(msgspec.Struct, frozen=True):
    """The evaluation table's name, and what was chosen for its fields. Printing it shows what ``karat tune`` prints."""

    name: str
    tuning: Tuning

    def __str__(self) -> str:
        from karat.search.choose.text import heading_of, lines_of

        lines = (f"  {line}".rstrip() for line in lines_of(self.tuning))
        return "\n".join((heading_of(self.name, self.tuning), *lines))


def tune(
    file: str | Path,
    *,
    tables: Mapping[str, str | Path] | None = None,
    evaluation: str = "",
    budget_tokens: int = 2000,
    max_n: int | None = None,
    models: Sequence[str] = MODELS,
    encoding: Literal["o200k_base", "cl100k_base"] = "o200k_base",
    seconds: float = 60.0,
    watch: Watch = lambda _field, _done, _of: None,
    executor: Executor | str | None = None,
) -> Tuned:
    """Choose n and model for each field of a sheet's evaluation table within a token budget.

    ``tables`` are the files of the tables that the sheet does not define itself, by name. ``evaluation`` names the
    evaluation table if the sheet has several. ``seconds`` limits the time for proving the optimum; after it, the best
    choice so far is used, and ``tuning.optimal`` is false. ``watch(field, done, of)`` is called while values are
    ranked. ``executor`` is where texts are embedded and values ranked, as in :func:`karat.score`; here by default.

    >>> import karat
    >>> from pathlib import Path
    >>> sheet = '''!evaluation()
    ... table Wanted
    ...     !evaluation_question()
    ...     [Question]
    ...     !evaluation_field("Food[name]")
    ...     [Wanted]
    ... override
    ... [Question],[Wanted]
    ... "What is sour?","Lemon"
    ... "What is sweet?","Honey;Sugar"
    ... '''
    >>> _ = Path("food.sheet").write_text(sheet)
    >>> _ = Path("food.csv").write_text("name\\nLemon\\nHoney\\nSugar\\n")
    >>> tuned = karat.tune("food.sheet", tables={"Food": "food.csv"}, models=["bm25"])
    >>> [(one.field, one.model, one.n) for one in tuned.tuning.fields]
    [('Food[name]', 'bm25', 3)]
    """
    from karat.core.files.project_folder import vectors_folder
    from karat.core.plugins import load_suite
    from karat.runs.executors.choice import check_choice, scoring_executor
    from karat.runs.executors.spread import spread_over
    from karat.search.choose import tune as choosing
    from karat.search.choose.limits import Limits
    from karat.search.models.vectors import VectorCache
    from karat.search.rankers.load import load_rankers

    if not models:
        raise UserError("no models to choose from", hint="For example bm25 and wordllama; karat models lists them.")
    file = local_path(file)
    check_choice(executor, None)
    found = _read_evaluation(file, local_tables(tables or {}), evaluation)
    with scoring_executor(load_suite("retrieval"), None, executor) as pool:
        tuning = choosing.tune(
            found.questions,
            found.fields,
            load_rankers(models),
            Limits(budget_tokens, max_n),
            encoding=encoding,
            cache=VectorCache(vectors_folder(file)),
            watch=watch,
            time_limit=seconds,
            spread=spread_over(pool) if pool is not None else None,
        )
    return Tuned(found.name, tuning)


def _read_evaluation(file: Path, tables: Tables, name: str) -> EvaluationTable:
    """The questions, truths and values of the sheet's evaluation table. Every mistake in the sheet is reported before
    anything is computed."""
    from karat.sheet import evaluation_of

    sheet, problems = checked_sheet(file, columns_of(tables))
    mistakes = [problem for problem in problems if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {file}", problems=mistakes)
    return evaluation_of(sheet, folder=file.parent, tables=tables, name=name)
