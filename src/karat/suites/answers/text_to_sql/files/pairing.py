"""Which question each prediction of a file answers: by its id, its row, or its place in the file.

Nothing shifts: where it cannot be known which question a line answers, none of them is judged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby, pairwise

import msgspec

from karat.core.case_files.loaded import LoadedPredictions
from karat.core.case_files.nearest_id import nearest_id
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import AnyCase, CallError, Prediction
from karat.core.suite import Unreadable
from karat.suites.answers.records import Answer
from karat.suites.answers.responses import stored_answer
from karat.suites.answers.text_to_sql.files.predictions import ID_KEYS, NONE, made

_ROW, _KEY = re.compile(r"row (\d+)"), re.compile(r"key (\d+)")
_LINE = re.compile(r"line \d+")
"""How a prediction is named that has no key at all, only its place in the file."""


def paired(cases: Sequence[AnyCase], loaded: LoadedPredictions) -> LoadedPredictions:
    """The predictions with the ids of their questions; a question without a prediction gets one that says so."""
    if not cases or not any(turn.target is not None and turn.target.queries for turn in cases[0].conversation):
        return loaded
    by_row = {case.source.item: case.id for case in cases}
    ids = set(by_row.values())
    problems = list(loaded.problems)
    predictions = list(loaded.predictions)
    if predictions and all(_LINE.fullmatch(one.case_id) for one in predictions):
        predictions, more = _by_position(cases, predictions)
        problems += more
    keys = [one for one in predictions if _KEY.fullmatch(one.case_id) and one.case_id not in ids]
    by_id = _keys_are_ids(cases, keys, by_row)
    found: dict[str, Prediction] = {}
    for one in predictions:
        match = _ROW.fullmatch(one.case_id) or _KEY.fullmatch(one.case_id) if one.case_id not in ids else None
        name = one.case_id
        if match is not None:
            name = match[1] if by_id and name.startswith("key") else by_row.get(int(match[1]), f"row {match[1]}")
        found[name] = msgspec.structs.replace(one, case_id=name)
    if found and ids.isdisjoint(found):
        raise _none_matches(list(found), list(by_row.values()))
    problems += _other_databases(cases, found)
    unknown = [name for name in found if name not in ids]
    if unknown:
        hint = _near(unknown, [name for name in by_row.values() if name not in found])
        problems.append(_listed(f"{count_of(len(unknown), 'prediction')} for unknown questions", unknown, hint))
    without = [name for name in by_row.values() if name not in found or _is_empty(found[name])]
    if without:
        problems.append(_listed(f"{count_of(len(without), 'question')} without a prediction", without))
    for name in without:
        found.setdefault(name, made(name, ""))
    kept = tuple(one for name, one in found.items() if name in ids)
    return LoadedPredictions(kept, tuple(problems), loaded.notes)


def _keys_are_ids(cases: Sequence[AnyCase], keyed: Sequence[Prediction], rows: Mapping[int | None, str]) -> bool:
    """Whether the numbers that are keys of a JSON object are ids. BIRD's are rows, so that there they are ids only
    where they cannot be rows; a team's own questions have ids that are written down."""
    numbers = [int(match[1]) for one in keyed if (match := _KEY.fullmatch(one.case_id))]
    if not all(str(number) in rows.values() for number in numbers):
        return False
    own = all(turn.target.queries.form == "own" for case in cases for turn in case.conversation if turn.target)
    return any(number not in rows for number in numbers) or (own and not any(_answer(one).database for one in keyed))


def _is_empty(prediction: Prediction) -> bool:
    """Whether a row of a file gives no SQL: an empty text, a null, a number."""
    try:
        answer = stored_answer(prediction.response) if prediction.error is None else None
    except Unreadable:  # said when it is compared
        return False
    return answer is not None and answer.problem == NONE


def _none_matches(found: Sequence[str], ids: Sequence[str]) -> UserError:
    """Nothing was answered that was asked: that is not a score of 0, the files do not belong together."""
    given, asked = (f"{', '.join(names[:5])}{', …' if len(names) > 5 else ''}" for names in (found, ids))
    expected = f"A prediction names its question in {', '.join(ID_KEYS)} or row (from 0)."
    hint = " ".join(filter(None, (_near(found, ids), f"The questions are {asked}.", expected)))
    return UserError(
        f"none of the {count_of(len(found), 'prediction')} is for one of the questions: {given}", hint=hint
    )


