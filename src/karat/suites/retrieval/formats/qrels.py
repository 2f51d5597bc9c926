"""Relevance judgements: TREC qrels (``question 0 document relevance``) and BEIR's TSV (``query-id, corpus-id, score``
under a heading).

A line whose first character is ``#`` is a comment; a ``#`` later in a line is part of an id. The second column of TREC
qrels is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from karat.core.problems import Problem, count_of
from karat.suites.retrieval.formats.lines import blocks, first_line, shown_name, word_problem

MANY = 1_000
"""A file whose first lines, this many, hold no judgement is no qrels file: reading stops, with what was found so
far."""

TREC_HINT = "A line is: question 0 document relevance, such as 301 0 FT911-3 1."
BEIR_HINT = "A line is: question, document, relevance, with tabs between them."


_WHOLE = re.compile(rb"[+-]?[0-9]{1,18}")


class Question(msgspec.Struct, frozen=True):
    """The judgements of one question, and the line of the first."""

    line: int
    judged: dict[str, int]


def looks_like_qrels(path: Path) -> bool:
    """Whether the first line of a file is one of a qrels file."""
    line = first_line(path)
    words = line.split()
    return is_tsv(line) or (len(words) == 4 and _is_whole(words[3]))


def is_tsv(line: bytes) -> bool:
    """Whether a first line is BEIR's: its heading, or three columns with a whole number last."""
    cells = line.split(b"\t")
    return len(cells) == 3 and (_is_heading(cells) or _is_whole(cells[2]))


def read_qrels(path: Path, problems: list[Problem]) -> dict[str, Question]:
    """Question → judgements, in the order of the file. A line that cannot be read is a problem and costs only
    itself."""
    tsv = is_tsv(first_line(path))
    split: Callable[[bytes], Sequence[bytes]] = _tsv_words if tsv else bytes.split
    width, hint = (3, BEIR_HINT) if tsv else (4, TREC_HINT)
    file = shown_name(path)
    found: dict[str, Question] = {}
    heading = tsv
    before = len(problems)
    for first, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=first):
            words = split(line)
            if not words or line.lstrip().startswith(b"#"):
                continue
            if heading and _is_heading(words):
                heading = False
                continue
            heading = False
            if len(words) != width:
                problems.append(_wrong_width(line, number, words, width, file, hint))
            elif not _is_whole(words[-1]):
                message = f'the relevance "{words[-1].decode()}" is not a whole number'
                problems.append(word_problem(line, number, _last(line), message, file=file, hint=hint))
            else:
                _take(found, words, line, number, file, problems)
            if not found and len(problems) - before >= MANY:
                return found
    return found


def _tsv_words(line: bytes) -> Sequence[bytes]:
    words = [word.strip() for word in line.rstrip(b"\r").split(b"\t")]
    return words if any(words) else ()


def _is_whole(word: bytes) -> bool:
    return _WHOLE.fullmatch(word.strip()) is not None


def _is_heading(words: Sequence[bytes]) -> bool:
    return words[-1].strip().lower() in (b"score", b"relevance", b"rel") and not _is_whole(words[-1])


def _last(line: bytes) -> int:
    return len(line.split()) - 1


def _take(
    found: dict[str, Question], words: Sequence[bytes], line: bytes, number: int, file: str, problems: list[Problem]
) -> None:
    name, key, relevance = words[0].decode(), words[-2].decode(), int(words[-1])
    if not name or not key:
        noun = "question" if not name else "document"
        problems.append(word_problem(line, number, 0, f"the line has no {noun}", file=file, hint=BEIR_HINT))
        return
    question = found.get(name)
    if question is None:
        found[name] = Question(number, {key: relevance})
    elif key not in question.judged:
        question.judged[key] = relevance
    elif question.judged[key] == relevance:
        message = f'"{key}" is judged twice for question "{name}", both times {relevance}'
        problems.append(word_problem(line, number, _last(line) - 1, message, file=file, severity="warning"))
    else:
        message = f'"{key}" is judged twice for question "{name}": {question.judged[key]} before, {relevance} here'
        hint = "Only the first judgement is used; remove one of the two lines."
        problems.append(word_problem(line, number, _last(line), message, file=file, hint=hint))


def _wrong_width(line: bytes, number: int, words: Sequence[bytes], width: int, file: str, hint: str) -> Problem:
    if len(words) == 5 and width == 4:
        hint += " Five columns are preferences or judgement groups, which are not supported."
    if len(words) == 6 and width == 4:
        hint += " Six columns are a run: give it as --predictions."
    message = f"{count_of(len(words), 'column')} where {width} are expected"
    return word_problem(line, number, min(width, len(words)), message, file=file, hint=hint)
