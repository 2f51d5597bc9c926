"""Task files as cases: the project's own form, and DS-1000, PandasEval and DABench files as they are published.

YAML (``.yaml``, ``.yml``) and JSONL (``.jsonl``), each also packed (``.gz``), and notebooks (``.ipynb``); one file or
a folder of them. The form of
a line is recognised by its keys. The question is the user turn with the task as its target; the system turn before it
says which tables there are and how to answer.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode

from karat.core.case_files.loaded import GIVEN, LoadedCases, all_cases
from karat.core.files import json
from karat.core.files.lines import each_line
from karat.core.files.reading import FileRefused, open_unpacked, read_unpacked, why_not_there
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case, Where
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, documents
from karat.suites.codegen.benchmarks import dabench, ds1000, pandaseval
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours
from karat.suites.codegen.benchmarks.published_sets import OTHER_FORMS, left_out_problems, rows_of, set_of
from karat.suites.codegen.notebooks.cases import notebook_cases
from karat.suites.codegen.notebooks.cells import SUFFIX as NOTEBOOK
from karat.suites.codegen.records import Expected, HiddenTest, Step, TableSource, Task
from karat.suites.codegen.tasks.files import read_task, tasks_in

YAML = (".yaml", ".yml")
LINES = (".jsonl", ".jsonl.gz")
SUFFIXES = (*YAML, *LINES, NOTEBOOK)
PROJECT = "karat.yaml"
OWN_KEYS = {"tables", "reference", "expected", "tests"}

Found = Iterator[Case[Task] | Problem]


def load_cases(path: Path) -> LoadedCases:
    """Every task under a path. What cannot be read is a problem and costs nothing else."""
    return all_cases(stream_cases(path), len(list(_files(path))))


def stream_cases(path: Path) -> Found:
    """The same, one after the other: a line of a JSONL file, a document of a YAML file at a time."""
    return _without_repeated(one for file in _files(path) for one in _read(file))


def _without_repeated(found: Iterable[Case[Task] | Problem]) -> Found:
    """The cases with each id once, and a problem for every further one."""
    places: dict[str, tuple[str, int]] = {}
    for case in found:
        if isinstance(case, Problem):
            yield case
        elif case.id in places:
            file, line = places[case.id]
            message = f'the task "{case.id}" appears twice: also in {Path(file).name}, line {line}'
            hint = "Each task needs its own id; only the first of the two is used."
            yield Problem(message, file=case.source.file, line=case.source.line, hint=hint)
        else:
            places[case.id] = (case.source.file, case.source.line)
            yield case


def recognises(path: Path) -> bool:
    """A file of tasks, recognised by the keys of its first line or entry."""
    try:
        return any(_looks_like_tasks(file) for file in _files(path))
    except (UserError, OSError):
        return False


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        hint = "Give a YAML or JSONL file, or a folder of them."
        raise UserError(f"there are no tasks at {path}: {why_not_there(path)}", hint=hint)
    found = sorted(file for file in path.iterdir() if file.name.endswith(SUFFIXES) and file.name != PROJECT)
    tasks = [file for file in found if not file.name.startswith(".") and not _is_labels(file)]
    if not tasks:
        raise UserError(f"there are no tasks in {path}", hint=f"A file of tasks ends in {', '.join(SUFFIXES)}.")
    yield from tasks


def _read(file: Path) -> Found:
    try:
        if file.name.endswith(NOTEBOOK):
            yield from notebook_cases(file)
        else:
            yield from _read_yaml(file) if _is_yaml(file) else _read_lines(file)
    except FileRefused as error:
        yield error.problem
    except OSError as error:
        yield Problem(f"cannot be read: {error.strerror or error}", file=str(file))


def _is_yaml(file: Path) -> bool:
    return Path(file.name.removesuffix(".gz")).suffix in YAML


def _read_yaml(file: Path) -> Found:
    findings = Findings(str(file))
    for document, root in enumerate(documents(read_unpacked(file), findings)):
        for node, tables, item in tasks_in(root, findings):
            where = Where(str(file), document, item, node.start_mark.line + 1)
            case = read_task(node, tables, file.parent, findings, where)
            if case is not None:
                yield case
    yield from findings.problems


# -- JSONL ------------------------------------------------------------------------------------------------------------


def _read_lines(file: Path) -> Found:
    findings = Findings(str(file))
    rows = rows_of(file) if file.suffix in OTHER_FORMS else _rows(file, findings)
    return _from_rows(rows, file, findings)


def cases_from(rows: Sequence[JsonMapping], folder: Path) -> LoadedCases:
    """Tasks that are given as Python values, in any of the forms that a line of a file may have."""
    file = folder / GIVEN
    numbered = ((number, dict(row)) for number, row in enumerate(rows, start=1))
    return all_cases(_without_repeated(_from_rows(numbered, file, Findings(str(file)))))


def _from_rows(rows: Iterable[tuple[int, JsonObject]], file: Path, findings: Findings) -> Found:
    beside: dabench.Beside | None = None
    left_out: Counter[str] = Counter()
    cannot_run: list[LeftOut] = []
    neighbours = Neighbours(file)
    for number, row in rows:
        where = Where(str(file), 0, number - 1, number)
        made: Case[Task] | Problem | None
        if (published := set_of(row)) is not None:
            for one in published.read(row, neighbours, where):
                if isinstance(one, LeftOut):
                    cannot_run.append(one)
                else:
                    yield one
            continue
        if ds1000.is_problem(row):
            library = ds1000.other_library(row)
            if library:
                left_out[library] += 1
                continue
            made = ds1000.read_problem(row, where)
        elif pandaseval.is_problem(row):
            made = pandaseval.read_problem(row, where)
        elif dabench.is_question(row):
            beside = beside or dabench.Beside(file)
            made = dabench.read_question(row, beside, where)
        else:
            made = read_task(node_of(row, str(file), number), {}, file.parent, findings, where)
        if findings.problems:
            yield from findings.problems
            findings.problems.clear()
        if made is not None:
            yield made
    if left_out:
        told = ", ".join(f"{library} {count}" for library, count in left_out.most_common())
        message = f"{count_of(left_out.total(), 'problem')} of other libraries skipped: {told}"
        findings.problems.append(Problem(message, file=str(file), severity="warning"))
    yield from left_out_problems(cannot_run, str(file))
    yield from findings.problems


def _rows(file: Path, findings: Findings) -> Iterator[tuple[int, JsonObject]]:
    for number, line in each_line(file):
        try:
            row = json.decode(line)
        except json.BadJson as error:
            findings.problems.append(error.problem(str(file), number))
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            message = "not a task: a line must be a JSON object"
            findings.problems.append(Problem(message, file=str(file), line=number))


def _first_row(file: Path) -> JsonMapping:
    if file.suffix in OTHER_FORMS:
        try:
            return next((row for _, row in rows_of(file)), {})
        except (OSError, FileRefused):
            return {}
    try:
        with open_unpacked(file) as lines:
            line = lines.read(2**24).partition(b"\n")[0]
        row = json.decode(line.removeprefix(b"\xef\xbb\xbf"))
    except (OSError, json.BadJson):
        return {}
    return row if isinstance(row, dict) else {}


def _is_labels(file: Path) -> bool:
    return file.name.endswith(LINES) and dabench.is_label(_first_row(file))


def _looks_like_tasks(file: Path) -> bool:
    if file.name.endswith(NOTEBOOK):
        return True
    if _is_yaml(file):
        findings = Findings(str(file))
        for root in documents(read_unpacked(file), findings):
            for node, tables, _ in tasks_in(root, findings):
                keys = {str(key.value) for key, _ in node.value} if isinstance(node, MappingNode) else set()
                return bool(keys & {"question", "steps"}) and bool(
                    tables or keys & {"tables", "reference", "expected", "setup", "tests", "steps"}
                )
        return False
    row = _first_row(file) if file.name.endswith((*LINES, *OTHER_FORMS)) else {}
    known = (ds1000.is_problem, pandaseval.is_problem, dabench.is_question)
    own = "id" in row and ("steps" in row or ("question" in row and bool(set(row) & OWN_KEYS)))
    return any(fits(row) for fits in known) or own or set_of(row) is not None


# -- what is asked and expected ---------------------------------------------------------------------------------------


def truth(case: Case[Task]) -> object:
    """The question, the task and the contents of its tables, without where they lie and without the instructions."""
    return [(turn.content, _truth(turn.target)) for turn in case.conversation if turn.target is not None]


def _truth(task: Task) -> object:
    tables = _tables_truth(task.tables)
    expected, right = _expected_truth(task.expected)
    said: tuple[object, ...] = (tables, expected, right, task.reference, task.setup, task.template, task.answer)
    if task.harness is not None:
        said = (*said, task.harness)
    if task.files or task.unit_tests is not None:
        said = (*said, tuple(map(_digest, task.files)), task.unit_tests)
    if task.steps:
        said = (*said, task.final, tuple(map(_step_truth, task.steps)))
    if task.language != "python" or task.reference_language is not None:
        said = (*said, task.language, task.reference_language)
    return (*said, tuple(map(_test_truth, task.tests))) if task.tests else said


def _expected_truth(expected: Expected | None) -> tuple[Expected | None, str]:
    """What is expected without the places of files, and the digest of the contents of these."""
    if expected is None:
        return None, ""
    right = _digest(expected.file) if expected.file else ""
    if expected.files:
        right += "".join(_digest(wanted.file) for wanted in expected.files.values() if wanted.file)
        bare = {name: msgspec.structs.replace(wanted, file="") for name, wanted in expected.files.items()}
        expected = msgspec.structs.replace(expected, files=bare)
    published = expected.published and msgspec.structs.replace(
        expected.published, files=tuple(map(_digest, expected.published.files))
    )
    return msgspec.structs.replace(expected, file="", published=published), right


def _step_truth(step: Step) -> object:
    expected, right = _expected_truth(step.expected)
    return (step.question, expected, right, step.reference, tuple(map(_test_truth, step.tests)))


def _test_truth(test: HiddenTest) -> object:
    """An entry without the line it is in."""
    expected, right = _expected_truth(test.expected)
    return (_tables_truth(test.tables), right, msgspec.structs.replace(test, tables={}, expected=expected, line=0))


def _tables_truth(tables: Mapping[str, TableSource]) -> dict[str, object]:
    return {
        name: source.columns if source.columns is not None else _digest(source.path) for name, source in tables.items()
    }


def _digest(file: str) -> str:
    try:
        with Path(file).open("rb") as handle:
            return hashlib.file_digest(handle, "sha256").hexdigest()[:16]
    except OSError:
        return ""
