"""The choice of n and ranker for judged documents: over a BEIR folder with models, or over recorded runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import UserError, count_of
from karat.search.choose.infeasible import ranked_deep_enough
from karat.search.choose.limits import Limits, deepest
from karat.search.choose.reporting.result import Tuning
from karat.search.choose.tuning import tuning_of
from karat.search.records import FieldRanks, Model
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.judged.corpus import read_corpus
from karat.suites.retrieval.judged.judgements import Judged, read_judgements
from karat.suites.retrieval.judged.run_ranks import Depth, rank_runs, run_rankers
from karat.suites.retrieval.judged.runs import Run, read_runs
from karat.suites.retrieval.records import DOCUMENTS

if TYPE_CHECKING:
    from karat.search.choose.tune import Watch
    from karat.search.models.vectors import VectorCache
    from karat.search.ranks.ranking import Spread

USUAL_TOKENS = 2000
USUAL_DOCUMENTS = 10
SHOWN = 3


@dataclass(frozen=True)
class Settings:
    """What is chosen from, and within which limits."""

    relevance_level: int = 1
    budget_tokens: int | None = None
    budget_docs: int | None = None
    max_n: int | None = None
    passes: str = "any"
    encoding: str = "o200k_base"
    seconds: float = 60.0

    def limits(self, *, texts: bool) -> Limits:
        """The budget: tokens where the texts of the documents are known, else documents."""
        if self.budget_tokens is not None and self.budget_docs is not None:
            raise UserError("give either --budget-tokens or --budget-docs")
        if self.budget_docs is not None or not texts:
            if self.budget_tokens is not None:
                hint = "Give --corpus corpus.jsonl, or --budget-docs."
                raise UserError("--budget-tokens needs the texts of the documents", hint=hint)
            return Limits(self.budget_docs or USUAL_DOCUMENTS, self.max_n, self.passes, unit="documents")
        return Limits(self.budget_tokens or USUAL_TOKENS, self.max_n, self.passes)


@dataclass(frozen=True)
class JudgedTuning:
    """The result, and what to know of it."""

    name: str
    tuning: Tuning
    notes: tuple[str, ...]
    warnings: tuple[str, ...]


def tune_folder(
    folder: Path,
    models: Sequence[Model],
    settings: Settings,
    *,
    cache: VectorCache | None = None,
    watch: Watch | None = None,
    spread: Spread | None = None,
) -> JudgedTuning:
    """A BEIR folder: every model ranks every document for every judged question."""
    from karat.search.ranks.ranking import rank_field

    limits = settings.limits(texts=True)
    judged = read_judgements(folder, relevance_level=settings.relevance_level, texts_needed=True)
    corpus = read_corpus(corpus_of(folder))

    def rank(least: int) -> list[FieldRanks]:
        return [
            rank_field(
                DOCUMENTS,
                list(corpus.values()),
                judged.texts,
                judged.truths,
                models,
                depth=max(least, deepest(limits, corpus.values())),
                keys=list(corpus),
                encoding=settings.encoding if limits.unit == "tokens" else None,
                cache=cache,
                watch=partial(watch, DOCUMENTS) if watch is not None else _unwatched,
                spread=spread,
            )
        ]

    return ranked_deep_enough(
        rank, lambda ranks: _result(folder.name, judged, ranks, limits, settings, (), tuple(corpus))
    )


def tune_runs(
    qrels: Path,
    written: Sequence[str | Path],
    expressions: Sequence[str],
    settings: Settings,
    *,
    corpus: Path | None = None,
) -> JudgedTuning:
    """Recorded runs: each is a model. In a BEIR folder its corpus is used unless another is given."""
    if not written:
        raise UserError("no run to choose from", hint="Give one or more: --run FILE.")
    if corpus is None and qrels.is_dir() and settings.budget_docs is None:
        corpus = beir.packed_or_not(qrels / beir.CORPUS)
    limits = settings.limits(texts=corpus is not None)
    judged = read_judgements(qrels, relevance_level=settings.relevance_level)
    runs = read_runs(written)
    rankers = run_rankers(expressions, runs)
    tokens = _tokens(read_corpus(corpus), runs, judged, settings.encoding) if corpus is not None else None
    if limits.unit == "documents":
        tokens = None
    ranks, depths = rank_runs(judged, runs, rankers, tokens, limits.max_n)
    notes = (_depth_note(depths),)
    warnings = tuple(_silent_runs(runs, judged))
    return _result(qrels.name, judged, [ranks], limits, settings, notes, (), warnings)


def corpus_of(folder: Path) -> Path:
    """The corpus of a BEIR folder."""
    return beir.packed_or_not(folder / beir.CORPUS) or folder / beir.CORPUS


def _tokens(corpus: Mapping[str, str], runs: Sequence[Run], judged: Judged, encoding: str) -> dict[str, int]:
    """The tokens of every document that a run lists for a judged question."""
    from karat.search.tokens import count_tokens

    asked = set(judged.ids)
    listed = {
        document
        for run in runs
        for question, (documents, _) in run.results.items()
        if question in asked
        for document in documents
    }
    known = [document for document in listed if document in corpus]
    return dict(zip(known, count_tokens([corpus[one] for one in known], encoding).tolist(), strict=True))


def _result(
    name: str,
    judged: Judged,
    ranks: Sequence[FieldRanks],
    limits: Limits,
    settings: Settings,
    notes: tuple[str, ...],
    values: tuple[str, ...],
    warnings: tuple[str, ...] = (),
) -> JudgedTuning:
    tuning = tuning_of(
        judged.shown,
        ranks,
        values={DOCUMENTS: values},
        limits=limits,
        encoding=settings.encoding,
        time_limit=settings.seconds,
    )
    if limits.passes == "all":  # the heading names any other share
        notes = ("a question passes when all its relevant documents are found", *notes)
    if judged.left_out:
        count, level = count_of(len(judged.left_out), "question"), settings.relevance_level
        said = f"{count} without a document judged {level} or higher: left out ({_few(judged.left_out)})"
        notes = (*notes, said)
    found = tuple(f"{problem.place}: {problem.message}" for problem in judged.problems)
    return JudgedTuning(name, tuning, notes, (*warnings, *found))


def _depth_note(depths: Sequence[Depth]) -> str:
    shallow = min(depths, key=lambda depth: depth.n)
    deep = max(depth.n for depth in depths)
    why = f'the list of {shallow.run} for question "{shallow.question}" ends there'
    if shallow.n == deep:
        return f"judged to depth {deep:,}: {why}"
    return f"judged to depth {deep:,}; {shallow.label} to {shallow.n:,}: {why}"


def _silent_runs(runs: Sequence[Run], judged: Judged) -> list[str]:
    said = []
    for run in runs:
        silent = [name for name in judged.ids if name not in run.results]
        if silent:
            count = count_of(len(silent), "judged question")
            said.append(f"{run.name} has no results for {count} ({_few(silent)}): nothing is found for them")
    return said


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")


def _unwatched(done: int, of: int) -> None:
    """Nobody watches."""
