"""``karat cases add``: cases from what is there already: a stored answer, a log of conversations, a row of a table.

A stored answer that a person calls right becomes part of its case: the old target stays right too. Rows of a log or a
table become new cases. Where such a row says what was answered and not what is right, the answer is taken as the target
and the case is a draft.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import yaml

from karat.core.case_files.case_checks import Edit
from karat.core.case_files.drafts import DRAFT
from karat.core.case_files.import_rows import Imported, unique
from karat.core.files.atomic import write_bytes
from karat.core.files.limits import FILE_MB
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import Problem, UserError
from karat.core.suite import Suite
from karat.core.trace.values import words
from karat.imports.ambiguity import Unclear
from karat.imports.fields import fields_of
from karat.imports.reading import read_source
from karat.imports.rows import rows_for
from karat.imports.source import Source
from karat.store.store import Store
from karat.verbs.cases.entries import contents_with, id_key
from karat.verbs.cases.listing import loaded
from karat.verbs.cases.try_change import write_tried
from karat.verbs.inputs.work import Work

CONVERSATIONS = ("messages", "conversation", "turns", "dialogue")
ANSWERS = ("answer", "response", "output", "reply", "completion")


class Added(msgspec.Struct, frozen=True):
    """What was written: the ids of new or changed cases, the drafts among them, the files, and what was left out."""

    cases: tuple[str, ...]
    drafts: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    left_out: tuple[Problem, ...] = ()


def add_answer(work: Work, store: Store, run: str, case: str, *, turn: int = 0, repeat: int = 0) -> Added:
    """Make a stored answer a right one: the case file is changed so that the rule takes it, too."""
    from karat.runs.baseline import find_run

    run_id = find_run(store, run)
    record = store.run(run_id)
    if record.suite != work.suite.name:
        raise UserError(f"the run is of the suite {record.suite}, not of {work.suite.name}", hint="Add --suite.")
    if work.suite.accept is None:
        raise UserError(f"the suite {work.suite.name} cannot take an answer as a target")
    now = {one.id: one for one in loaded(work).cases}
    if case not in now:
        raise UserError(f'there is no case "{case}" in {work.cases}', hint="karat cases list shows the cases.")
    given = [one for one in store.case_predictions(run_id, [case]) if (one.turn or 0, one.repeat) == (turn, repeat)]
    answers = [one for one in given if one.error is None]
    if not answers:
        raise UserError(f'the run has no answer to "{case}", turn {turn}, repeat {repeat}')
    options = msgspec.convert(record.options, work.suite.options)
    edits: Sequence[Edit] = work.suite.accept(now[case], answers[-1], work.cases, options)
    contents = {edit.file: edit.content for edit in edits}
    existing = {file: content for file, content in contents.items() if file.exists()}
    for file, content in contents.items():  # new files first: the case file names them
        if file not in existing:
            write_bytes(file, content)
    write_tried(work, existing, f'the answer to "{case}"')
    return Added((case,), files=tuple(str(file) for file in contents))


def add_rows(
    work: Work,
    file: Path,
    *,
    rows: Sequence[int] = (),
    maps: Mapping[str, Sequence[str]] | None = None,
    sheet: str = "",
    to: Path | None = None,
) -> Added:
    """Add the rows of a table or a log. ``rows``: only these lines, or items counted from 1; all by default."""
    if work.suite.import_rows is None:
        raise UserError(f"the suite {work.suite.name} cannot make cases of rows")
    source = _split_conversations(read_source(file, sheet))
    given = {field: list(columns) for field, columns in (maps or {}).items()}
    fields, from_answers = _fields(source, work.suite, given)
    found, empty = rows_for(source, fields)
    chosen = [row for row in found if not rows or row.line in rows]
    if not chosen:
        known = ", ".join(str(row.line) for row in found[:20])
        raise UserError(f"{file} has none of these rows", hint=f"It has questions in the lines {known}.")
    unsaid = {row.id for row in chosen} if from_answers else set()
    made = work.suite.import_rows(chosen, file.resolve().parent)
    found_wanting = (*(one for one in (*source.problems, *empty) if not rows), *made.left_out)
    left_out = tuple(msgspec.structs.replace(one, file=one.file or str(file)) for one in found_wanting)
    if not made.count:
        raise UserError(f"no row of {file} can be turned into a case", problems=left_out[:20])
    return _added(work, made, unsaid, left_out, to)


def _fields(source: Source, suite: Suite, given: dict[str, list[str]]) -> tuple[dict[str, list[str]], bool]:
    """(what each column is, whether what is expected is only what was answered)."""
    try:
        return fields_of(source, suite, given), False
    except Unclear as unclear:
        answers = given.get("answer") or [name for name in source.columns if name.lower() in ANSWERS]
        if unclear.what != "expected" or len(answers) != 1:
            raise
        return fields_of(source, suite, {**given, "expected": answers}), True


def _split_conversations(source: Source) -> Source:
    """A log whose rows hold whole conversations: the last question with what was said before it, and the answer."""
    chat = next((name for name in source.columns if name.lower() in CONVERSATIONS), "")
    if not chat:
        return source
    said_apart = {name for name in source.columns if name.lower() in ("question", *ANSWERS)}
    rows = []
    for row in source.rows:
        said = row.cells.get(chat) if not said_apart & set(row.cells) else None
        messages = [one for one in said if isinstance(one, Mapping)] if isinstance(said, list) else []
        users = [place for place, one in enumerate(messages) if str(one.get("role")) in ("user", "human")]
        replies = [one for one in messages[users[-1] + 1 :] if one.get("content")] if users else []
        if not replies:
            rows.append(row)
            continue
        rest = {name: value for name, value in row.cells.items() if name != chat}
        cells = {**rest, "question": messages[: users[-1] + 1], "answer": words(replies[-1]["content"])}
        rows.append(replace(row, cells=cells))
    return replace(source, rows=rows)


def _added(work: Work, made: Imported, unsaid: set[str], left_out: Sequence[Problem], to: Path | None) -> Added:
    existing = loaded(work).cases
    key = id_key(work, existing)
    taken = {case.id for case in existing}
    entries: list[JsonObject] = []
    drafts: list[str] = []
    with tempfile.TemporaryDirectory(prefix="karat-add-") as folder:
        for entry in _entries(made, Path(folder), work):
            old = str(entry.get(key, ""))
            name = unique(old, taken)
            rest = {part: value for part, value in entry.items() if part not in (key, "status")}
            is_new_draft = old in unsaid
            entries.append({key: name, **({"status": DRAFT} if is_new_draft else {}), **rest})
            drafts += [name] if is_new_draft else []
    contents = contents_with(work, entries, to)
    base = next(iter(contents)).parent
    # a suite that writes its own entries has put everything of the new cases into these files
    beside = [*(() if work.suite.entry is not None else made.files), *made.copies]
    beside = [name for name in beside if name not in (made.cases, made.predictions)]
    beside = [name for name in beside if not made.cases or not name.endswith((".jsonl", ".yaml"))]
    for name in beside:
        place = base / Path(name).relative_to(Path(made.cases)) if name.startswith(f"{made.cases}/") else base / name
        data = made.files[name] if name in made.files else read_bytes(made.copies[name], FILE_MB)
        if place.exists() and place.read_bytes() != data:
            raise UserError(f"{place} would be overwritten", hint="Rename the file, or add the case by hand.")
        write_bytes(place, data)
    write_tried(work, contents, "the new cases")
    ids = tuple(str(entry[key]) for entry in entries)
    return Added(ids, tuple(drafts), tuple(str(file) for file in contents), tuple(left_out))


def _entries(made: Imported, folder: Path, work: Work) -> list[JsonObject]:
    """The cases that an import makes, as entries of a file."""
    for name, data in made.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    if work.suite.entry is not None:
        return [dict(work.suite.entry(case)) for case in work.suite.load_cases(folder / made.cases).cases]
    files = [name for name in made.files if name == made.cases or name.startswith(f"{made.cases}/")]
    found: list[JsonObject] = []
    for name in files:
        text = made.files[name].decode("utf-8", "replace")
        if name.endswith(".jsonl"):
            found += [msgspec.json.decode(line) for line in text.splitlines() if line.strip()]
        elif name.endswith((".yaml", ".yml")):
            for document in yaml.load_all(text, Loader=yaml.CBaseLoader):
                items = document.get("tasks", document) if isinstance(document, dict) else document
                found += items if isinstance(items, list) else [items]
    return found
