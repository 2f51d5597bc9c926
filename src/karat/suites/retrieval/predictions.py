"""Predictions: what was retrieved, from run files and from raw responses.

The response of a prediction is ``{"fields": {name: {"keys": […], "scores": […]}}}``: two lists of equal length for each
field, with no word repeated a thousand times. Without ``scores`` the keys are taken as ranked, best first. A live
system may also give for a field a list of keys, a list of ``{"key": …, "score": …}`` (``id`` will do as well), or an
object ``{key: score}``; and ``{"results": …}``, or such a list by itself, for ``{"fields": {"documents": …}}``; as JSON
in any form that a response may have (``docs/responses.md``).

A run file is a TREC run (``formats.trec_run``), a JSON object or JSONL (``formats.json_run``); any of them may be
compressed with gzip.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from karat.core.case_files.loaded import LoadedPredictions, Said, all_predictions
from karat.core.files.json import keeps_every_key
from karat.core.files.reading import is_empty, why_not_there
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json, JsonMapping, JsonObject
from karat.core.problems import UserError, count_of
from karat.core.replies import Reply, only_one, read_reply
from karat.core.replies.failures import refuse_empty_failures
from karat.core.replies.json_texts import canonical
from karat.core.suite import Unreadable
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved

_compact = msgspec.json.Decoder(Retrieved)
OWN_KEYS = ("fields", "results")
KEY_NAMES = ("key", "id", "_id", "doc_id", "docno")
SCORE_NAMES = ("score", "_score")
RANK_NAMES = ("rank", "position", "distance", "_distance")
"""What the key and the score of a result may be called; the first that is there counts."""
EXPECTED = '"fields" or "results"'
RISING = 3
"""Results whose scores all rise are listed best first by distances, or worst first by scores: nobody can say which."""


def read_response(response: bytes) -> Retrieved:
    """What a response says was retrieved. Raises :class:`Unreadable` with the reason when it says nothing."""
    try:
        compact = _compact.decode(response)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        compact = None
    if compact is not None and _as_many(compact) and _every_key_counts(response, compact):
        return compact
    reply = read_reply(response, OWN_KEYS)
    try:
        return _retrieved(reply)
    except Unreadable as error:
        raise reply.explained(error) from error


def understand(response: bytes, _options: object) -> JsonObject:
    """What is read from one response, for ``karat check --response``."""
    return {"fields": {name: msgspec.to_builtins(ranked) for name, ranked in read_response(response).fields.items()}}


def _retrieved(reply: Reply) -> Retrieved:
    if reply.failure:
        raise Unreadable(reply.failure)
    candidates = reply.json_candidates(_fits)
    refuse_empty_failures(candidates, _fits)
    if reply.refusal and not candidates:
        return Retrieved({})  # it says that it retrieved nothing
    if not candidates and (ranked := _bare_list(reply)) is not None:
        return Retrieved({DOCUMENTS: ranked})
    if not candidates:
        raise reply.nothing("results", f"JSON with {EXPECTED}, or a list of keys")
    found: Retrieved = only_one(candidates, _retrieved_in, "list of results", "lists of results")
    return found


def _bare_list(reply: Reply) -> Ranked | None:
    """A list of keys or of results that is all that the response gives; None where there is none, or several."""
    found = [reply.body] if isinstance(reply.body, list) else [value for value, _ in reply.json_values("fenced")]
    lists = {canonical(value): value for value in found if isinstance(value, list)}
    items = next(iter(lists.values())) if len(lists) == 1 else None
    if items is None or not (all(isinstance(item, str) for item in items) or all(map(_is_result, items))):
        return None
    return ranked_from(DOCUMENTS, items)


def _is_result(item: object) -> bool:
    return isinstance(item, Mapping) and any(isinstance(item.get(name), str | int) for name in KEY_NAMES)


def _fits(value: JsonMapping) -> bool:
    return isinstance(value.get("fields"), Mapping) or isinstance(value.get("results"), Mapping | list)


def _retrieved_in(value: JsonMapping) -> Retrieved:
    fields = value["fields"] if isinstance(value.get("fields"), Mapping) else {DOCUMENTS: value["results"]}
    return _checked(Retrieved({str(name): ranked_from(str(name), given) for name, given in fields.items()}))


def _every_key_counts(response: bytes, compact: Retrieved) -> bool:
    """Whether the response has no key that its reading has not. As many colons as keys is proof; texts may have some
    too."""
    keys = 1 + sum(2 + (ranked.scores is not None) for ranked in compact.fields.values())
    return response.count(b":") == keys or keeps_every_key(response, msgspec.json.decode(response))


def _as_many(retrieved: Retrieved) -> bool:
    return all(ranked.scores is None or len(ranked.scores) == len(ranked.keys) for ranked in retrieved.fields.values())


def _checked(retrieved: Retrieved) -> Retrieved:
    for name, ranked in retrieved.fields.items():
        if ranked.scores is not None and len(ranked.scores) != len(ranked.keys):
            counts = f"{count_of(len(ranked.keys), 'key')} and {count_of(len(ranked.scores), 'score')}"
            raise Unreadable(f'the field "{name}" has {counts}: the numbers must be equal')
    return retrieved


class RankedLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of recorded results, as editors see it."""

    id: str | int
    """The question's id."""
    results: Json = None
    """What was retrieved, best first: keys, keys with scores, or ``{"key": score}``."""
    fields: Json = None
    """The same for each field, if there are several."""
    turn: int | None = None
    """The user turn, from 0; by default the only scored one, else 0."""
    repeat: int | None = None
    """The number of the try, from 0."""
    error: Json = None
    """Why there is no answer."""
    latency: float | None = None
    """Seconds that the answer took."""
    tokens: Json = None
    """Tokens that the answer used: a number, or an object with ``total_tokens``."""
    cost: float | None = None
    """What the answer cost."""


