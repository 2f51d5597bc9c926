"""``karat import FILE --cases CASES``: the answers of a log or of traces, as recorded predictions for cases that exist.

An answer belongs to the case that it names, else to the one case with the same question. Several answers to one case
are repeats, in the order in which they came.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.files.atomic import write_bytes
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase, CallError, Prediction, attempts, default_turn, join_attempts
from karat.core.remote.paths import local_path
from karat.imports.fields import value_of
from karat.imports.reading import read_source
from karat.imports.rows import asked, said
from karat.imports.source import Source, SourceRow
from karat.imports.traces import encoded
from karat.verbs.exports.answer_lines import exported
from karat.verbs.imports.score_command import score_command
from karat.verbs.inputs.streamed_inputs import gather_cases

FILE = "predictions.jsonl"


@dataclass(frozen=True)
class ImportedAnswers:
    """What became of a file of answers."""

    source: Source
    predictions: Path
    count: int
    cases: int
    """Cases that have an answer now."""
    skipped: Sequence[Problem]
    notes: Sequence[str] = ()
    command: Sequence[str] = ()
    """How the answers are scored now."""
    to_fill_in: Sequence[str] = ()
    """Options in the command whose value only the user knows; ``PATH`` stands for it."""


def import_answers(
    file: Path, suite: str, cases: Path, *, to: Path | None = None, force: bool = False
) -> ImportedAnswers:
    """Write the answers of a file as predictions for these cases."""
    chosen = plugins.load_suite(suite)
    source = read_source(local_path(file))
    if "answer" not in source.known or "question" not in source.known:
        hint = "--cases is for traces of OpenTelemetry, LangSmith and Langfuse and for logs of inspect_ai."
        raise UserError(f"{file} ({source.format}) does not contain questions and answers", hint=hint)
    gathered = gather_cases(chosen, local_path(cases))
    matching = _Matching(gathered.cases)
    skipped: list[Problem] = [*gathered.problems, *source.problems]
    by_key: dict[tuple[str, int | None, int], Prediction] = {}
    for row in source.rows:
        made = matching.prediction(source, row)
        if isinstance(made, str):
            skipped.append(Problem(f"{file}: answer {row.line} is skipped: {made}"))
        else:
            key = (made.case_id, made.turn, made.repeat)
            by_key[key] = _joined(by_key[key], made) if key in by_key else made
    found = list(by_key.values())
    if not found:
        raise UserError(f"no answer of {file} belongs to a case of {cases}", problems=skipped[:20])
    folder = to or Path(file.name.partition(".")[0] or "imported")
    lines = exported(chosen.name, found, {})
    files = {FILE: lines.lines, **{str(place): data for place, data in lines.files.items()}}
    if not force and (there := [folder / name for name in files if (folder / name).exists()]):
        raise UserError(f"{there[0]} would be overwritten", hint="Choose another folder with --to, or use --force.")
    for name, data in files.items():
        write_bytes(folder / name, data)
    ids = {one.case_id for one in found}
    command, to_fill_in = score_command(chosen, cases, gathered.cases, folder / FILE)
    return ImportedAnswers(
        source, folder / FILE, len(found), len(ids), skipped, tuple(lines.notes), command, to_fill_in
    )


def _joined(first: Prediction, second: Prediction) -> Prediction:
    """Two calls of a run for the same turn: the system was asked to repair its answer. A repair that failed to come is
    no attempt."""
    if second.error is not None or first.error is not None:
        return first if first.error is None else second
    sums = (
        None if a is None or b is None else a + b
        for a, b in ((first.latency, second.latency), (first.tokens, second.tokens), (first.cost, second.cost))
    )
    latency, tokens, cost = sums
    both = join_attempts([*attempts(first.response), second.response])
    return msgspec.structs.replace(
        first, response=both, latency=latency, tokens=None if tokens is None else int(tokens), cost=cost
    )


class _Matching:
    """Which case an answer belongs to."""

    def __init__(self, cases: Sequence[AnyCase]) -> None:
        self._ids = {case.id: case for case in cases}
        self._questions: dict[str, list[AnyCase]] = {}
        for case in cases:
            self._questions.setdefault(_plain(case.question), []).append(case)
        self._repeats: dict[tuple[str, int], int] = {}

    def prediction(self, source: Source, row: SourceRow) -> Prediction | str:
        """The prediction; a text says why there is none."""
        cells: Mapping[str, Json] = row.cells
        name = str(value_of(cells, [source.known["id"]]) or "") if "id" in source.known else ""
        question, _ = asked(value_of(cells, [source.known["question"]]))
        case = self._ids.get(name)
        if case is None and cells.get("named"):
            return f'there is no case "{name}"'
        if case is None:
            same = self._questions.get(_plain(question), []) if question.strip() else []
            if len(same) != 1:
                why = "several cases have" if same else "no case has" if question.strip() else "the trace does not say"
                return f"{why} its question{f': {question[:120]}' if question.strip() else ''}"
            case = same[0]
        turn = cells.get("turn")
        place = turn if isinstance(turn, int) and not isinstance(turn, bool) else default_turn(case)
        given = cells.get("repeat") if cells.get("named") else None
        counted = self._repeats.get((case.id, place), 0)
        self._repeats[case.id, place] = counted + 1
        repeat = given if isinstance(given, int) else counted
        error = str(cells.get("error") or "")
        answer = said(value_of(cells, [source.known["answer"]]))
        if not error and answer in (None, ""):
            return f"it has no text of an answer to {case.id}; traces hold texts only where that was switched on"
        latency, tokens, cost = (_number(cells.get(key)) for key in ("latency", "tokens", "cost"))
        return Prediction(
            case.id,
            place,
            repeat,
            b"" if error else encoded(answer),
            CallError("recorded", error) if error else None,
            latency,
            None if tokens is None else int(tokens),
            cost,
        )


def _plain(question: str) -> str:
    return " ".join(question.split()).casefold()


def _number(value: Json) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0 else None
