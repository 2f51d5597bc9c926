"""Rows of a spreadsheet or another tool's file as a BEIR folder: the relevant ids of each question, and what was
retrieved for it.

Ids are written in a cell with ``;``, ``|`` or line breaks between them, or commas where no part has a blank in it; as a
JSON list; or as an object id → relevance.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from karat.core.case_files.import_rows import ImportColumns, Imported, ImportRow, json_in, unique
from karat.core.json_types import JsonMapping
from karat.core.problems import Problem

QUERIES, QRELS, RUN = "queries.jsonl", "qrels/test.tsv", "run.jsonl"
COLUMNS = ImportColumns(
    also={
        "expected": "relevant relevantids relevantdocs relevantdocuments relevantdocids docids docid documents "
        "documentids positives positiveids positivepassages corpusids corpusid goldids golddocs golddocuments",
        "answer": "retrieved retrievedids retrieveddocs results hits ranking",
    },
)
_SEPARATORS = ("\n", ";", "|", "\t")
_KEYS = ("id", "_id", "doc_id", "docid", "corpus-id", "corpus_id", "key")
_BAD = re.compile(r"[\t\r\n]")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


class _LeftOut(Exception):
    """Why a row cannot become a question."""


def import_rows(rows: Sequence[ImportRow], _folder: Path) -> Imported:
    """``queries.jsonl`` and ``qrels/test.tsv``; a line of results for each answer."""
    made = Imported(".")
    queries: list[bytes] = []
    judged = ["query-id\tcorpus-id\tscore\n"]
    results: list[bytes] = []
    asked: dict[str, str] = {}
    taken: set[str] = set()
    for row in rows:
        try:
            if row.id in asked:
                name = asked[row.id]
                if not row.repeat:
                    raise _LeftOut(f'the id "{row.id}" appears twice')
            else:
                truths = _relevance(row.expected)
                name = unique(_BAD.sub(" ", row.id).strip().lstrip("#") or "q", taken)
                asked[row.id] = name
                queries.append(_line({"_id": name, "text": row.question}))
                judged += [f"{name}\t{key}\t{grade}\n" for key, grade in truths.items()]
                made.count += 1
            if row.error:
                results.append(_line({"id": name, "repeat": row.repeat, "error": row.error}))
            elif row.answer is not None:
                results.append(_line({"id": name, "repeat": row.repeat, "results": _retrieved(row.answer)}))
        except _LeftOut as why:
            made.left_out.append(Problem(str(why), line=row.line))
    made.files = {QUERIES: b"".join(queries), QRELS: "".join(judged).encode()}
    if results:
        made.predictions, made.answers = RUN, len(results)
        made.files[RUN] = b"".join(results)
    if any(row.before for row in rows):
        made.notes.append("the conversation before the question is left out: a search gets only the question")
    return made


def _line(value: JsonMapping) -> bytes:
    return json.dumps({key: item for key, item in value.items() if item != 0}, ensure_ascii=False).encode() + b"\n"


def _relevance(value: object) -> dict[str, int]:
    """Document → relevance."""
    value = json_in(value)
    if isinstance(value, Mapping) and value and (_all_whole(value) or _all_written(value)):
        found = {_key(name): int(grade) for name, grade in value.items()}
    else:
        found = dict.fromkeys(_ids(value), 1)
    if not found:
        raise _LeftOut("no relevant id is given")
    return found


def _all_whole(grades: JsonMapping) -> bool:
    return all(
        isinstance(one, int | float) and not isinstance(one, bool) and float(one).is_integer()
        for one in grades.values()
    )


def _all_written(grades: JsonMapping) -> bool:
    """Whether the values are whole numbers as text, as a YAML file gives them: ``{id: 7}`` names the document 7."""
    numbers = all(isinstance(one, str) and _WHOLE.fullmatch(one) for one in grades.values())
    return numbers and not any(key in grades for key in _KEYS)


def _retrieved(value: object) -> object:
    value = json_in(value)
    if isinstance(value, Mapping) and value and all(isinstance(score, int | float) for score in value.values()):
        return {str(name): float(score) for name, score in value.items()}
    return list(dict.fromkeys(_ids(value)))


def _ids(value: object) -> list[str]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return [_key(item) for item in value if item not in (None, "")]
    if isinstance(value, Mapping):
        return [_key(value)]
    if isinstance(value, str):
        return [part.strip() for part in _split(value) if part.strip()]
    return [_key(value)]


def _split(text: str) -> list[str]:
    if any(sign in text for sign in _SEPARATORS):
        return re.split(r"[\n;|\t]", text)
    parts = [part.strip() for part in text.split(",")]
    return parts if all(part and not re.search(r"\s", part) for part in parts) else [text]


def _key(item: object) -> str:
    if isinstance(item, Mapping):
        found = next((item[key] for key in _KEYS if key in item), None)
        if found is None:
            raise _LeftOut(f"an item without an id: its keys are {', '.join(list(map(str, item))[:6])}")
        item = found
    if isinstance(item, float) and item.is_integer():
        item = int(item)
    if isinstance(item, bool) or not isinstance(item, str | int | float):
        raise _LeftOut(f"{item!r:.60} is not an id")
    name = _BAD.sub(" ", str(item)).strip()
    if not name:
        raise _LeftOut("an empty id")
    return name
