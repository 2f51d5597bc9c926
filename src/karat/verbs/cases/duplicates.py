"""``karat cases duplicates``: questions that say nearly the same.

With an embedding model, two questions are near by the cosine of their vectors; ``lexical``, which every installation
has, compares their words: the cosine of word counts, each weighted by log(1 + n / cases with the word), over words and
numbers in lower case. Pairs in one cluster are rephrasings on purpose and are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

import msgspec
import numpy as np

from karat.core.problems import UserError
from karat.core.records import AnyCase
from karat.verbs.cases.listing import loaded
from karat.verbs.inputs.work import Work

LEXICAL = "lexical"
AT_LEAST = {LEXICAL: 0.8}
USUAL = 0.9
BLOCK = 1_024
MOST_PAIRS = 10_000
_WORD = re.compile(r"\w+")


class NearPair(msgspec.Struct, frozen=True):
    """Two cases whose questions are near."""

    similarity: float
    first: str
    second: str
    questions: tuple[str, str]
    same_target: bool
    """Whether both expect the same. Where they do not, one of the two may be wrong."""


class NearPairs(msgspec.Struct, frozen=True):
    """The pairs of one suite, nearest first, and what they were compared with."""

    suite: str
    model: str
    at_least: float
    pairs: tuple[NearPair, ...]
    cases: int


def best_model() -> str:
    """The embedding model that is here, the default one first; else the comparison of words."""
    from karat.search.models import DEFAULT_MODEL, known_models

    ready = [info.name for info in known_models() if info.ready and info.dimensions]
    return DEFAULT_MODEL if DEFAULT_MODEL in ready else ready[0] if ready else LEXICAL


def near_pairs(work: Work, *, model: str = "", at_least: float | None = None) -> NearPairs:
    """All pairs of cases that are at least this near. Drafts are compared too: they may repeat a case."""
    cases = [case for case in loaded(work).cases if case.question.strip()]
    name = model or best_model()
    limit = AT_LEAST.get(name, USUAL) if at_least is None else at_least
    if not 0 < limit <= 1:
        raise UserError(f"--at-least is {limit:g}; it must be above 0 and at most 1")
    found = _lexical(cases, limit) if name == LEXICAL else _embedded(cases, name, limit)
    pairs = []
    for similarity, left, right in found:
        one, other = cases[left], cases[right]
        cluster = work.suite.cluster(one)
        if cluster and cluster == work.suite.cluster(other):
            continue
        same = _targets(one) == _targets(other)
        pairs.append(NearPair(round(similarity, 4), one.id, other.id, (one.question, other.question), same))
        if len(pairs) >= MOST_PAIRS:
            break
    pairs.sort(key=lambda pair: (-pair.similarity, pair.first, pair.second))
    return NearPairs(work.suite.name, name, limit, tuple(pairs), len(cases))


def _targets(case: AnyCase) -> bytes:
    return msgspec.json.encode([turn.target for turn in case.conversation], order="deterministic")


def _embedded(cases: Sequence[AnyCase], name: str, limit: float) -> Iterator[tuple[float, int, int]]:
    from karat.search.models import load_model

    model = load_model(name)
    if model.embed is None:
        hint = f"Choose an embedding model (karat models), or --model {LEXICAL}."
        raise UserError(f"the model {name} gives no vectors, so two questions cannot be compared", hint=hint)
    rows = model.embed([case.question for case in cases], "question")
    for begin in range(0, len(cases), BLOCK):
        similar = rows[begin : begin + BLOCK] @ rows.T
        for left, right in np.argwhere(similar >= limit - 1e-6):
            if begin + left < right:
                yield float(min(similar[left, right], 1.0)), int(begin + left), int(right)


def _lexical(cases: Sequence[AnyCase], limit: float) -> Iterator[tuple[float, int, int]]:
    counts = [Counter(_WORD.findall(case.question.casefold())) for case in cases]
    with_word = Counter(word for one in counts for word in one)
    weights = {word: math.log(1 + len(cases) / number) for word, number in with_word.items()}
    vectors = [_unit({word: number * weights[word] for word, number in one.items()}) for one in counts]
    seen: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for right, vector in enumerate(vectors):
        sums: dict[int, float] = defaultdict(float)
        for word, value in vector.items():
            for left, other in seen[word]:
                sums[left] += value * other
            seen[word].append((right, value))
        yield from ((min(total, 1.0), left, right) for left, total in sums.items() if total >= limit - 1e-9)


def _unit(vector: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value * value for value in vector.values()))
    return {word: value / length for word, value in vector.items()} if length else {}
