"""Every reader of somebody else's files and replies, with the errors that it may raise. A reader gets the bytes, and a
folder of its own."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import openpyxl
from hypothesis import strategies as st

import karat
from karat.core import plugins
from karat.core.problems import Problem, UserError, problem_text
from karat.core.replies import read_reply
from karat.core.replies.recorded_stream import merged
from karat.core.replies.tables import tables_in
from karat.core.suite import NotApplicable, Unreadable
from karat.core.system import CallFailed
from karat.imports.fields import fields_of
from karat.imports.reading import read_source
from karat.imports.rows import rows_for
from karat.runs.project_file.project import load_project
from karat.sandbox.messages.messages import LENGTH, Facts, judge
from karat.sandbox.records import Limits
from karat.sheet.check.checker import check_sheet
from karat.sheet.compute.input_files import read_csv as read_input
from karat.sheet.evaluation import evaluate
from karat.sheet.functions import FUNCTIONS
from karat.sheet.text.parser import parse
from karat.sheet.values import Wrong
from karat.suites.data_query.structures.files import read_files
from karat.systems.openai import OpenAIConfig, OpenAISystem
from karat.systems.prompts.rendering import Renderer, RenderFailed
from karat.systems.prompts.template import problems_in
from karat.tables.files.reading import header_of, read_csv
from karat.tables.table import Limits as TableLimits
from karat.tables.table import TableError
from tests.fuzz.mutations import edited, reshaped

CORPUS = Path(__file__).parent / "corpus"
USERS_ERRORS = (UserError, Unreadable, NotApplicable, TableError, CallFailed, RenderFailed, Wrong)
"""What a reader may raise: each is shown to the user as his file's or the reply's fault, without a traceback."""
SUITES = ("data_query", "answers", "retrieval", "codegen")


class Reader(NamedTuple):
    """A reader, the kept files it is tried with, and how they are changed."""

    name: str
    read: Callable[[bytes, Path], object]
    mutated: st.SearchStrategy[bytes]
    seeds: tuple[bytes, ...]

    def survives(self, data: bytes, folder: Path) -> None:
        """Read; anything but a result or a user's error fails."""
        try:
            found = self.read(data, folder)
        except USERS_ERRORS as error:
            assert str(error)
            return
        for problem in tuple(getattr(found, "problems", ()))[:20]:
            assert isinstance(problem, Problem) and problem_text(problem)


class FileReader:
    """A reader of a file of that name."""

    def __init__(self, name: str, read: Callable[[Path], object]) -> None:
        self.name = name
        self.read = read

    def __call__(self, data: bytes, folder: Path) -> object:
        path = folder / self.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return self.read(path)

    def refused(self, path: Path) -> None:
        """Read what lies at the path, which must be a user's error, or give problems and nothing else."""
        try:
            found = self.read(path)
        except USERS_ERRORS as error:
            assert str(error)
            return
        read = [getattr(found, name, ()) for name in ("cases", "predictions", "rows")]
        assert not any(read), read


_file = FileReader


def _checked_cases(suite: str, path: Path) -> object:
    """The cases of a file, with the checks that follow reading."""
    chosen = plugins.load_suite(suite)
    chosen.recognises(path)
    found = chosen.load_cases(path)
    options = chosen.options()
    for problem in chosen.check_cases(found.cases, (), options).problems if suite != "codegen" else ():
        assert problem_text(problem)  # a check of codegen runs the references in the sandbox
    for case in found.cases:
        chosen.truth(case)
    return found


def _gold(path: Path) -> object:
    for name in ("a", "b", "result"):
        (path.parent / "c").mkdir(exist_ok=True)
        (path.parent / "c" / f"{name}.csv").write_text("x,y\n1,2\n")
    return _checked_cases("answers", path.parent)


def _scored(suite: str, cases: str, predictions: Path) -> object:
    return karat.score(suite=suite, cases=CORPUS / cases, predictions=predictions)


def _imported(path: Path) -> object:
    source = read_source(path)
    for suite in SUITES:
        try:
            fields = fields_of(source, plugins.load_suite(suite), {})
            rows, _ = rows_for(source, fields)
            made = plugins.load_suite(suite).import_rows(rows, path.parent)  # type: ignore[misc]  # every suite here has it
        except UserError as error:
            assert str(error)
            continue
        for name, data in made.files.items():
            (path.parent / suite / name).parent.mkdir(parents=True, exist_ok=True)
            (path.parent / suite / name).write_bytes(data)
        if made.count:
            plugins.load_suite(suite).load_cases(path.parent / suite / made.cases)
    return source


def _understood(data: bytes, _folder: Path) -> None:
    reply = read_reply(data)
    reply.json_objects(), tables_in(reply)
    for suite in SUITES:
        chosen = plugins.load_suite(suite)
        assert chosen.understand is not None
        try:
            json.dumps(chosen.understand(data, chosen.options()))
        except Unreadable as error:
            assert str(error)


@cache
def _system() -> OpenAISystem:
    return OpenAISystem(OpenAIConfig(type="openai", base_url="http://127.0.0.1:1/v1", model="m", api_key_env=""))


def _streamed(data: bytes, _folder: Path) -> None:
    merged(data.decode("utf-8", "replace"))
    system = _system()
    system._response(asyncio.run(system._read_stream(httpx.Response(200, content=data))))


def _chunks(data: bytes, folder: Path) -> None:
    _streamed(b"".join(b"data: " + line + b"\n\n" for line in data.splitlines()) + b"data: [DONE]\n\n", folder)


