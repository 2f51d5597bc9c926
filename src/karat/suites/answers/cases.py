"""Gold sets as cases: one instance, one case, whose only user turn carries the :class:`Gold`.

Three families, told apart by the file and the row:

- contract: ``evaluation`` is an object or a list of objects; files lie in ``GOLD_DIR/<instance_id>/<name>``;
- flat: ``condition_cols`` and ``ignore_order`` in the row itself; files are ``exec_result/<id>.csv`` or ``<id>_a.csv,
  <id>_b.csv, …`` in the order of their names, any of which may pass;
- own: a file named ``karat_gold.jsonl``; the contract's rows with the optional keys ``ties``, ``as_of`` and ``status``,
  and files also directly in ``GOLD_DIR``.

An instance whose gold cannot be used still loads, with the status ``unreadable`` and the reason: a broken gold is not a
wrong answer. ``Entry.gold_files`` are in the order of ``parameters["gold"]``, so that conditions pair with them; a
file that is not there keeps its place.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal, cast, get_args  # Any: a part of a gold row, and the truth that is hashed

import msgspec

from karat.core.case_files.drafts import DRAFT, status_in
from karat.core.case_files.loaded import GIVEN, LoadedCases, all_cases
from karat.core.expect.reading import read_expect
from karat.core.expect.records import Expect
from karat.core.files.reading import FileRefused, open_bytes, read_text, why_not_there
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, UserError, did_you_mean
from karat.core.records import Case, Turn, Where
from karat.suites.answers.gold.lfs_pointers import POINTER, is_pointer
from karat.suites.answers.gold.loose_json import NotClean, ReadObject, clean_objects, read_file
from karat.suites.answers.gold.row_keys import NO_FILE, STATED, usable_keys
from karat.suites.answers.records import Entry, Function, Gold, GoldStatus
from karat.suites.answers.spider2.questions import gold_beside, is_spider2_questions, with_questions
from karat.suites.answers.submission.safe_paths import OutsideFolder, inside
from karat.suites.answers.text_to_sql.files.questions import is_question_file, load_questions

Family = Literal["contract", "flat", "own"]

OWN_FILE = "karat_gold.jsonl"
FLAT_FOLDER = "exec_result"
SQL_FOLDER = "sql"
FUNCTIONS = get_args(Function)
FILE_FUNCTIONS = ("table_match", "tables_match", "duckdb_match")
STATUSES = get_args(GoldStatus)
FLAT_KEYS = ("condition_cols", "ignore_order")
OWN_KEYS = ("ties", "as_of", "status")
NOT_METADATA = {"expect", "instance_id", "evaluation", "temporal", "tags", "cluster", *FLAT_KEYS}


def load_cases(path: Path) -> LoadedCases:
    """Every instance of a gold folder, or of the ``.jsonl`` file in it."""
    if is_question_file(path) or _cannot_be_gold(path):
        return load_questions(path)
    if is_spider2_questions(path):
        return with_questions(load_cases(gold_beside(path)), path)
    file = gold_file(path)
    try:
        rows, problems = read_file(file)
    except FileRefused:
        raise
    except OSError as error:
        raise UserError(f"cannot read the gold at {file}: {error.strerror}") from error
    return all_cases((*problems, *_from_rows(rows, _ids(rows), file, own=file.name == OWN_FILE)), 1)


def stream_cases(path: Path) -> Iterator[Case[Gold] | Problem]:
    """The same, one after the other. A file of questions, and one that is not clean JSONL, is read as a whole."""
    try:
        whole = is_question_file(path) or _cannot_be_gold(path) or is_spider2_questions(path)
        file = path if whole else gold_file(path)
        ids = set[str]() if whole else _ids(clean_objects(file))
    except (NotClean, OSError):
        whole = True
    if whole:
        loaded = load_cases(path)
        yield from loaded.cases
        yield from loaded.problems
        return
    try:
        yield from _from_rows(clean_objects(file), ids, file, own=file.name == OWN_FILE)
    except NotClean:
        raise UserError(f"{file} has changed while it was read", hint="Start again.") from None


def _cannot_be_gold(path: Path) -> bool:
    """A file in a form that only questions have: its faults are reported in the terms of that form."""
    return path.is_file() and path.name.lower().removesuffix(".gz").endswith((".yaml", ".yml", ".csv", ".tsv"))


def cases_from(rows: Sequence[JsonMapping], folder: Path) -> LoadedCases:
    """Gold rows that are given as Python values, in the own form; their files lie in ``folder`` or in a folder of the
    instance there."""
    read = [ReadObject(dict(row), number, "") for number, row in enumerate(rows, start=1)]
    return all_cases(_from_rows(read, _ids(read), folder / GIVEN, own=True), 1)


def _ids(rows: Iterable[ReadObject]) -> set[str]:
    return {str(row.value.get("instance_id")) for row in rows}


def _from_rows(rows: Iterable[ReadObject], ids: set[str], file: Path, *, own: bool) -> Iterator[Case[Gold] | Problem]:
    folder = GoldFolder(file.parent, ids, own=own)
    first: dict[str, int] = {}
    for item, row in enumerate(rows):
        name = row.value.get("instance_id")
        if not isinstance(name, str) or not name.strip():
            hint = "It must be a string." if "instance_id" in row.value else did_you_mean("instance_id", row.value)
            yield Problem('a gold row without "instance_id"', file=str(file), line=row.line, hint=hint)
        elif name in first:
            message = f'the instance "{name}" appears twice: also in line {first[name]}'
            hint = "An instance has one row; only the first of the two is used."
            yield Problem(message, file=str(file), line=row.line, hint=hint)
        else:
            first[name] = row.line
            expect, problems = read_expect(row.value.get("expect"), str(file), row.line)
            yield from problems
            gold, faults = usable_keys(folder.gold(name, row.value), row.value)
            for what, hint, severity in faults:
                yield Problem(f"{name}: {what}", file=str(file), line=row.line, hint=hint, severity=severity)
            where = Where(str(file), 0, item, row.line)
            yield _case(gold, row.value, where, None if problems else expect)


def gold_file(path: Path) -> Path:
    """The one ``.jsonl`` file that holds the gold of a folder."""
    if path.is_file():
        return path
    if not path.is_dir():
        raise UserError(f"there is no gold at {path}: {why_not_there(path)}", hint="Give the gold folder.")
    found = sorted(file for file in path.glob("*.jsonl") if not file.name.startswith(".") and file.is_file())
    own = [file for file in found if file.name == OWN_FILE]
    public = [file for file in found if file.name.endswith("_eval.jsonl")]
    for choice in (own, public, found):
        if len(choice) == 1:
            return choice[0]
    if found:
        names = ", ".join(file.name for file in public or found)
        raise UserError(f"there are several gold files in {path}: {names}", hint="Give the one you mean.")
    nested = sorted(path.glob("*/*_eval.jsonl"))
    hint = (
        f"Did you mean {nested[0].parent}?"
        if nested
        else "A gold folder contains spider2_eval.jsonl or another .jsonl file."
    )
    raise UserError(f"there is no .jsonl file in the gold folder {path}", hint=hint)


def recognises(path: Path) -> bool:
    """A gold file, or a folder that holds one: JSON lines that name an ``instance_id``."""
    if is_question_file(path):
        return True
    files = [path] if path.is_file() else sorted(path.glob("*.jsonl"))
    return any(file.suffix == ".jsonl" and b'"instance_id"' in _beginning(file) for file in files)


def _beginning(file: Path) -> bytes:
    try:
        with open_bytes(file) as opened:
            return opened.read(64 * 1024)
    except OSError:
        return b""


def truth(case: Case[Gold]) -> Any:
    """What the gold of an instance says, with the contents of its files and without where they lie."""
    golds = [turn.target for turn in case.conversation if turn.target is not None]
    return [
        (
            msgspec.structs.replace(gold, sql="", entries=(), status="good", problem=""),
            [(entry.func, entry.parameters, [_digest(file) for file in entry.gold_files]) for entry in gold.entries],
            _digest(gold.sql) if gold.sql else "",
        )
        for gold in golds
    ]


def _digest(file: str) -> str:
    try:
        with open(file, "rb") as handle:  # noqa: PTH123 (thousands of files; a Path costs more)
            return hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    except OSError:
        return ""


def gold_sql(gold: Gold) -> str:
    """The SQL that recomputes a gold: from its file, or as it is in ``parameters.sql``; empty when there is
    none."""
    return read_text(gold.sql) if gold.sql else next(_sql_texts(gold.entries), "")


def missing_files(entry: Entry) -> list[str]:
    """The gold files of an entry that are not there."""
    return [file for file in entry.gold_files if not Path(file).is_file()]


def _case(gold: Gold, row: JsonObject, source: Where, expect: Expect | None) -> Case[Gold]:
    asked = next((row[key] for key in ("instruction", "question") if isinstance(row.get(key), str)), "")
    tags: list[str] = []
    for key in ("type", "tags"):
        values = row.get(key)
        tags += [str(value) for value in (values if isinstance(values, list) else [values]) if value not in (None, "")]
    left_out = NOT_METADATA.union(OWN_KEYS) if gold.family == "own" or status_in(row) == DRAFT else NOT_METADATA
    metadata = {key: value for key, value in row.items() if key not in left_out}
    only_expects = expect is not None and "evaluation" not in row and not any(key in row for key in FLAT_KEYS)
    turn = Turn(role="user", content=asked, target=None if only_expects else gold, expect=expect)
    return Case(
        gold.instance_id,
        (turn,),
        tags=tuple(dict.fromkeys(tags)),
        metadata=metadata,
        source=source,
        status=status_in(row),
        cluster=str(row.get("cluster") or ""),
    )


class GoldFolder:
    """A gold folder with the ids in its gold file. ``exec_result`` is listed once, not for every instance."""

    def __init__(self, root: Path, ids: set[str], *, own: bool) -> None:
        self.root = root
        self.ids = ids
        self.own = own
        self._flat: dict[str, list[tuple[str, str]]] | None = None
        self._has_sql = (root / SQL_FOLDER).is_dir()

    def gold(self, name: str, row: JsonObject) -> Gold:
        """The gold of one row. Whatever is wrong with it is said in its ``problem``; nothing is raised."""
        evaluation = row.get("evaluation")
        flat = evaluation is None and any(key in row for key in FLAT_KEYS)
        parts = evaluation if isinstance(evaluation, list) else [evaluation] if evaluation else []
        found = [self._flat_entry(name, row)] if flat else [self._entry(name, part) for part in parts]
        entries = tuple(entry for entry in found if isinstance(entry, Entry))
        troubles = [trouble for trouble in found if isinstance(trouble, str)]
        temporal = row.get("temporal") is True or any(isinstance(p, dict) and p.get("temporal") is True for p in parts)
        sql = self._sql(name, entries)
        recomputed = temporal and bool(entries) and bool(sql or next(_sql_texts(entries), ""))
        missing = [missing_files(entry) for entry in entries]
        if not recomputed:
            troubles += [self._no_file(files) for files in missing if files]
        pointers = [[file for file in entry.gold_files if is_pointer(file)] for entry in entries]
        if not recomputed:
            troubles += [self._only_pointers(files) for files in pointers if files]
        unusable = [len(files) + len(more) for files, more in zip(missing, pointers, strict=True)]
        usable = recomputed or any(map(_can_judge, entries, unusable))
        if not usable and not troubles:
            said = 'the row has no "evaluation"' if not found else "the row does not say what the right answer is"
            troubles = [f"{said}, and there is no gold SQL to compute it" if temporal else said]
        stated = cast("GoldStatus", row["status"]) if row.get("status") in STATUSES else "good"
        status: GoldStatus = "unreadable" if not usable else "suspect" if troubles and stated == "good" else stated
        return Gold(
            name,
            entries,
            "own" if self.own else "flat" if flat else "contract",
            temporal=temporal,
            sql=sql,
            as_of=str(row.get("as_of") or ""),
            ties=row["ties"] if isinstance(row.get("ties"), dict) else None,
            status=status,
            problem="; ".join(troubles) or (f"{STATED}: {status}" if status != "good" else ""),
        )

    def _entry(self, name: str, part: Any) -> Entry | str:
        """An entry of an evaluation, or why it is not valid."""
        if not isinstance(part, dict):
            return f"an evaluation must be an object, not {part!r:.60}"
        func, parameters = part.get("func"), part.get("parameters", {})
        if func not in FUNCTIONS:
            said = f'there is no function "{func}"' if func else 'an evaluation has no "func"'
            return f"{said}. {did_you_mean(str(func or ''), FUNCTIONS)}".strip()
        if not isinstance(parameters, dict):
            return f'the "parameters" of {func} must be an object'
        if func not in FILE_FUNCTIONS:
            return Entry(cast("Function", func), parameters)
        wanted = parameters.get("gold")
        names = wanted if isinstance(wanted, list) else [] if wanted is None else [wanted]
        if not all(isinstance(file, str) for file in names):
            return f'the "gold" of {func} must name files'
        try:
            return Entry(cast("Function", func), parameters, tuple(str(self._file(name, file)) for file in names))
        except OutsideFolder as error:
            return f"the gold file {error}"

    def _file(self, name: str, file: str) -> Path:
        place = inside(self.root, file, under=name)
        beside = inside(self.root, file) if self.own and not place.exists() else place
        return beside if beside.exists() else place

    def _no_file(self, files: Sequence[str]) -> str:
        return f"{NO_FILE} {self._inside(files)}"

    def _only_pointers(self, files: Sequence[str]) -> str:
        return f"{POINTER} {self._inside(files)}: run git lfs pull where it comes from"

    def _inside(self, files: Sequence[str]) -> str:
        root = self.root.resolve()
        return ", ".join(str(Path(file).relative_to(root)) for file in files)

    def _flat_entry(self, name: str, row: JsonObject) -> Entry | str:
        try:
            found = self._flat_files(name)
        except OutsideFolder as error:
            return f"the gold file {error}"
        files = {file: path for file, path in found if file == f"{name}.csv" or file[:-4] not in self.ids}
        if not files:
            return f"{NO_FILE} {FLAT_FOLDER}/{name}.csv, nor {name}_a.csv"
        if "" in files.values():
            refused = ", ".join(file for file, path in files.items() if not path)
            return f"the gold file {FLAT_FOLDER}/{refused} is a link that points outside the gold folder"
        parameters = {"gold": list(files), **{key: row[key] for key in FLAT_KEYS if key in row}}
        return Entry("table_match", parameters, tuple(files.values()))

    def _flat_files(self, name: str) -> list[tuple[str, str]]:
        """``<id>.csv``, then ``<id>_a.csv``, ``<id>_b.csv``, … as far as they are there, with their paths."""
        if self._flat is None:
            found: dict[str, list[tuple[str, str]]] = {}
            for file, path in self._listed():
                if match := re.fullmatch(r"(.+?)(_[a-z])?\.csv", file):
                    for key in {match[1], file[:-4]}:
                        found.setdefault(key, []).append((file, path))
            self._flat = found
        return self._flat.get(name, [])

    def _listed(self) -> Iterator[tuple[str, str]]:
        """The files of ``exec_result``; a link that may not be followed has no path.

        The folder is confined once; after that only links need a closer look.
        """
        folder = self.root / FLAT_FOLDER
        base = inside(self.root, f"{FLAT_FOLDER}/any.csv").parent
        with os.scandir(folder) if folder.is_dir() else nullcontext(()) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                if entry.is_file(follow_symlinks=False):
                    yield entry.name, f"{base}{os.sep}{entry.name}"
                elif entry.is_symlink():
                    try:
                        yield entry.name, str(inside(self.root, f"{FLAT_FOLDER}/{entry.name}"))
                    except OutsideFolder:
                        yield entry.name, ""

    def _sql(self, name: str, entries: Sequence[Entry]) -> str:
        """The file with the gold SQL: the one that ``parameters.sql`` names, else ``sql/<id>.sql``."""
        named = [text for e in entries if isinstance(text := e.parameters.get("sql"), str) and _is_sql_name(text)]
        usual = [f"{SQL_FOLDER}/{name}.sql"] if self._has_sql else []
        for relative in (*(f"{place}/{text}" for text in named for place in (name, SQL_FOLDER)), *usual):
            try:
                place = inside(self.root, relative)
            except OutsideFolder:
                continue
            if place.is_file():
                return str(place)
        return ""


def _can_judge(entry: Entry, unusable: int) -> bool:
    """Whether an entry says what is right: one gold table is enough where any may pass, else all must be there."""
    if entry.func not in FILE_FUNCTIONS:
        return entry.parameters.get("gold") not in (None, [], "")
    return unusable < len(entry.gold_files) if entry.func == "table_match" else bool(entry.gold_files) and not unusable


def _sql_texts(entries: Sequence[Entry]) -> Iterator[str]:
    """SQL that is in the gold row itself."""
    for entry in entries:
        text = entry.parameters.get("sql")
        if isinstance(text, str) and text.strip() and not _is_sql_name(text):
            yield text


def _is_sql_name(text: str) -> bool:
    return text.strip().lower().endswith(".sql") and len(text.split()) == 1
