"""Cases as entries of their files: one taken from its file, and new ones put into it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
import yaml

from karat.core.case_files.case_text import case_text
from karat.core.case_files.drafts import DRAFT
from karat.core.case_files.import_rows import unique
from karat.core.files.limits import FILE_MB
from karat.core.files.reading import read_bytes
from karat.core.json_types import Json, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase
from karat.core.yaml.append import as_lines, with_entries
from karat.verbs.cases.listing import loaded
from karat.verbs.cases.try_change import try_files, write_tried
from karat.verbs.inputs.work import Work

DRAFTS = "drafts.yaml"


def entry_of(work: Work, case: AnyCase) -> JsonObject:
    """The case as its file has it."""
    if work.suite.entry is not None and (own := work.suite.entry(case)):
        return dict(own)
    data = read_bytes(Path(case.source.file), FILE_MB)
    piece = case_text(data, case.source)
    if piece.form == "file":
        raise UserError(
            f'the case "{case.id}" cannot be copied from a file of this form: {case.source.file}',
            hint=as_lines(case.source.file, data)
            or "Cases in YAML, JSON or JSONL can be: write the file as one of them first.",
        )
    found = json.loads(piece.text) if piece.form == "line" else yaml.load(piece.text, Loader=yaml.CBaseLoader)  # noqa: S506 (plain texts)
    return dict(found)


def id_key(work: Work, cases: Sequence[AnyCase]) -> str:
    """The key that the id of a case is under."""
    for case in cases:
        entry = entry_of(work, case)
        named = [key for key, value in entry.items() if value == case.id]
        if named:
            return str(named[0])
    return "id"


def file_to_extend(work: Work, to: Path | None) -> Path:
    """Where new cases belong: the file that was named, the only case file, or a file for drafts beside several."""
    if to is not None:
        return to
    files = {case.source.file for case in loaded(work).cases}
    if len(files) == 1 and (only := Path(next(iter(files)))).is_file():
        return only
    return (work.cases if work.cases.is_dir() else work.cases.parent) / DRAFTS


def contents_with(work: Work, entries: Sequence[JsonObject], to: Path | None) -> dict[Path, bytes]:
    """File → what it holds with the new entries."""
    if work.suite.add_entries is not None and (own := work.suite.add_entries(work.cases, entries)):
        return dict(own)
    file = file_to_extend(work, to)
    data = read_bytes(file, FILE_MB) if file.exists() else b""
    return {file: with_entries(data, file.name, entries)}


def with_ids(entries: Iterable[JsonObject], key: str, taken: set[str], base: str) -> list[JsonObject]:
    """The entries as drafts, each with an id that no case has yet."""
    found = []
    for number, entry in enumerate(entries, start=1):
        wanted = str(entry.get(key) or f"{base}-{number}")
        rest = {name: value for name, value in entry.items() if name not in (key, "status")}
        found.append({key: unique(wanted, taken), "status": DRAFT, **rest})
    return found


def good_entries(
    work: Work, entries: Sequence[JsonObject], to: Path | None
) -> tuple[list[JsonObject], list[tuple[JsonObject, Sequence[Problem]]]]:
    """(entries that can be read, checked and executed; the others with what is wrong)."""
    good: list[JsonObject] = []
    bad: list[tuple[JsonObject, Sequence[Problem]]] = []
    for entry in entries:
        try:
            problems = _wrong(work, entry, to)
        except UserError as error:
            problems = error.problems or (Problem(error.message, hint=error.hint),)
        if problems:
            bad.append((entry, problems))
        else:
            good.append(entry)
    return good, bad


def _wrong(work: Work, entry: JsonObject, to: Path | None) -> Sequence[Problem]:
    contents = contents_with(work, [entry], to)
    file = next(iter(contents))
    there = loaded(work).cases
    if not file.exists():  # a file that is not there cannot be pretended: it is tried as values
        from karat.verbs.inputs.loading import read_cases

        read = read_cases(work.suite, [entry], str(file.parent))
        problems, cases = [one for one in read.problems if one.severity == "error"], read.cases
    else:
        before = {case.id for case in there}
        tried = try_files(work, contents)
        problems = [one for one in tried.problems if one.severity == "error"]
        cases = tuple(case for case in tried.loaded.cases if case.id not in before)
    if problems or not cases:
        # Their lines are those of a file with the entry in it, which is never written.
        unplaced = [msgspec.structs.replace(one, file="", line=0, column=0) for one in problems]
        return unplaced or (Problem("no case can be read from it"),)
    asked = {_question(case) for case in there} - {""}
    if repeated := next((case for case in cases if _question(case) in asked), None):
        return [Problem(f"this question is there already: {repeated.question}")]
    why = [said for case in cases if (said := work.suite.try_target(case, work.options))]
    return [Problem(said) for said in why]


def _question(case: AnyCase) -> str:
    """The question as it counts when two are compared."""
    return " ".join(case.question.casefold().split())


def write_entries(work: Work, entries: Sequence[JsonObject], to: Path | None) -> list[Path]:
    """Put the entries into their file; returns the files that changed."""
    contents = contents_with(work, entries, to)
    write_tried(work, contents, "the new cases")
    return list(contents)


def replaced(value: Json, old: str, new: str) -> tuple[Json, bool]:
    """The value with the first text that is ``old`` replaced, and whether there was one."""
    if value == old:
        return new, True
    if isinstance(value, dict | list):
        pairs = list(value.items() if isinstance(value, dict) else enumerate(value))
        for place, (key, part) in reversed(list(enumerate(pairs))):
            changed, done = replaced(part, old, new)
            if done:
                pairs[place] = (key, changed)
                return (dict(pairs) if isinstance(value, dict) else [part for _, part in pairs]), True
    return value, False
