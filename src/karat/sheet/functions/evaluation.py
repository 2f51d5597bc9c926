"""Retrieval and its figures. Values are compared as texts; truths are ``a;b`` in a text, or an array.

- RECALL = found truths / truths; 1 where there is no truth: nothing was asked, nothing is missing.
- MRR and RR are NA where there is no truth.
- RETRIEVE of 0 values is empty, whatever the model, also NA: so it is for a field that a choice leaves out.
- MRR here is the sum of 1 / rank over the truths that were retrieved, for one question; RR is 1 / rank of the first
  hit, the classical one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from karat.core.problems import UserError
from karat.search.chunks.chunk import Chunk
from karat.search.chunks.cover import found_by
from karat.search.chunks.rank import chunks_in, documents_of
from karat.search.chunks.spans import names_document, read_span
from karat.sheet.functions.definition import Example, Function, Parameter
from karat.sheet.truths import truths_of
from karat.sheet.values import NA, Array, Failure, NotAvailable, TableValue, Value, Wrong, many, present, text, whole

if TYPE_CHECKING:
    from karat.sheet.compute.resources import Resources

Found = Sequence[tuple[str, float]]
Asked = tuple[Array, str, int, str]
"""(the field's values, a question, n, the model's name); no name: the default."""


# -- retrieving
# ---------------------------------------------------------------------------------------------------------


def _asked(call: tuple[Value, ...], name: str) -> Asked | NotAvailable:
    data, question, n, *model = call
    if any(isinstance(one, NotAvailable) for one in (data, question, n)):
        return NA
    values = many(data)
    if isinstance(values, TableValue):
        raise Wrong(f"{name} needs one field, but was given a whole table", "Name the field: T[field].")
    count = whole(n, name)
    if count < 0:
        raise Wrong(f"{name} needs n to be 0 or more, but was given {count}")
    if model and isinstance(model[0], NotAvailable):
        if count:
            return NA
        model = []
    return values, text(question, name), count, text(model[0], name) if model else ""


def retrieve_all(
    asked: Sequence[Asked | NotAvailable | Failure], resources: Resources
) -> list[Found | NotAvailable | Failure]:
    """For each question its n best values with their scores: one pass for each field and model, whatever the n of each
    question."""
    results: list[Found | NotAvailable | Failure] = [() if isinstance(one, tuple) else one for one in asked]
    groups: dict[tuple[int, str], list[int]] = {}
    for at, one in enumerate(asked):
        if isinstance(one, tuple) and one[2]:
            groups.setdefault((id(one[0]), one[3]), []).append(at)
    for (_, model), members in groups.items():
        calls = [one for at in members if isinstance(one := asked[at], tuple)]
        questions = list(dict.fromkeys(call[1] for call in calls))
        try:
            found = dict(
                zip(
                    questions,
                    resources.best(model, questions, calls[0][0], max(call[2] for call in calls)),
                    strict=True,
                )
            )
        except Wrong as wrong:
            for at in members:
                results[at] = Failure(wrong.message, wrong.hint)
            continue
        for at, call in zip(members, calls, strict=True):
            results[at] = found[call[1]][: call[2]]
    return results


def _prepared(
    calls: Sequence[tuple[Value, ...]], prepare: Callable[[tuple[Value, ...]], Asked | NotAvailable]
) -> list[Asked | NotAvailable | Failure]:
    asked: list[Asked | NotAvailable | Failure] = []
    for call in calls:
        try:
            asked.append(prepare(call))
        except Wrong as wrong:
            asked.append(Failure(wrong.message, wrong.hint))
    return asked


def _retrieve(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    found = retrieve_all(_prepared(calls, lambda call: _asked(call, "RETRIEVE")), resources)
    return [_values(one) for one in found]


def _values(found: Found | NotAvailable | Failure) -> Value:
    return found if isinstance(found, NotAvailable | Failure) else Array([value for value, _ in found])


def _retrieve_scores(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    found = retrieve_all(_prepared(calls, lambda call: _asked(call, "RETRIEVE_SCORES")), resources)
    return [one if isinstance(one, NotAvailable | Failure) else _with_scores(one) for one in found]


def _with_scores(found: Found) -> TableValue:
    """A ranker that gives only an order has NaN for scores: NA."""
    scores = [score if score == score else NA for _, score in found]
    return TableValue({"value": [value for value, _ in found], "score": scores}, len(found))


# -- figures
# ------------------------------------------------------------------------------------------------------------


def _ranks(retrieved: Value, truth: Value, name: str) -> tuple[dict[str, int], tuple[str, ...]]:
    """The rank of every retrieved text, and the truths."""
    values = many(retrieved)
    if isinstance(values, TableValue):
        raise Wrong(
            f"{name} needs retrieved values, but was given a table", "Name the field: RETRIEVE_SCORES(…)[value]."
        )
    found = [text(value, name) for value in present(values.items)]
    truths = truths_of(truth)
    if any(isinstance(value, Chunk) for value in found):
        return _ranks_of_spans(found, truths), truths
    ranks: dict[str, int] = {}
    for rank, value in enumerate(found, start=1):
        ranks.setdefault(value, rank)
    return ranks, truths


def _ranks_of_spans(retrieved: Sequence[str], truths: Sequence[str]) -> dict[str, int]:
    """Where truths are spans: those that are covered, and at which n. A span of a document of which nothing was
    retrieved is not covered, whatever it says."""
    try:
        chunks = chunks_in(retrieved)
        documents = documents_of(chunks)
        ranks = {}
        for written in truths:
            if names_document(written, documents):
                rank = found_by(read_span(written, documents), chunks)
                if rank is not None:
                    ranks[written] = rank
    except UserError as error:
        raise Wrong(error.message, error.hint) from None
    return ranks


def recall(retrieved: Value, truth: Value) -> Value:
    """Found / expected; 1 when nothing is expected. NA when what was retrieved is."""
    if isinstance(retrieved, NotAvailable):
        return NA
    ranks, truths = _ranks(retrieved, truth, "RECALL")
    return sum(value in ranks for value in truths) / len(truths) if truths else 1


def _recall(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    """Both forms: what was retrieved and the truths; or the data, the question, the truths, n and model."""
    long = [at for at, call in enumerate(calls) if len(call) > 2]

    def prepare(call: tuple[Value, ...]) -> Asked | NotAvailable:
        data, question, truth, *rest = call
        n = rest[0] if rest and rest[0] is not None else len(truths_of(truth))
        return _asked((data, question, n, *rest[1:]), "RECALL")

    retrieved: dict[int, Value] = {}
    found = retrieve_all(_prepared([calls[at] for at in long], prepare), resources)
    for at, one in zip(long, found, strict=True):
        retrieved[at] = _values(one)
    results: list[Value] = []
    for at, call in enumerate(calls):
        given, truth = (retrieved[at], call[2]) if at in retrieved else (call[0], call[1])
        try:
            results.append(given if isinstance(given, Failure) else recall(given, truth))
        except Wrong as wrong:
            results.append(Failure(wrong.message, wrong.hint))
    return results


def _missing(retrieved: Value, truth: Value) -> Value:
    if isinstance(retrieved, NotAvailable):
        return NA
    ranks, truths = _ranks(retrieved, truth, "MISSING")
    return Array([value for value in truths if value not in ranks])


def mrr(retrieved: Value, truth: Value) -> Value:
    """The sum of 1 / rank over the truths that were retrieved."""
    ranks, truths = _ranks(retrieved, truth, "MRR")
    return sum(1 / ranks[value] for value in truths if value in ranks) if truths else NA


def _rr(retrieved: Value, truth: Value) -> Value:
    ranks, truths = _ranks(retrieved, truth, "RR")
    hits = [ranks[value] for value in truths if value in ranks]
    return (1 / min(hits) if hits else 0) if truths else NA


def _tokens(calls: Sequence[tuple[Value, ...]], resources: Resources) -> list[Value]:
    results: list[Value] = [NA] * len(calls)
    groups: dict[str, list[int]] = {}
    texts: dict[int, str] = {}
    for at, (value, *encoding) in enumerate(calls):
        try:
            texts[at] = text(value, "TOKENS")
            groups.setdefault(text(encoding[0], "TOKENS") if encoding else "", []).append(at)
        except Wrong as wrong:
            results[at] = Failure(wrong.message, wrong.hint)
    for name, members in groups.items():
        try:
            counts: Sequence[Value] = resources.tokens([texts[at] for at in members], name)
        except Wrong as wrong:
            counts = [Failure(wrong.message, wrong.hint)] * len(members)
        for at, count in zip(members, counts, strict=True):
            results[at] = count
    return results


_FIELD = Parameter("field", "the column to search, such as Ingredients[item]", "array")
_QUESTION = Parameter("question", "what is asked")
_N = Parameter("n", "how many values")
_MODEL = Parameter("model", "the name of a model, or a ranker; the default model if left out", optional=True)
_RETRIEVED = Parameter("retrieved", "what RETRIEVE gave", "array")
_TRUTH = Parameter("truth", "the values that must be found: a;b or an array", "array", in_step=True)

_KITCHEN = """!manual()
table Ingredients
    [item]