class _Item(msgspec.Struct, frozen=True):
    key: str | int
    score: float | None = None
    rank: float | None = None
    """Its place or its distance, if the result says it: the best has the least."""


def ranked_from(name: str, value: object) -> Ranked:
    """What was retrieved for one field, from any of the forms above."""
    try:
        if isinstance(value, Mapping):
            if isinstance(value.get("keys"), list):
                return msgspec.convert(value, Ranked)
            scored = msgspec.convert(value, dict[str, float])
            return Ranked(list(scored), list(scored.values()))
        if isinstance(value, list) and value and isinstance(value[0], Mapping):
            return _from_items(name, msgspec.convert([_usual_names(item) for item in value], list[_Item]))
        return Ranked(msgspec.convert(value, list[str]))
    except msgspec.ValidationError as error:
        form = '{"keys": […], "scores": […]}, a list of keys, or {key: score}'
        raise Unreadable(f'the field "{name}" is not {form}: {shape_in_words(error, "")}') from error


def _usual_names(item: object) -> object:
    """A result whose key and score have the names that search engines give them."""
    if not isinstance(item, Mapping):
        return item
    named = {"key": KEY_NAMES, "score": SCORE_NAMES, "rank": RANK_NAMES}
    found = {name: next((item[one] for one in others if one in item), None) for name, others in named.items()}
    return {name: value for name, value in found.items() if value is not None}


def _from_items(name: str, items: list[_Item]) -> Ranked:
    keys = [str(item.key) for item in items]
    scores = [item.score for item in items if item.score is not None]
    if scores and len(scores) != len(keys):
        raise Unreadable(f'in the field "{name}" some results have a score and some do not')
    if len(scores) >= RISING and all(one < other for one, other in itertools.pairwise(scores)):
        raise Unreadable(
            f'the scores of the field "{name}" rise from the first result to the last, and higher is better here. If '
            "they are distances, leave them out: results without scores are taken as listed, best first"
        )
    places = [item.rank for item in items if item.rank is not None]
    if not scores and any(one > other for one, other in itertools.pairwise(places)):
        raise Unreadable(
            f'the results of the field "{name}" are not listed by their rank or distance. Without scores they are '
            "taken as listed, best first: list them in the order of their ranks"
        )
    return Ranked(keys, scores or None)


def read_predictions(path: Path) -> LoadedPredictions:
    """Every question's results in a run file; a line that cannot be read is a problem and costs nothing else."""
    return all_predictions(stream_predictions(path))


def stream_predictions(path: Path) -> Iterator[Said]:
    """The same, one question after the other where the file has a line for each."""
    from karat.suites.retrieval.formats.json_run import stream_json_run
    from karat.suites.retrieval.formats.lines import beginning
    from karat.suites.retrieval.formats.trec_run import read_run

    if path.is_dir():
        raise UserError(f"{path} is a folder, not a run", hint="Give one run file: a TREC run, JSON or JSONL.")
    if not path.is_file():
        raise UserError(
            f"there is no run at {path}: {why_not_there(path, 'no such file')}",
            hint="Give a TREC run, JSON or JSONL file.",
        )
    if is_empty(path):
        raise UserError(f"no line of {path} can be read: it is empty", hint="Give a TREC run, JSON or JSONL file.")
    start = beginning(path).lstrip()
    if start[:1] in (b"{", b"["):
        return stream_json_run(path)
    loaded = read_run(path)
    return iter((*loaded.predictions, *loaded.problems))
