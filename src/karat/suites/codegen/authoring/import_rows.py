"""Rows of a spreadsheet or another tool's file as tasks, one JSON object a line.

What is expected is code, which becomes the reference, or a value: a number, a text, a list, a table, or the name of a
CSV or Parquet file.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from karat.core.case_files.import_rows import ImportColumns, Imported, ImportRow, unique
from karat.core.files.named_files import file_named
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem
from karat.core.remote.address import url_inside

TASKS, PREDICTIONS = "tasks.jsonl", "predictions.jsonl"
COLUMNS = ImportColumns(
    own={
        "reference": "reference referencecode code solution canonicalsolution goldcode referencesolution",
        "tables": "tables table files dataframe",
    },
    gold="reference",
)
SUFFIXES = (".csv", ".parquet", ".pq")
_FENCE = re.compile(r"\s*```[ \t]*(?:python|py|python3)?[ \t]*\n(.*?)```\s*", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class _LeftOut(Exception):
    """Why a row cannot become a task."""


def import_rows(rows: Sequence[ImportRow], folder: Path) -> Imported:
    """``tasks.jsonl``, and ``predictions.jsonl`` where there are answers."""
    made = Imported(TASKS)
    tasks: list[bytes] = []
    answers: list[bytes] = []
    seen: set[str] = set()
    references = 0
    files = _Files(folder)
    for row in rows:
        try:
            if row.id not in seen:
                right = _right(row, files)
                task = {"id": row.id, "question": row.question, **right, **_tables(row, files)}
                tasks.append(_line(task | ({"tags": list(row.tags)} if row.tags else {})))
                seen.add(row.id)
                references += "reference" in right and not task.get("tables")
                made.count += 1
            elif not row.repeat:
                raise _LeftOut(f'the id "{row.id}" appears twice')
        except _LeftOut as why:
            made.left_out.append(Problem(str(why), line=row.line))
            continue
        about = {"id": row.id} | ({"repeat": row.repeat} if row.repeat else {})
        if row.error:
            answers.append(_line(about | {"error": row.error}))
        elif row.answer is not None:
            text = row.answer if isinstance(row.answer, str) else json.dumps(row.answer, ensure_ascii=False)
            answers.append(_line(about | {"response": text}))
    made.files[TASKS] = b"".join(tasks)
    made.copies = {name: file for file, name in files.names.items()}
    if answers:
        made.predictions, made.answers = PREDICTIONS, len(answers)
        made.files[PREDICTIONS] = b"".join(answers)
    if references:
        made.notes.append(
            f"{references:,} tasks with a reference but no table: code that needs a table will fail. Give --map "
            "tables=COLUMN or --table NAME=FILE."
        )
    if any(row.before for row in rows):
        made.notes.append("the conversation before the question is left out: a task is one question")
    return made


def _line(value: JsonMapping) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def _right(row: ImportRow, files: _Files) -> JsonObject:
    """``reference`` or ``expected`` of a task, or both where the file has both."""
    found: JsonObject = {}
    code = row.columns.get("reference")
    if isinstance(code, str) and code.strip():
        found["reference"] = _bare(code)
    value = row.expected
    if isinstance(value, str) and is_code(value) and "reference" not in found:
        return {"reference": _bare(value)}
    if value is not None and value != "":
        found["expected"] = _value(value, files)
    if not found:
        raise _LeftOut("neither a reference nor an expected value is given")
    return found


def is_code(text: str) -> bool:
    """Whether a text is Python that does something, rather than a word, a number or a list."""
    if _FENCE.fullmatch(text):
        return True
    try:
        tree = ast.parse(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(isinstance(node, ast.Assign | ast.Call | ast.Import | ast.ImportFrom) for node in ast.walk(tree))


def _bare(code: str) -> str:
    fenced = _FENCE.fullmatch(code)
    return (fenced[1] if fenced else code).strip("\n")


def _value(value: object, files: _Files) -> object:
    if isinstance(value, str):
        text = value.strip()
        if text.lower().endswith(SUFFIXES) and "\n" not in text:
            return {"file": files.place(text)}
        if text[:1] in ("[", "{"):
            try:
                value = json.loads(text)
            except ValueError:
                return {"value": text}
        elif _NUMBER.fullmatch(text):
            return {"value": float(text) if re.search(r"[.eE]", text) else int(text)}
        else:
            return {"value": text}
    if isinstance(value, list) and value and all(isinstance(row, Mapping) for row in value):
        return value
    return {"value": list(value) if isinstance(value, list) else value}


def _tables(row: ImportRow, files: _Files) -> JsonObject:
    """``tables`` of a task: ``name=file`` or ``file``, several with ``;`` between them; or an object."""
    given = row.columns.get("tables")
    if given in (None, ""):
        return {}
    if isinstance(given, str) and given.lstrip().startswith("{"):
        try:
            given = json.loads(given)
        except ValueError:
            raise _LeftOut(f"the tables cannot be read: {given[:60]!r}") from None
    if isinstance(given, Mapping):
        return {"tables": {name: files.place(file) if isinstance(file, str) else file for name, file in given.items()}}
    found: dict[str, str] = {}
    for part in re.split(r"[;\n]", str(given)):
        if part.strip():
            name, equals, file = part.strip().rpartition("=")
            found[name.strip() if equals else Path(file.strip()).stem] = files.place(file.strip())
    return {"tables": found}


class _Files:
    """The tables that tasks name, and what each is called in the folder of the tasks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[Path, str] = {}
        self.taken: set[str] = set()

    def place(self, name: str) -> str:
        """The new name of a file."""
        if url := url_inside(name):
            raise _LeftOut(f'"{url}" is a URL; a row cannot name a table by a URL')
        file = file_named(self.folder, name)
        if file is None:
            raise _LeftOut(f"{name[:80]!r} cannot be the name of a file")
        if file.suffix.lower() not in SUFFIXES:
            raise _LeftOut(f'"{name}" is not a table file: these end in {", ".join(SUFFIXES)}')
        if not file.is_file():
            raise _LeftOut(f'there is no file "{name}" next to the imported file')
        if file not in self.names:
            self.names[file] = f"tables/{unique(file.stem, self.taken)}{file.suffix}"
        return self.names[file]
