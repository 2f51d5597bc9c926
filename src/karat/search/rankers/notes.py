"""What to say of rankers beside the choice: over which settings it is the best, and what rerankers did."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.problems import count_of
from karat.search.choose.reporting.result import Tuning
from karat.search.chunks.rank import split_label
from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.parse import Call, parse
from karat.search.records import Model
from karat.search.rerankers.reranker import Use

NAMES = {
    "w": "weights",
    "k": "values of k",
    "norm": "norms",
    "depth": "depths",
    "lambda": "values of lambda",
}


def with_ranker_notes(tuning: Tuning, asked: Sequence[str], models: Sequence[Model]) -> Tuning:
    """A tuning with the rankers as they were asked for, and with all that is to be said of them."""
    optimal = tuning.optimal
    notes = (
        *tuning.notes,
        *setting_notes(asked, optimal=optimal),
        *cutting_notes(tuning.models, optimal=optimal),
        *reranker_notes(models),
    )
    return msgspec.structs.replace(tuning, asked=tuple(asked), notes=notes)


def setting_notes(expressions: Sequence[str], *, optimal: bool) -> list[str]:
    """``wsum(bm25, wordllama; w=grid(0.1)): optimal over 11 weights; nothing is claimed between them``, for each
    expression that stands for several rankers."""
    notes = []
    for text in expressions:
        count = len(rankers_of(text))
        if count > 1:
            varied = _varied(text)
            what = NAMES[varied[0]] if len(varied) == 1 else "settings"
            notes.append(f"{text}: {_over(count, what, optimal)}; nothing is claimed between them")
    return notes


def cutting_notes(labels: Sequence[str], *, optimal: bool) -> list[str]:
    """The same for the ways in which documents were cut into chunks."""
    ways = dict.fromkeys(way for _, way in map(split_label, labels) if way)
    if not ways:
        return []
    return [f"chunks: {_over(len(ways), 'sizes and overlaps', optimal)} ({', '.join(ways)})"]


def _over(count: int, what: str, optimal: bool) -> str:
    return f"{'optimal' if optimal else 'the best found'} over {count:,} {what}"


def _varied(text: str) -> list[str]:
    """The names of the settings that have several values."""
    node = parse(text)
    found: list[str] = []
    nodes = [node]
    while nodes:
        one = nodes.pop()
        if isinstance(one, Call):
            nodes += one.parts
            found += [
                name
                for name, setting in one.settings.items()
                if len(setting.values) > 1 or setting.values[0][0].startswith("grid")
            ]
    return found


def reranker_notes(models: Sequence[Model]) -> list[str]:
    """``python:mine:score scored 400 pairs in 1.2 s; 100 more were in the cache``, for each reranker."""
    used: dict[str, list[Use]] = {}
    for model in models:
        if isinstance(model, CombinedModel):
            for name, reranker in model.rerankers.items():
                if all(known is not reranker.use for known in used.setdefault(name, [])):
                    used[name].append(reranker.use)
    notes = []
    for name, uses in used.items():
        scored, cached = sum(use.scored for use in uses), sum(use.cached for use in uses)
        seconds = sum(use.seconds for use in uses)
        kept = f"; {cached:,} more were in the cache" if cached else ""
        notes.append(f"{name} scored {count_of(scored, 'pair')} in {seconds:.1f} s{kept}")
    return notes