def _near(unknown: Sequence[str], ids: Sequence[str]) -> str:
    """A sentence with the nearest id of each of the first unknown ones; empty where none is near."""
    near = [(name, close) for name in unknown[:3] if (close := nearest_id(name, ids))]
    said = ", ".join(f'"{close}" is nearest to "{name}"' for name, close in near)
    return f"Of the ids of the questions, {said}. An id must be the same text in both files." if near else ""


def _by_position(cases: Sequence[AnyCase], predictions: Sequence[Prediction]) -> tuple[list[Prediction], list[Problem]]:
    """Lines against questions. A question has the line of its row, where no line can be missing and none can be too
    many:

    - as many lines as rows, none of them blank;
    - dialogues, which blank lines part: as many lines in each as it has turns;
    - other questions: as many lines as rows, of which a blank one is a missing prediction;
    - as many lines as there are questions that could be read, all of which name the database of theirs.

    Else nobody knows which line is missing, and no line is judged."""
    written = [one for one in predictions if not _answer(one).problem]
    rows = [case.source.item or 0 for case in cases]
    whole = rows == sorted(set(rows))
    parted = any("turn" in case.metadata for case in cases) and len(written) < len(predictions)
    for lines in (written,) if parted else (predictions, written):
        by_row = whole and len(lines) == rows[-1] + 1
        chosen = [lines[row] for row in rows] if by_row else lines
        sure = by_row and (_same_dialogues(cases, predictions) if parted else lines is predictions)
        if len(chosen) == len(cases) and (sure or (not parted and _all_named(cases, chosen))):
            together = zip(cases, chosen, strict=True)
            return [msgspec.structs.replace(one, case_id=case.id) for case, one in together], []
    why = f"{count_of(len(written), 'prediction')} for {count_of(len(cases), 'question')}"
    place = next((row for row, (case, one) in enumerate(zip(cases, written, strict=False)) if _misfit(case, one)), None)
    hint = "The file has one prediction per line and no ids, so it is not known which question each line answers."
    if place is not None:
        named = _answer(written[place]).database
        hint += f' The first line that does not fit is line {place + 1}: it names the database "{named}".'
    hint += " Write one line per question, or give JSON lines with an id."
    error = CallError("unpaired", f"{why}, and no ids: the lines cannot be paired with the questions")
    failed = [Prediction(case.id, None, error=error) for case in cases]
    return failed, [Problem(why, hint=hint)]


def _same_dialogues(cases: Sequence[AnyCase], lines: Sequence[Prediction]) -> bool:
    """Whether the lines between blank ones are as many as the turns of each dialogue."""
    starts = [place for place, case in enumerate(cases) if case.metadata.get("turn") == 0]
    turns = [end - start for start, end in pairwise([*starts, len(cases)])]
    groups = groupby(lines, key=lambda one: bool(_answer(one).problem))
    return turns == [len(list(group)) for blank, group in groups if not blank]


def _all_named(cases: Sequence[AnyCase], lines: Sequence[Prediction]) -> bool:
    """Whether each line names the database of its question."""
    named = all(_answer(one).database for one in lines)
    return named and not any(_misfit(case, one) for case, one in zip(cases, lines, strict=True))


def _answer(prediction: Prediction) -> Answer:
    """A line of a file."""
    return msgspec.json.decode(prediction.response, type=Answer)


def _misfit(case: AnyCase, prediction: Prediction) -> bool:
    """Whether it names another database than the question; only a line of a file names one."""
    try:
        answer = stored_answer(prediction.response)
    except Unreadable:  # said when it is compared
        return False
    return answer is not None and bool(answer.database) and answer.database.lower() != _database(case).lower()


def _database(case: AnyCase) -> str:
    return next((turn.target.queries.database for turn in case.conversation if turn.target is not None), "")


def _other_databases(cases: Sequence[AnyCase], found: Mapping[str, Prediction]) -> list[Problem]:
    """Predictions that name another database than their question: the question's is used."""
    other = [
        case.id for case in cases if case.id in found and found[case.id].response and _misfit(case, found[case.id])
    ]
    if not other:
        return []
    said = (
        count_of(len(other), "prediction that names", "predictions that name") + " another database than the question"
    )
    return [_listed(said, other, "The database of the question is used. Check that the files belong together.")]


def _listed(said: str, names: Sequence[str], hint: str = "") -> Problem:
    rest = f" and {len(names) - 5:,} more" if len(names) > 5 else ""
    return Problem(f"{said}: {', '.join(names[:5])}{rest}", hint=hint, severity="warning")
