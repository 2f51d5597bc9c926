"""TREC run files: ``question Q0 document rank score tag``, one line per result, in any order; what follows the tag is
ignored.

The rank column is ignored too: results are ordered by score, as trec_eval does it (see ``ranking``). Memory stays near
the size of the file: the results of a question are packed as soon as another question begins.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from pathlib import Path

import msgspec

from karat.core.case_files.loaded import LoadedPredictions
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Prediction
from karat.suites.retrieval.formats.lines import blocks, shown_name, word_problem
from karat.suites.retrieval.formats.qrels import MANY
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved

COLUMNS = ("question", "Q0", "document", "rank", "score", "tag")
HINT = f"A line is: {' '.join(COLUMNS)}, such as 301 Q0 FT911-3 1 12.5 myrun."


class _Results:
    """The results of one question: keys joined by line breaks, scores, and where each unbroken stretch of them
    begins."""

    def __init__(self) -> None:
        self.keys: list[bytes] = []
        self.scores = array("d")
        self.starts: list[int] = []
        self.lines: list[int] = []

    def add(self, keys: list[bytes], scores: list[float], line: int) -> None:
        self.starts.append(len(self.scores))
        self.lines.append(line)
        self.keys.append(b"\n".join(keys))
        self.scores.extend(scores)

    def line_of(self, index: int) -> int:
        place = bisect_right(self.starts, index) - 1
        return self.lines[place] + index - self.starts[place]


def read_run(path: Path) -> LoadedPredictions:
    """One prediction for each question of a run. A line that cannot be read is a problem and costs only itself."""
    problems: list[Problem] = []
    found = _read(path, problems)
    if not found:
        raise UserError(f"no line of {path} can be read as a result of a run", hint=HINT, problems=problems[:5])
    file = shown_name(path)
    encode = msgspec.json.Encoder().encode
    predictions = []
    for name in list(found):
        ranked = _unpacked(name, found.pop(name), file, problems)  # taken out, so that no result is held twice
        predictions.append(Prediction(name, response=encode(Retrieved({DOCUMENTS: ranked}))))
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _read(path: Path, problems: list[Problem]) -> dict[str, _Results]:
    found: dict[str, _Results] = {}
    file = shown_name(path)
    current = b""
    keys: list[bytes] = []
    scores: list[float] = []
    began = 0

    def pack() -> None:
        if keys:
            found.setdefault(current.decode(), _Results()).add(keys, scores, began)

    for first, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=first):
            try:
                name, _, key, _, text, _ = line.split(None, 5)
                score = float(text)
                if score - score:  # infinite, or not a number
                    raise ValueError
            except ValueError:
                pack()
                keys, scores, current = [], [], b""  # the next line begins a new stretch
                problems.extend(_wrong(line, number, file))
                if not found and len(problems) >= MANY:
                    return found
                continue
            if name != current:
                if name.startswith(b"#"):
                    pack()
                    keys, scores, current = [], [], b""
                    continue
                pack()
                keys, scores, current, began = [], [], name, number
            keys.append(key)
            scores.append(score)
    pack()
    return found


def _wrong(line: bytes, number: int, file: str) -> list[Problem]:
    words = line.split(None, 5)
    if not words or words[0].startswith(b"#"):
        return []
    if len(words) < len(COLUMNS):
        message = (
            f"{count_of(len(words), 'column')} where {len(COLUMNS)} are expected: the {COLUMNS[len(words)]} is missing"
        )
        return [word_problem(line, number, len(words), message, file=file, hint=HINT)]
    message = f'the score "{words[4].decode()}" is not a number'
    return [word_problem(line, number, 4, message, file=file, hint=HINT)]


def _unpacked(name: str, results: _Results, file: str, problems: list[Problem]) -> Ranked:
    """The results as lists; a document that appears twice counts at its first place."""
    keys = b"\n".join(results.keys).decode().split("\n")
    scores = results.scores.tolist()
    if len(set(keys)) == len(keys):
        return Ranked(keys, scores)
    first: dict[str, int] = {}
    for index, key in enumerate(keys):
        if key in first:
            line = results.line_of(index)
            message = f'"{key}" appears twice for question "{name}": also in line {results.line_of(first[key])}'
            hint = "A document can be retrieved only once for a question; only the first of the two lines is used."
            problems.append(Problem(message, file=file, line=line, column=1, hint=hint))
        else:
            first[key] = index
    return Ranked(list(first), [scores[index] for index in first.values()])
