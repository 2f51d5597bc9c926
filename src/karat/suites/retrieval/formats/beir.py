"""BEIR folders: ``queries.jsonl`` has the questions, ``qrels/*.tsv`` what is relevant, ``corpus.jsonl`` the documents.
Each may end in ``.gz``."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import msgspec

from karat.core.files.json import BadJson, decode_as
from karat.core.files.lines import each_line
from karat.core.json_types import Json
from karat.core.problems import Problem, UserError
from karat.suites.retrieval.formats.lines import blocks, shown_name

QUERIES = "queries.jsonl"
CORPUS = "corpus.jsonl"
QRELS = "qrels"
USUAL_SPLIT = "test"


class Query(msgspec.Struct, frozen=True):
    """A line of ``queries.jsonl``. Beside BEIR's own keys it may say that it is a draft, and what it rephrases."""

    id: str | int = msgspec.field(name="_id")
    """The question's id."""
    text: str = ""
    """The question."""
    status: str = ""
    """``draft``: proposed by a program and not scored until a person accepts it."""
    cluster: str = ""
    """The same for all rephrasings of one question; they count as one case in intervals."""
    expect: Json = None
    """What is asserted about the way to the answer."""


class _Document(msgspec.Struct, frozen=True):
    id: str | int = msgspec.field(name="_id")


def packed_or_not(file: Path) -> Path | None:
    """The file, or the same with ``.gz``; None when neither is there."""
    return next((found for found in (file, file.with_name(f"{file.name}.gz")) if found.is_file()), None)


def splits(folder: Path) -> list[Path]:
    """The qrels of a folder."""
    held = folder / QRELS
    names = ("*.tsv", "*.tsv.gz")
    return sorted(file for name in names for file in held.glob(name) if not file.name.startswith("."))


def is_beir(folder: Path) -> bool:
    """Whether a folder is laid out as BEIR's are."""
    return packed_or_not(folder / QUERIES) is not None and bool(splits(folder))


def qrels_of(folder: Path) -> Path:
    """The qrels to use: the only ones there are, else ``test``."""
    found = splits(folder)
    usual = [file for file in found if file.name.partition(".")[0] == USUAL_SPLIT]
    for choice in (found, usual):
        if len(choice) == 1:
            return choice[0]
    if found:
        names = ", ".join(f"{QRELS}/{file.name}" for file in found)
        raise UserError(f"there are several qrels in {folder}: {names}", hint="Give the file you mean.")
    hint = f"A BEIR folder contains {QUERIES} and {QRELS}/test.tsv; or give a TREC qrels file."
    raise UserError(f"there are no cases in {folder}: no {QRELS}/*.tsv", hint=hint)


def folder_of(qrels: Path) -> Path | None:
    """The BEIR folder in which a qrels file lies; None when it lies elsewhere."""
    folder = qrels.parent.parent
    return folder if qrels.parent.name == QRELS and packed_or_not(folder / QUERIES) else None


def queries_of(folder: Path, wanted: Collection[str], problems: list[Problem]) -> dict[str, Query]:
    """Question id → its line, for the wanted ones. A line that cannot be read costs only itself."""
    path = packed_or_not(folder / QUERIES)
    if path is None:
        return {}
    decoder = msgspec.json.Decoder(Query)
    file = shown_name(path)
    found: dict[str, Query] = {}
    for first, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                query = decode_as(line, decoder)
            except BadJson as error:
                hint = 'A line is {"_id": "q1", "text": "the question"}.'
                problems.append(error.problem(file, number, what="not a question", hint=hint))
                continue
            if str(query.id) in wanted:
                found[str(query.id)] = query
    return found


def not_in_corpus(folder: Path, wanted: Collection[str], problems: list[Problem]) -> set[str]:
    """Which of the wanted documents the corpus lacks; none when there is no corpus to look into."""
    path = packed_or_not(folder / CORPUS)
    if path is None:
        return set()
    decoder = msgspec.json.Decoder(_Document)
    file = shown_name(path)
    missing = set(wanted)
    for first, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                missing.discard(str(decode_as(line, decoder).id))
            except BadJson as error:
                hint = 'A line is {"_id": "d1", "title": "…", "text": "…"}.'
                problems.append(error.problem(file, number, what="not a document", hint=hint))
    return missing


def line_of(path: Path, name: str) -> int:
    """The line of a question in ``queries.jsonl``. UserError where it has none."""
    for number, line in each_line(path):
        try:
            if str(msgspec.json.decode(line, type=_Document).id) == name:
                return number
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    raise UserError(f'there is no question "{name}" in {path}')


def documents_of(folder: Path) -> list[str]:
    """The ids of the corpus, in its order; empty when there is none."""
    path = packed_or_not(folder / CORPUS)
    found: list[str] = []
    for _, line in each_line(path) if path is not None else ():
        try:
            found.append(str(msgspec.json.decode(line, type=_Document).id))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    return found