override
[item]
"Carrots"
"Potatoes"
"Milk"
"Salmon"

!evaluation()
!manual()
table Evaluation
    !evaluation_question()
    [Question]
    !evaluation_field("Ingredients[item]")
    [Truth]
override
[Question],[Truth]
"potatoes and carrots","Carrots;Potatoes"
"a glass of milk","Milk"
"""
_EVALUATED = (
    (_FIELD,),
    (Parameter("evaluation", "the !evaluation table", "any"), Parameter("field", 'T[f] or "T[f]"', "any")),
)

EVALUATION = (
    Function(
        "RETRIEVE",
        "evaluation",
        ((_FIELD, _QUESTION, _N, _MODEL),),
        "The n distinct values of the field that are nearest to the question, the nearest first; ties in the order of "
        "the field. None if n is 0.",
        Example('RETRIEVE({"Milk", "Carrots", "Salmon"}, "carrots", 1, "bm25")', ["Carrots"]),
        do_all=_retrieve,
        sees_na=True,
        gives=1,
        kind="Retrieve",
    ),
    Function(
        "RETRIEVE_SCORES",
        "evaluation",
        ((_FIELD, _QUESTION, _N, _MODEL),),
        "The same with scores: a table with the fields value and score.",
        Example('RETRIEVE_SCORES({"Milk", "Carrots", "Salmon"}, "milk", 1, "bm25")[value]', ["Milk"]),
        do_all=_retrieve_scores,
        sees_na=True,
        gives=1,
        kind="Retrieve",
    ),
    Function(
        "RECALL",
        "evaluation",
        (
            (_RETRIEVED, _TRUTH),
            (
                Parameter("data", "the column to search", "array"),
                _QUESTION,
                _TRUTH,
                Parameter("n", "how many values; as many as there are truths if left out", optional=True),
                _MODEL,
            ),
        ),
        "Truths found / truths; 1 if there is no truth. The long form retrieves the values first.",
        Example('RECALL({"Carrots", "Milk"}, "Carrots;Potatoes")', 0.5),
        do_all=_recall,
        sees_na=True,
        kind="Recall",
    ),
    Function(
        "MISSING",
        "evaluation",
        ((_RETRIEVED, _TRUTH),),
        "The truths that were not retrieved.",
        Example('MISSING({"Carrots", "Milk"}, "Carrots;Potatoes")', ["Potatoes"]),
        _missing,
        sees_na=True,
        gives=1,
        kind="Recall",
    ),
    Function(
        "MRR",
        "evaluation",
        ((_RETRIEVED, _TRUTH),),
        "The sum of 1 / rank over the truths that were retrieved; average it over the questions.",
        Example('MRR({"Carrots", "Milk", "Leek", "Potatoes"}, "Carrots;Potatoes")', 1.25),
        mrr,
        kind="MRR",
    ),
    Function(
        "RR",
        "evaluation",
        ((_RETRIEVED, _TRUTH),),
        "1 / rank of the first truth that was retrieved, 0 if none was.",
        Example('RR({"Milk", "Carrots", "Potatoes"}, "Carrots;Potatoes")', 0.5),
        _rr,
        kind="MRR",
    ),
    Function(
        "TOKENS",
        "evaluation",
        ((Parameter("text", "any text"), Parameter("encoding", "o200k_base, or cl100k_base", optional=True)),),
        "The number of tokens in a text, as OpenAI's models count them.",
        Example('TOKENS("hello world")', 2),
        do_all=_tokens,
        kind="Tokenize",
    ),
    Function(
        "EVALUATE_N",
        "evaluation",
        _EVALUATED,
        "The best n for a field of the evaluation table, chosen for all its fields together within the token budget; 0 "
        "for a field that is left out.",
        Example("Evaluation.EVALUATE_N(Ingredients[item])", 2, sheet=_KITCHEN),
        kind="Evaluation",
    ),
    Function(
        "EVALUATE_MODEL",
        "evaluation",
        _EVALUATED,
        "The best model for a field of the evaluation table, chosen together with n; NA for a field that is left out.",
        Example('EVALUATE_MODEL("Ingredients[item]")', "bm25", sheet=_KITCHEN),
        kind="Evaluation",
    ),
)
