"""A ranker as a tree: how models are combined, with one value for every setting. Its text can be read back."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Literal, TypeAlias

import msgspec

Norm = Literal["minmax", "zscore"]


class Named(msgspec.Struct, frozen=True):
    """A model, or a recorded run."""

    name: str
    column: int = 1
    """Where its name begins in the expression, from 1."""


class Rrf(msgspec.Struct, frozen=True):
    """Reciprocal rank fusion: Σ w / (k + rank)."""

    parts: tuple[Ranker, ...]
    k: Decimal
    weights: tuple[Decimal, ...]


class Wsum(msgspec.Struct, frozen=True):
    """A weighted sum of normalised scores."""

    parts: tuple[Ranker, ...]
    weights: tuple[Decimal, ...]
    norm: Norm


class Rerank(msgspec.Struct, frozen=True):
    """The first ``depth`` values of a ranker in the order of a reranker, the others behind them as they were."""

    first: Ranker
    reranker: Named
    depth: int


class Mmr(msgspec.Struct, frozen=True):
    """Maximal marginal relevance: near to the question, far from what was taken before."""

    model: Named
    share: Decimal
    """λ: the weight of being near to the question."""


Ranker: TypeAlias = Named | Rrf | Wsum | Rerank | Mmr


def label_of(ranker: Ranker) -> str:
    """The ranker as one writes it, with every setting named: equal rankers have equal labels."""
    match ranker:
        case Named(name):
            return name
        case Rrf(parts, k, weights):
            given = "" if all(weight == 1 for weight in weights) else f"; w={_numbers(weights)}"
            return f"rrf({_parts(parts)}; k={number_text(k)}{given})"
        case Wsum(parts, weights, norm):
            return f"wsum({_parts(parts)}; w={_numbers(weights)}; norm={norm})"
        case Rerank(first, reranker, depth):
            return f"rerank({label_of(first)}, {reranker.name}; depth={depth})"
        case Mmr(model, share):
            return f"mmr({model.name}; lambda={number_text(share)})"


def _parts(parts: tuple[Ranker, ...]) -> str:
    return ", ".join(map(label_of, parts))


def _numbers(numbers: tuple[Decimal, ...]) -> str:
    return ",".join(map(number_text, numbers))


def number_text(number: Decimal) -> str:
    """``0.3``, never ``0.30`` or ``3E-1``."""
    plain = f"{number:f}"
    return (plain.rstrip("0").rstrip(".") if "." in plain else plain) or "0"


def models_in(ranker: Ranker) -> Iterator[Named]:
    """The models (or runs) of a ranker, in the order of its text; rerankers are not among them."""
    match ranker:
        case Named():
            yield ranker
        case Rrf(parts) | Wsum(parts):
            for part in parts:
                yield from models_in(part)
        case Rerank(first):
            yield from models_in(first)
        case Mmr(model):
            yield model


def rerankers_in(ranker: Ranker) -> Iterator[Named]:
    """The rerankers of a ranker, the innermost first."""
    match ranker:
        case Rrf(parts) | Wsum(parts):
            for part in parts:
                yield from rerankers_in(part)
        case Rerank(first, reranker):
            yield from rerankers_in(first)
            yield reranker
        case _:
            return


def pairs_a_question(ranker: Ranker) -> int:
    """How many pairs of question and text the rerankers score for one question, at most."""
    match ranker:
        case Rrf(parts) | Wsum(parts):
            return sum(map(pairs_a_question, parts))
        case Rerank(first, _, depth):
            return depth + pairs_a_question(first)
        case _:
            return 0


def gives_scores(ranker: Ranker) -> bool:
    """Whether its values have comparable scores, not only an order."""
    return isinstance(ranker, Named | Rrf | Wsum)
