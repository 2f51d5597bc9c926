"""``karat.tune`` and ``karat tune``: the best n and model for each field of a sheet's evaluation table, for a BEIR
folder, or for recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from karat.core.problems import UserError, count_of
from karat.core.remote.paths import local_path, local_tables
from karat.search.choose.reporting.result import Tuning
from karat.verbs.sheet import MODELS, Tables, checked_sheet, columns_of

if TYPE_CHECKING:
    from karat.search.choose.tune import Watch
    from karat.sheet import EvaluationTable


USUAL_TOKENS = 2000


class Tuned(msgspec.Struct, frozen=True):
    """The name of the evaluation table (or of the folder or the judgements), and what was chosen. Printing it shows
    what ``karat tune`` prints.

    >>> from pathlib import Path
    >>> import karat
    >>> _ = Path("wanted.sheet").write_text('''!evaluation()
    ... table Wanted
    ...     !evaluation_question()
    ...     [Question]
    ...     !evaluation_field("Food[name]")
    ...     [Answer]
    ... override
    ... [Question],[Answer]
    ... "What is sour?","Lemon"
    ... ''')
    >>> _ = Path("wanted.csv").write_text("name\\nLemon\\nHoney\\n")
    >>> karat.tune("wanted.sheet", tables={"Food": "wanted.csv"}, models=["bm25"]).name
    'Wanted'
    """

    name: str
    """The name of the evaluation table, the folder or the judgements."""
    tuning: Tuning
    """What was chosen, with all figures."""

    def __str__(self) -> str:
        from karat.search.choose.reporting.text import heading_of, lines_of

        lines = (f"  {line}".rstrip() for line in lines_of(self.tuning))
        return "\n".join((heading_of(self.name, self.tuning), *lines))

    def _repr_html_(self) -> str:
        from karat.core.results.html import paragraph, table, whole
        from karat.core.results.text import figure
        from karat.search.choose.reporting.text import heading_of, lines_of

        rows = [
            [one.field, f"{one.n:,}", one.model or "", f"{one.tokens:,}", figure(one.recall), figure(one.mrr)]
            for one in self.tuning.fields
        ]
        told = [line.strip() for line in lines_of(self.tuning)[len(rows) + 1 :]]
        chosen = table(["field", "n", "model", "tokens", "recall", "MRR"], rows)
        return whole(paragraph(heading_of(self.name, self.tuning)), chosen, paragraph(told[0], *told[1:]))


def tune(
    file: str | Path | None = None,
    *,
    tables: Mapping[str, str | Path] | None = None,
    evaluation: str = "",
    qrels: str | Path | None = None,
    runs: Sequence[str | Path] = (),
    corpus: str | Path | None = None,
    relevance_level: int = 1,
    budget_tokens: int | None = None,
    budget_docs: int | None = None,
    max_n: int | None = None,
    models: Sequence[str] | None = None,
    passes: str | None = None,
    require: Sequence[str] = (),
    encoding: Literal["o200k_base", "cl100k_base"] = "o200k_base",
    seconds: float = 60.0,
    watch: Watch = lambda _field, _done, _of: None,
    executor: Executor | str | None = None,
) -> Tuned:
    """Choose n and model for each field of a sheet's evaluation table within a token budget; or n and ranker for a BEIR
    folder, or for recorded runs with their judgements.

    ``tables`` are the files of the tables that the sheet does not define itself, by name. ``evaluation`` names the
    evaluation table if the sheet has several. ``qrels`` and ``runs`` (files, or ``NAME=FILE``) choose from recorded
    results; ``corpus`` has the texts of their documents, and without it the budget is ``budget_docs``. ``passes`` says
    which share of a question's truths must be found: ``all``, ``any`` or a number; by default ``all`` for a sheet and
    ``any`` for judgements. ``require`` names fields of a sheet that may not be left out. ``seconds`` limits the time
    for proving the optimum; after it, the best choice so far is used, and ``tuning.optimal`` is false.
    ``watch(field, done, of)`` is called while values are ranked. ``executor`` is where texts are embedded and values
    ranked, as in :func:`karat.score`; here by default.

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
    from karat.runs.executors.parallel_calls import spread_over
    from karat.search.choose import tune as choosing
    from karat.search.choose.limits import Limits
    from karat.search.models.vectors import VectorCache
    from karat.search.rankers.load import load_rankers
    from karat.search.rankers.notes import with_ranker_notes
    from karat.verbs import tune_judged

    if models is not None and not models:
        raise UserError("no models to choose from", hint="For example bm25 and wordllama; karat models lists them.")
    path = local_path(file) if file is not None else None
    check_choice(executor, None)
    judged = tune_judged.source_of(path, qrels, runs, corpus)
    if judged is not None and require:
        raise UserError("--require is for the fields of a sheet")
    if judged is not None and judged.runs:
        settings = tune_judged.settings_of(
            relevance_level, budget_tokens, budget_docs, max_n, passes, encoding, seconds
        )
        found = tune_judged.runs(judged, models or (), settings)
        return Tuned(found.name, with_ranker_notes(found.tuning, models or (), ()))
    if path is None:
        raise UserError("nothing to tune", hint="Give a .sheet file, a BEIR folder, or --qrels with --run.")
    names = models or MODELS
    loaded = load_rankers(names)
    cache = VectorCache(vectors_folder(path))
    with scoring_executor(load_suite("retrieval"), None, executor) as pool:
        spread = spread_over(pool) if pool is not None else None
        if judged is not None:
            settings = tune_judged.settings_of(
                relevance_level, budget_tokens, budget_docs, max_n, passes, encoding, seconds
            )
            tuned = tune_judged.folder(judged, loaded, settings, cache=cache, watch=watch, spread=spread)
        else:
            tune_judged.refuse_for_sheets(relevance_level, budget_docs)
            evaluated = _read_evaluation(path, local_tables(tables or {}), evaluation)
            tuning = choosing.tune(
                evaluated.questions,
                evaluated.fields,
                loaded,
                Limits(budget_tokens or USUAL_TOKENS, max_n, passes or "all", tuple(require)),
                encoding=encoding,
                cache=cache,
                watch=watch,
                time_limit=seconds,
                spread=spread,
            )
            tuned = Tuned(evaluated.name, tuning)
    return Tuned(tuned.name, with_ranker_notes(tuned.tuning, names, loaded))


def _read_evaluation(file: Path, tables: Tables, name: str) -> EvaluationTable:
    """The questions, truths and values of the sheet's evaluation table. Every mistake in the sheet is reported before
    anything is computed."""
    from karat.sheet import evaluation_of

    sheet, problems = checked_sheet(file, columns_of(tables))
    mistakes = [problem for problem in problems if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {file}", problems=mistakes)
    return evaluation_of(sheet, folder=file.parent, tables=tables, name=name, file=str(file))
