"""What to say of rankers beside the choice: over which settings it is the best, and what rerankers did."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.problems import count_of
from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.parse import Call, parse
from karat.search.records import Model
from karat.search.rerankers.reranker import Use

NAMES = {"w": "weight", "k": "k", "norm": "norm", "depth": "depth", "lambda": "lambda"}


def setting_notes(expressions: Sequence[str]) -> list[str]:
    """``wsum(bm25, wordllama; w=grid(0.1)): 11 weights were compared, and nothing between them``, for each expression
    that stands for several rankers."""
    notes = []
    for text in expressions:
        count = len(rankers_of(text))
        if count > 1:
            varied = _varied(text)
            what = NAMES[varied[0]] if len(varied) == 1 else "setting"
            said = count_of(count, what, "depths" if what == "depth" else "")
            notes.append(f"{text}: the best of {said}; nothing is claimed about values between them")
    return notes


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