def _evaluated(data: bytes, folder: Path) -> None:
    sheet = parse(data, "f.sheet")
    if not check_sheet(sheet, "f.sheet", FUNCTIONS):
        evaluate(sheet, folder=folder)


@cache
def _renderer() -> Renderer:
    return Renderer(most=100_000, seconds=5)


VARIABLES = {"question": "How many?", "conversation": [{"role": "user", "content": "a"}], "case_id": "x", "turn": 1}


def _rendered(data: bytes, folder: Path) -> None:
    text = data.decode("utf-8", "replace")
    if not any(problem_text(problem) for problem in problems_in(text, VARIABLES)):
        _renderer().render(text, VARIABLES)


def _judged(data: bytes, _folder: Path) -> None:
    judge(Facts(parts=(), begun=True, exit=0), b"", b"", LENGTH.pack(len(data)) + data, Limits(), out_of_memory=False)
    judge(Facts(parts=(), begun=True, exit=0), data, data, data, Limits(), out_of_memory=False)


# -- what is kept, and how it is changed ------------------------------------------------------------------------------


def _kept(folder: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted((CORPUS / folder).iterdir()))


def _json_seeds(folder: str) -> tuple[bytes, ...]:
    endings = (".json", ".jsonl", ".json.yaml")
    return tuple(path.read_bytes() for path in sorted((CORPUS / folder).iterdir()) if path.name.endswith(endings))


def _reader(name: str, read: Callable[[bytes, Path], object], corpus: str = "") -> Reader:
    seeds, shaped = _kept(corpus or name), _json_seeds(corpus or name)
    mutated = st.one_of(reshaped(shaped), edited(seeds)) if shaped else edited(seeds)
    return Reader(name, read, mutated, seeds)


def _zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def _members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@st.composite
def _repacked(draw: st.DrawFn, archive: bytes, shaped: bool = False) -> bytes:
    """The archive with one of its members changed; at times its own bytes, at times a member gone."""
    members = _members(archive)
    name = draw(st.sampled_from(sorted(members)))
    kind = draw(st.sampled_from(("member", "member", "member", "bytes", "gone")))
    if kind == "bytes":
        return draw(edited([archive]))
    if kind == "gone":
        del members[name]
    elif shaped and members[name][:1] in b"{[":
        members[name] = draw(reshaped([members[name]]))
    else:
        members[name] = draw(edited([members[name]]))
    return _zipped(members)


def _workbook() -> bytes:
    book = openpyxl.Workbook()
    sheet: Any = book.active
    for row in (["question", "expected", "day"], ["How many?", 7.5, 45_000], ["Who?", "Ada", None], ["True?", True, 1]):
        sheet.append(row)
    sheet["C2"].number_format = "yyyy-mm-dd"
    sheet["B2"].number_format = "0.0%"
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _log() -> bytes:
    sample = {
        "id": 1,
        "epoch": 1,
        "input": "One?",
        "target": ["1"],
        "output": {"completion": "1"},
        "metadata": {"k": 1},
    }
    members = {"header.json": b"{}", "samples/1_epoch_1.json": json.dumps(sample).encode()}
    return _zipped(members)


def readers() -> list[Reader]:
    """All of them."""
    workbook, log = _workbook(), _log()
    found = [
        _reader("data_query_cases", _file("case.yaml", partial(_checked_cases, "data_query"))),
        _reader("codegen_cases", _file("tasks.yaml", partial(_checked_cases, "codegen"))),
        _reader("codegen_rows", _file("tasks.jsonl", partial(_checked_cases, "codegen"))),
        _reader("retrieval_sheets", _file("shop.sheet", partial(_checked_cases, "retrieval")), "sheets"),
        _reader("qrels", _file("qrels.txt", partial(_checked_cases, "retrieval"))),
        _reader("gold", _file("karat_gold.jsonl", _gold)),
        _reader("submission", _file("sub/results_metadata.jsonl", plugins.load_suite("answers").read_predictions)),
        _reader("run_files", _file("run.txt", plugins.load_suite("retrieval").read_predictions)),
        _reader("csv_tables", _file("table.csv", _tables)),
        _reader("structures", _file("structure.xml", lambda path: read_files([path]))),
        _reader("imports", _file("log.yaml", _imported)),
        _reader("import_tables", _file("table.csv", _imported)),
        _reader("project", _file("karat.yaml", load_project)),
        _reader("replies", _understood),
        _reader("streams", _streamed),
        _reader("stream_chunks", _chunks),
        _reader("sheets", _evaluated),
        _reader("templates", _rendered),
        _reader("sandbox_messages", _judged),
        Reader("workbooks", _file("book.xlsx", _imported), _repacked(workbook), (workbook,)),
        Reader("inspect_archives", _file("log.eval", _imported), _repacked(log, shaped=True), (log,)),
    ]
    for suite, cases in (
        ("data_query", "data_query_cases/case.yaml"),
        ("retrieval", "qrels/qrels.txt"),
        ("codegen", ""),
    ):
        name = f"{suite}_predictions"
        found.append(_reader(name, _file("p.jsonl", plugins.load_suite(suite).read_predictions)))
        if suite != "codegen":  # whose scoring starts processes
            scored = _file("p.jsonl", partial(_scored, suite, cases))
            found.append(_reader(f"{suite}_scored", scored, name))
    return found


def _tables(path: Path) -> None:
    for read in (read_csv, read_input, lambda one: header_of(one, TableLimits())):
        try:
            read(path)
        except USERS_ERRORS as error:
            assert str(error)
