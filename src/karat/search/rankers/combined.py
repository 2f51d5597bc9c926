"""A ranker with the models and rerankers it needs, ready to rank texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from karat.search.rankers.tree import Named, Ranker
from karat.search.records import Model
from karat.search.rerankers.reranker import Reranker


@dataclass(frozen=True)
class CombinedModel(Model):
    """Several models (and rerankers) as one. Its name is the expression; it has neither vectors nor scores of its
    own."""

    ranker: Ranker = field(default_factory=lambda: Named(""))
    parts: Mapping[str, Model] = field(default_factory=dict)
    """The models by name."""
    rerankers: Mapping[str, Reranker] = field(default_factory=dict)
