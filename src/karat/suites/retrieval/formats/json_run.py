"""Runs as JSON: one object ``{question: {document: score}}``, as BEIR's tools hold them in memory; or JSONL with one
line per question or one line per result.

- a question: ``{"id": "q1", "fields": {…}}`` in any form that a response may have (see ``predictions``), with ``turn``,
  ``repeat``, ``error``, ``latency``, ``tokens`` and ``cost`` where they are known; also ``{"id": "q1", "results":
  {document: score}}``;
- a result: ``{"query-id": "q1", "corpus-id": "d7", "score": 0.5}``, or the same with ``qid`` and ``docid``.

Every value may be of one field, ``documents``, unless the line says otherwise. A line ``{"notes": {…}}`` is about the
run as a whole, as ``karat export`` writes it; karat 0.1 before that had the tuning of a sheet's own search beside the
``fields`` of its first question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from karat.core.case_files.line_keys import misspelt_key
from karat.core.case_files.loaded import LoadedPredictions, Said
from karat.core.files import json as strict_json
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import Json, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction, misplaced, recorded_error
from karat.core.run_notes.notes import notes_in
from karat.suites.retrieval.formats.lines import blocks, json_problem, read_bytes, shown_name
from karat.suites.retrieval.notes import earlier_notes
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved

PAIRS = (("query-id", "corpus-id"), ("qid", "docid"), ("query_id", "doc_id"))
LINE_HINT = (
    'A line is {"id": "q1", "fields": {"documents": {"keys": […], "scores": […]}}}, '
    'or {"qid": "q1", "docid": "d7", "score": 0.5}.'
)
OBJECT_HINT = 'The file is {"q1": {"d7": 0.5, …}, …}.'

_encode = msgspec.json.Encoder().encode
_scores = msgspec.json.Decoder(dict[str, float])


class _Line(msgspec.Struct, frozen=True):
    """What a line says beside what was retrieved."""

    id: str | int
    turn: int | None = None
    repeat: int = 0
    error: Json = None
    latency: float | None = None
    tokens: int | None = None
    cost: float | None = None


def stream_json_run(path: Path) -> Iterator[Said]:
    """One prediction for each question. What cannot be read is a problem and costs nothing else. JSONL is read line by
    line."""
    if ".jsonl" in path.suffixes:
        return _read_lines(path)
    data = read_bytes(path)
    try:
        questions = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        if b"\n" in data.strip():  # lines under another name
            return _read_lines(path)
        problem = json_problem(data, 1, error, "not valid JSON", file=shown_name(path), hint=OBJECT_HINT)
        raise UserError(f"{path} cannot be read as a run", problems=[problem]) from error
    if "id" in questions or any(pair[0] in questions for pair in PAIRS):
        return _read_lines(path)
    loaded = _read_object(data, questions, shown_name(path))
    return iter((*loaded.predictions, *loaded.problems))


# -- {question: {document: score}} ------------------------------------------------------------------------------------


def _read_object(data: bytes, questions: dict[str, msgspec.Raw], file: str) -> LoadedPredictions:
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    place = 0
    if data.count(b"{") != len(questions) + 1:
        problems += _repeated(data, file)
    for name, raw in questions.items():
        text = bytes(raw)
        place = max(data.find(text, place), 0)
        try:
            scores = _scores.decode(text)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            before = data[:place].decode(errors="replace")
            line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1)
            what = f'the results of question "{name}" cannot be read'
            problems.append(json_problem(text, line, error, what, file=file, hint=OBJECT_HINT, at=column))
            continue
        if text.count(b",") + 1 != len(scores) and (twice := _first_repeated(text)):
            line = data.count(b"\n", 0, place) + 1
            message = f'"{twice}" appears twice for question "{name}": the last of the two is used'
            problems.append(Problem(message, file=file, line=line, column=1, hint="Remove one of the two."))
        predictions.append(_prediction(name, Ranked(list(scores), list(scores.values()))))
        place += len(text)
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _prediction(name: str, ranked: Ranked) -> Prediction:
    return Prediction(name, response=_encode(Retrieved({DOCUMENTS: ranked})))


def _repeated(data: bytes, file: str) -> list[Problem]:
    twice = _first_repeated(data)
    if not twice:
        return []
    message = f'the question "{twice}" appears twice: the last of the two is used'
    return [Problem(message, file=file, hint="Remove one of the two.")]


def _first_repeated(text: bytes) -> str:
    """The first name that appears twice in the outermost object; empty when none does. Decoders keep the last in
    silence."""
    names: list[str] = []

    def keep(pairs: list[tuple[str, Json]]) -> None:
        names[:] = [name for name, _ in pairs]  # the outermost object comes last

    json.loads(text, object_pairs_hook=keep)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


# -- JSONL ------------------------------------------------------------------------------------------------------------


def _read_lines(path: Path) -> Iterator[Said]:
    file = shown_name(path)
    problems: list[Problem] = []
    first_problems: list[Problem] = []
    first: dict[tuple[str, int, int], int] = {}
    results: dict[str, dict[str, float]] = {}
    notes: JsonObject = {}
    warned: set[str] = set()
    for start, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=start):
            if slip := misspelt_key(line, _Line.__struct_fields__, file, number, warned):
                problems.append(slip)
                if slip.severity == "error":
                    continue
            if line.strip() and (found := _taken(line, number, file, first, results, notes, problems)) is not None:
                yield found
        first_problems += problems[: 5 - len(first_problems)]
        yield from problems
        problems.clear()
    yield from problems
    yield from (_prediction(name, Ranked(list(found), list(found.values()))) for name, found in results.items())
    if not first and not results:
        raise UserError(
            f"no line of {path} can be read as a result of a run", hint=LINE_HINT, problems=first_problems or problems
        )
    if notes:
        yield notes


def _taken(
    line: bytes,
    number: int,
    file: str,
    first: dict[tuple[str, int, int], int],
    results: dict[str, dict[str, float]],
    notes: JsonObject,
    problems: list[Problem],
) -> Prediction | None:
    """The answer of a line to a question; None where it says something else, which is noted."""
    try:
        body = strict_json.decode(line)
        if not isinstance(body, dict):
            raise msgspec.ValidationError("expected an object")
        if (said := notes_in(body)) is not None:
            notes.update(said)
            return None
        pair = next((pair for pair in PAIRS if all(name in body for name in pair)), None)
        if pair is not None:
            _take_result(body, pair, number, file, results, problems)
            return None
        head = msgspec.convert(body, _Line)
    except strict_json.BadJson as error:
        problems.append(error.problem(file, number, what="not a result of a run", hint=LINE_HINT))
        return None
    except msgspec.ValidationError as error:
        message = f"not a result of a run: {shape_in_words(error, '')}"
        problems.append(Problem(message, file, number, 1, hint=LINE_HINT))
        return None
    except msgspec.DecodeError as error:
        problems.append(json_problem(line, number, error, "not a result of a run", file=file, hint=LINE_HINT))
        return None
    if fault := misplaced(head.turn, head.repeat):
        problems.append(Problem(fault, file, number, 1, hint="The line is skipped."))
        return None
    key = (str(head.id), head.turn or 0, head.repeat)
    if key in first:
        message = f'a second answer to question "{head.id}": the first, in line {first[key]}, is used'
        problems.append(Problem(message, file, number, 1, hint='Give repeats a "repeat" number.'))
        return None
    first[key] = number
    for name, value in earlier_notes(body).items():
        notes.setdefault(name, value)
    return _asked(head, line)


def _asked(head: _Line, line: bytes) -> Prediction:
    return Prediction(
        str(head.id), head.turn, head.repeat, line, recorded_error(head.error), head.latency, head.tokens, head.cost
    )


def _take_result(
    body: JsonObject,
    pair: tuple[str, str],
    number: int,
    file: str,
    results: dict[str, dict[str, float]],
    problems: list[Problem],
) -> None:
    name, key = (msgspec.convert(body[part], str | int) for part in pair)
    score = msgspec.convert(body.get("score"), float)
    found = results.setdefault(str(name), {})
    if str(key) in found:
        message = f'"{key}" appears twice for question "{name}": the first of the two is used'
        problems.append(Problem(message, file, number, 1, hint="A document can be retrieved only once for a question."))
    else:
        found[str(key)] = score
