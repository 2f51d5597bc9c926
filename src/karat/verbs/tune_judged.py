"""The part of ``karat tune`` that chooses from judged documents: a BEIR folder, or recorded runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import UserError
from karat.core.remote.paths import local_path
from karat.verbs.tune import Tuned

if TYPE_CHECKING:
    from karat.search.choose.tune import Watch
    from karat.search.models.vectors import VectorCache
    from karat.search.ranks.ranking import Spread
    from karat.search.records import Model
    from karat.suites.retrieval.judged.tune import JudgedTuning, Settings


@dataclass(frozen=True)
class Source:
    """Where judgements, runs and documents are."""

    qrels: Path
    """A qrels file, or a BEIR folder."""
    runs: tuple[str | Path, ...] = ()
    corpus: Path | None = None


def source_of(
    file: Path | None, qrels: str | Path | None, runs: Sequence[str | Path], corpus: str | Path | None
) -> Source | None:
    """What is asked for; None: a sheet. Raises :class:`UserError` when the options do not go together."""
    from karat.suites.retrieval.formats.qrels import looks_like_qrels

    where = local_path(corpus) if corpus is not None else None
    if qrels is None and file is not None and file.is_file() and file.suffix != ".sheet" and looks_like_qrels(file):
        file, qrels = None, file
    if qrels is not None:
        if file is not None:
            raise UserError("--qrels goes without a sheet or folder", hint="A BEIR folder brings its own judgements.")
        if not runs:
            raise UserError("judgements need runs to choose from", hint="Give one or more: --run FILE.")
        return Source(local_path(qrels), tuple(runs), where)
    if file is not None and file.is_dir():
        if where is not None and not runs:
            raise UserError("--corpus goes with --run", hint="A BEIR folder brings its own corpus.")
        return Source(file, tuple(runs), where)
    if runs or corpus is not None:
        raise UserError("--run and --corpus need judgements", hint="Give --qrels FILE, or a BEIR folder.")
    return None


def settings_of(
    relevance_level: int,
    budget_tokens: int | None,
    budget_docs: int | None,
    max_n: int | None,
    passes: str | None,
    encoding: str,
    seconds: float,
) -> Settings:
    """The settings of a choice from judged documents."""
    from karat.suites.retrieval.judged.tune import Settings

    return Settings(relevance_level, budget_tokens, budget_docs, max_n, passes or "any", encoding, seconds)


def runs(source: Source, expressions: Sequence[str], settings: Settings) -> Tuned:
    """Recorded runs."""
    from karat.suites.retrieval.judged.tune import tune_runs

    return _tuned(tune_runs(source.qrels, source.runs, expressions, settings, corpus=source.corpus))


def folder(
    source: Source,
    models: Sequence[Model],
    settings: Settings,
    *,
    cache: VectorCache,
    watch: Watch,
    spread: Spread | None,
) -> Tuned:
    """A BEIR folder."""
    from karat.suites.retrieval.judged.tune import tune_folder

    return _tuned(tune_folder(source.qrels, models, settings, cache=cache, watch=watch, spread=spread))


def refuse_for_sheets(relevance_level: int, budget_docs: int | None) -> None:
    """Options that only mean something for judged documents."""
    if budget_docs is not None or relevance_level != 1:
        option = "--budget-docs" if budget_docs is not None else "--relevance-level"
        raise UserError(f"{option} is for judged documents", hint="Give a BEIR folder, or --qrels with --run.")


def _tuned(found: JudgedTuning) -> Tuned:
    tuning = msgspec.structs.replace(
        found.tuning, notes=found.notes, warnings=(*found.warnings, *found.tuning.warnings)
    )
    return Tuned(found.name, tuning)
