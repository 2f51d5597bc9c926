"""What was retrieved against what is relevant: for each field the ranks of the relevant keys, and sums over them from
which every metric follows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate

import msgspec

from karat.core.problems import slip_of
from karat.core.records import Case, Prediction
from karat.core.suite import NotApplicable, Unreadable
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.predictions import read_response
from karat.suites.retrieval.ranking import all_places, as_scores, ranks_by_score
from karat.suites.retrieval.records import Ranked, Retrieved, Span, Truths
from karat.suites.retrieval.spans import span_ranks

NO_TRUTH = "no_truth"
"""The reason of a question that asks for nothing."""


class FieldComparison(msgspec.Struct, frozen=True):
    """One field of one question. All ranks count from 1, in ascending order.

    >>> from karat import retrieval
    >>> def first_rank(comparison: retrieval.Comparison) -> int:
    ...     field: retrieval.FieldComparison = comparison.fields[0]
    ...     return field.ranks[0]
    """

    field: str
    """The field."""
    retrieved: int
    """How many results there are."""
    relevant: int
    """How many keys are relevant."""
    ranks: tuple[int, ...]
    """The ranks of the relevant keys that were retrieved."""
    precision_sums: tuple[float, ...]
    """After each of those ranks, the sum of the precisions so far."""
    gain_ranks: tuple[int, ...]
    """The ranks of retrieved keys with a relevance above 0, which may be below the level at which a key counts as
    relevant."""
    gain_sums: tuple[float, ...]
    """After each of those ranks, the discounted gain so far."""
    ideal_sums: tuple[float, ...]
    """The discounted gain of the best possible order, after each of its ranks."""
    missing: tuple[str, ...]
    """The relevant keys that were not retrieved, most relevant first."""
    spans: bool = False
    """Whether the keys are spans of documents, so that one result may find several."""


class Comparison(msgspec.Struct, frozen=True):
    """What a metric of the suite gets: the fields for which something was judged. A field without a relevant key has no
    value in any metric.

    >>> import karat
    >>> def found_any(comparison: karat.retrieval.Comparison) -> karat.Score:
    ...     return karat.scored(float(any(field.ranks for field in comparison.fields)))
    """

    fields: tuple[FieldComparison, ...]
    """The fields of the question that have a truth."""
    options: Options
    """The suite's options."""
    without: int = 0
    """How many fields of the question have no truth."""


def compare(case: Case[Truths], turn: int, prediction: Prediction, options: Options) -> Comparison:
    """The comparison of one question. Raises Unreadable when the response cannot be read as a retrieval, NotApplicable
    when the question has no truth at all."""
    truths = [message for message in case.conversation if message.role == "user"][turn].target
    if truths is None:
        raise ValueError(f"turn {turn} of case {case.id!r} has no target")
    if not any(truths.fields.values()):
        raise NotApplicable(f"{NO_TRUTH}: the question has no truth in any field")
    return compare_truths(truths, read_response(prediction.response), options)


def compare_truths(truths: Truths, retrieved: Retrieved, options: Options) -> Comparison:
    """The same, from the records."""
    given = retrieved.fields
    if given and not any(name in given for name in truths.fields):
        expected, found = (", ".join(f'"{name}"' for name in names) for names in (truths.fields, given))
        raise Unreadable(f"the response has none of the question's fields {expected}; it has {found}")
    lacking = [name for name, wanted in truths.fields.items() if wanted and name not in given]
    for name in given if lacking else ():
        if name not in truths.fields and (meant := slip_of(name, lacking)):
            raise Unreadable(f'the response has no field "{meant}", but one called "{name}": is that the same?')
    fields = (
        compare_field(name, wanted, given.get(name, Ranked([])), options, truths.spans.get(name))
        for name, wanted in truths.fields.items()
        if wanted
    )
    return Comparison(tuple(fields), options, sum(not wanted for wanted in truths.fields.values()))


def compare_field(
    field: str, wanted: Mapping[str, int], ranked: Ranked, options: Options, spans: Mapping[str, Span] | None = None
) -> FieldComparison:
    """One field. Raises Unreadable when a key appears twice: ranks would mean nothing."""
    places = {key: place for place, key in enumerate(ranked.keys)}
    if len(places) != len(ranked.keys):
        twice = next(key for place, key in enumerate(ranked.keys) if places[key] != place)
        raise Unreadable(f'the key "{twice}" appears twice in the field "{field}"')
    most = options.max_results or len(ranked.keys)
    gains = {key: relevance for key, relevance in wanted.items() if relevance > 0}
    if spans:
        ranks_of = span_ranks({key: spans[key] for key in gains}, [key for _, key, _ in all_places(ranked)])
    else:
        ranks_of = _ranks(gains, places, ranked)
    found = sorted((rank, key) for rank, key in ranks_of if rank <= most)
    level = options.relevance_level
    ranks = tuple(rank for rank, key in found if gains[key] >= level)
    got = {key for _, key in found}
    missing = [key for key, relevance in gains.items() if relevance >= level and key not in got]
    return FieldComparison(
        field,
        min(len(ranked.keys), most),
        len(missing) + len(ranks),
        ranks,
        tuple(accumulate(count / rank for count, rank in enumerate(ranks, start=1))),
        tuple(rank for rank, _ in found),
        tuple(accumulate(gains[key] / math.log2(rank + 1) for rank, key in found)),
        tuple(accumulate(gain / math.log2(rank + 1) for rank, gain in enumerate(_falling(gains), start=1))),
        tuple(sorted(missing, key=lambda key: -gains[key])),
        bool(spans),
    )


def _falling(gains: Mapping[str, int]) -> list[int]:
    return sorted(gains.values(), reverse=True)


def _ranks(gains: Mapping[str, int], places: Mapping[str, int], ranked: Ranked) -> list[tuple[int, str]]:
    """(rank, key) of those of the keys that were retrieved."""
    keys = [key for key in gains if key in places]
    if ranked.scores is None or not keys:
        return [(places[key] + 1, key) for key in keys]
    scores = as_scores(ranked.scores)
    wanted = scores[[places[key] for key in keys]]
    return list(zip(ranks_by_score(keys, wanted, ranked.keys, scores).tolist(), keys, strict=True))
