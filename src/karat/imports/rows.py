"""Rows of a file, with the columns that were chosen, as rows that a suite makes cases of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from karat.core.case_files.import_rows import ImportRow, id_for
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem
from karat.imports.fields import COMMON, DIMENSION, IGNORED, value_of
from karat.imports.source import Source


def rows_for(source: Source, fields: Mapping[str, Sequence[str]]) -> tuple[list[ImportRow], list[Problem]]:
    """The rows that have a question, and why the others are left out."""
    rows: list[ImportRow] = []
    problems: list[Problem] = []
    taken: set[str] = set()
    for row in source.rows:
        cells = row.cells
        question, before = asked(value_of(cells, fields["question"]))
        if not question.strip():
            problems.append(Problem("the question is empty", line=row.line))
            continue
        given = value_of(cells, fields.get("id", ()))
        repeat = value_of(cells, fields.get("repeat", ()))
        name = _text(given).strip() if given not in (None, "") else ""
        rows.append(
            ImportRow(
                line=row.line,
                id=name or id_for(question, taken),
                question=question.strip(),
                expected=value_of(cells, fields.get("expected", ())),
                answer=said(value_of(cells, fields.get("answer", ()))),
                before=before,
                tags=_tags(value_of(cells, fields.get("tags", ()))),
                repeat=int(repeat)
                if isinstance(repeat, int | float) or (isinstance(repeat, str) and repeat.isdigit())
                else 0,
                error=str(value_of(cells, fields.get("error", ())) or ""),
                columns={field: value_of(cells, names) for field, names in fields.items() if field not in COMMON},
                terms={column.rpartition(".")[2] or column: cells.get(column) for column in fields.get(DIMENSION, ())},
            )
        )
    return rows, problems


def unused(source: Source, fields: Mapping[str, Sequence[str]]) -> list[str]:
    """Columns that became nothing."""
    used = {column for field, columns in fields.items() if field != IGNORED for column in columns}
    return [column for column in source.columns if column not in used]


def asked(value: Json) -> tuple[str, tuple[tuple[str, str], ...]]:
    """(the question, what was said before it): a text, or messages of which the last of the user is the question."""
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, Mapping) and "content" in value:
        value = [value]
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "content" in one for one in value):
        turns = [(_role(one), _content(one["content"])) for one in value]
        users = [place for place, (role, _) in enumerate(turns) if role == "user"]
        if not users:
            return "", ()
        return turns[users[-1]][1], tuple(turns[: users[-1]])
    return ("" if value is None else _text(value)), ()


def _role(message: JsonMapping) -> str:
    role = str(message.get("role") or message.get("type") or "user").lower()
    return {"human": "user", "ai": "assistant"}.get(role, role)


def _content(content: Json) -> str:
    if isinstance(content, list):
        return "".join(part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content)
    return "" if content is None else str(content)


def said(value: Json) -> Json:
    """An answer: the text of a message where it is one."""
    if isinstance(value, str) and not value.strip():
        return None
    if isinstance(value, Mapping) and "role" in value and "content" in value:
        return _content(value["content"])
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and "role" in one for one in value):
        last = [one for one in value if _role(one) == "assistant"]
        return _content(last[-1].get("content")) if last else None
    return value


def _text(value: Json) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _tags(value: Json) -> tuple[str, ...]:
    if value in (None, ""):
        return ()
    parts = value if isinstance(value, list) else re.split(r"[;,|\n]", _text(value))
    return tuple(dict.fromkeys(text for part in parts if (text := str(part).strip())))
