"""The documents of a ``corpus.jsonl``: the text of a document is its title, a space and its text."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.files.json import BadJson, decode_as
from karat.core.files.reading import why_not_there
from karat.core.problems import Problem, UserError
from karat.suites.retrieval.formats.lines import blocks, shown_name
from karat.suites.retrieval.judged.judgements import refuse

HINT = 'A line is {"_id": "d1", "title": "…", "text": "…"}.'


class _Document(msgspec.Struct, frozen=True):
    id: str | int = msgspec.field(name="_id")
    text: str
    title: str | None = None


def read_corpus(path: Path) -> dict[str, str]:
    """Document → text, in the order of the file. Raises :class:`UserError` with every mistake in it."""
    if not path.is_file():
        raise UserError(f"there is no corpus at {path}: {why_not_there(path, 'no such file')}", hint=HINT)
    decoder = msgspec.json.Decoder(_Document)
    file = shown_name(path)
    problems: list[Problem] = []
    found: dict[str, str] = {}
    for first, lines in blocks(path, problems):
        for number, line in enumerate(lines, start=first):
            if not line.strip():
                continue
            try:
                document = decode_as(line, decoder)
            except BadJson as error:
                problems.append(error.problem(file, number, what="not a document", hint=HINT))
                continue
            if str(document.id) in found:
                problems.append(Problem(f'the document "{document.id}" appears twice', file, number, 1))
            found[str(document.id)] = f"{document.title or ''} {document.text}".strip()
    refuse(problems, path)
    if not found:
        raise UserError(f"{path} has no documents", hint=HINT)
    return found
