"""Ranker expressions to models: the one place where ``--models``, ``karat.yaml`` and sheets look them up.

The cost of a ranker says only which of two is cheaper: first the pairs that its rerankers score (questions × depth),
then the cost of its models together. A model of weight 0 costs nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from karat.core.problems import UserError
from karat.search.models import load_model, unknown_model
from karat.search.rankers.combined import CombinedModel
from karat.search.rankers.expand import rankers_of
from karat.search.rankers.parse import mistake, names_in, parse
from karat.search.rankers.tree import (
    Mmr,
    Named,
    Ranker,
    Rerank,
    Rrf,
    Wsum,
    label_of,
    models_in,
    pairs_a_question,
    rerankers_in,
)
from karat.search.records import Model
from karat.search.rerankers import load_reranker
from karat.search.rerankers.reranker import Reranker

PAIR = 1_000.0
"""One pair of a question and a text costs more than any models."""
MMR = 0.5

Trusted = bool | Collection[str]
"""Whether names may run code or send texts to an address of their own; or the names that may."""


def load_rankers(expressions: Sequence[str], *, trusted: Trusted = True) -> list[Model]:
    """A model for each ranker that the expressions stand for, each once, in their order. Raises :class:`UserError` with
    the column of a mistake and the nearest name."""
    found: dict[str, Model] = {}
    rerankers: dict[str, Reranker] = {}
    for text in expressions:
        for ranker in rankers_of(text):
            label = label_of(ranker)
            if label not in found:
                found[label] = _loaded(text, ranker, label, trusted, rerankers)
    return list(found.values())


def load_ranker(expression: str, *, trusted: Trusted = True) -> Model:
    """The one ranker of an expression; UserError when it stands for several."""
    _only_one(expression, rankers_of(expression))
    return load_rankers([expression], trusted=trusted)[0]


def _only_one(expression: str, rankers: Sequence[Ranker]) -> None:
    if len(rankers) > 1:
        raise UserError(
            f"{expression} stands for {len(rankers):,} rankers, and one is needed here",
            hint=f"Choose one of them, such as {label_of(rankers[0])}.",
        )


def wrong_ranker(expression: str) -> UserError | None:
    """What is wrong with an expression where one ranker is needed, as far as it can be told without loading anything;
    None when nothing is."""
    try:
        rankers = rankers_of(expression)
        _only_one(expression, rankers)
    except UserError as error:
        return error
    for named in models_in(rankers[0]):
        wrong = unknown_model(named.name)
        if wrong is not None:
            alone = isinstance(rankers[0], Named)
            return wrong if alone else mistake(expression, named.column, wrong.message, wrong.hint)
    return None


def names_of(expressions: Sequence[str]) -> frozenset[str]:
    """Every model and reranker that the expressions name; none of one that cannot be read."""
    found: set[str] = set()
    for text in expressions:
        try:
            found.update(named.name for named in names_in([parse(text)]))
        except UserError:
            continue
    return frozenset(found)


def _loaded(text: str, ranker: Ranker, label: str, trusted: Trusted, known: dict[str, Reranker]) -> Model:
    """``known`` are rerankers that other rankers loaded: they share their counts."""
    if isinstance(ranker, Named):
        return load_model(ranker.name, trusted=_trusts(trusted, ranker.name))
    parts: dict[str, Model] = {}
    for named in models_in(ranker):
        if named.name not in parts:
            try:
                parts[named.name] = load_model(named.name, trusted=_trusts(trusted, named.name))
            except UserError as error:
                raise mistake(text, named.column, error.message, error.hint) from error
            if isinstance(ranker, Mmr) and parts[named.name].embed is None:
                said = f"mmr needs a model with vectors, and {named.name} has only scores"
                raise mistake(text, named.column, said, "For example mmr(wordllama; lambda=0.7)")
    rerankers = {}
    for named in rerankers_in(ranker):
        if named.name in known:
            rerankers[named.name] = known[named.name]
            continue
        try:
            rerankers[named.name] = known[named.name] = load_reranker(named.name, trusted=_trusts(trusted, named.name))
        except UserError as error:
            raise mistake(text, named.column, error.message, error.hint) from error
    revisions = [(one.name, one.revision) for one in parts.values()]
    revisions += [(one.name, one.revision) for one in rerankers.values()]
    revision = "|".join(f"{name}={own}" for name, own in revisions)
    cost = cost_of(ranker, {name: part.cost for name, part in parts.items()})
    return CombinedModel(label, revision, cost=cost, ranker=ranker, parts=parts, rerankers=rerankers)


def cost_of(ranker: Ranker, costs: dict[str, float]) -> float:
    """The cost of a ranker from those of its models."""
    models = sum(costs[name] for name in dict.fromkeys(_weighty(ranker)))
    return models + PAIR * pairs_a_question(ranker) + (MMR if isinstance(ranker, Mmr) else 0.0)


def _weighty(ranker: Ranker) -> Iterator[str]:
    """The models whose scores count."""
    match ranker:
        case Named(name):
            yield name
        case Rrf(parts, _, weights) | Wsum(parts, weights):
            for part, weight in zip(parts, weights, strict=True):
                if weight:
                    yield from _weighty(part)
        case Rerank(first):
            yield from _weighty(first)
        case Mmr(model):
            yield model.name


def _trusts(trusted: Trusted, name: str) -> bool:
    return trusted if isinstance(trusted, bool) else name in trusted
