"""A user's program that uses every public name with its type. ``mypy --strict`` and pyright must find nothing in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

import karat
from karat import answers, engines, retrieval, sandbox, stats


class Row(karat.CaseRow, frozen=True, kw_only=True):
    answer: str


class Comparison(msgspec.Struct, frozen=True):
    given: str = ""


def version() -> str:
    return karat.__version__


def records() -> karat.Case[str]:
    turn: karat.Turn[str] = karat.Turn("user", "What is sour?", "lemon")
    where = karat.Where("cases.yaml", 0, 0, 3)
    case: karat.Case[str] = karat.Case("q1", (turn,), name="sour", tags=("fruit",), source=where)
    error: karat.CallError = karat.CallError("timeout", "no answer within 5 s")
    prediction = karat.Prediction("q1", response=b"lemon", latency=0.3, tokens=3, cost=0.01)
    failed = karat.Prediction("q1", error=error)
    print(prediction.latency, failed.error)
    return case


def results(result: karat.RunResult) -> list[float]:
    info: karat.RunInfo = result.run
    values: list[float] = []
    for summary in result.summary:
        one: karat.MetricSummary = summary
        if one.mean is not None:
            values.append(one.mean)
    for case in result.cases:
        found: karat.CaseResult = case
        score: karat.Score = found.scores["passed"]
        if score.value is not None:
            values.append(score.value)
    print(info.id, info.truth_set)
    for problem in result.problems:
        text: karat.Problem = problem
        print(text.message, text.line, text.hint)
    return values


def explain(details: Comparison, target: str | None) -> karat.Explanation:
    lines: tuple[karat.Line, ...] = karat.differing_lines("a\nb", "a\nc")
    part = karat.Part("answer", found=("lemon",), missing=(), extra=())
    group = karat.Group("kind", "fruit", (("passed", 1.0),))
    return karat.Explanation(outcome="right", parts=(part,), lines=lines, groups=(group,), headline=details.given)


def score(found: Comparison) -> karat.Score:
    return karat.scored(1.0) if found.given else karat.not_applicable("nothing given")


def compare(case: karat.Case[str], turn: int, prediction: karat.Prediction, options: karat.SuiteOptions) -> Comparison:
    if prediction.error is not None:
        raise karat.NotApplicable("nothing to judge")
    reply: karat.Reply = karat.read_reply(prediction.response, own=("answer",))
    if not reply.text:
        raise karat.Unreadable("no text")
    return Comparison(given=reply.text)


files: karat.CaseFiles[Row, str] = karat.CaseFiles(Row, target=lambda row: row.answer)
parameter = karat.Parameter("p", float, 0.5, "How likely a reader goes on.", at_least=0, at_most=1)
metric: karat.Metric[Comparison] = karat.Metric("given", "given", "1 if something is given", score, kind="rate")
hint = karat.Hint("fields", lambda case, options: ("items",))


def suite() -> karat.Suite[str, karat.SuiteOptions]:
    return karat.Suite(
        name="mine",
        summary="my own",
        target=str,
        options=karat.SuiteOptions,
        metrics=(metric,),
        load_cases=files.load,
        read_predictions=karat.read_recorded,
        stream_predictions=karat.stream_recorded,
        compare=compare,
        details=lambda turns: turns[0][1],
        explain=karat.explaining(Comparison, explain),
        prompting=karat.Prompting(default="{{ question }}"),
    )


def loaded(path: Path) -> tuple[karat.LoadedCases, karat.LoadedPredictions]:
    cases: karat.LoadedCases = files.load(path)
    predictions: karat.LoadedPredictions = karat.read_recorded(path)
    return cases, predictions


def report() -> karat.Report:
    table = karat.Table((karat.Column("case"), karat.Column("score", "score")), (("q1", 1.0),), title="All")
    sheet = karat.Sheet("Cases", (table,))
    return karat.Report("mine", (sheet,))


class Config(karat.PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    greeting: str = "hello"


class Plain(karat.SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    word: str = ""


class Echo(karat.System):
    async def call(self, request: karat.Request) -> karat.Response:
        if not request.question:
            raise karat.NoAnswer("nothing to answer")
        if request.question == "?":
            raise karat.CallFailed("client_error", "no question", retry=False)
        return karat.Response(request.question.encode(), tokens=1)


system = karat.SystemType("echo", "repeats", Config, lambda config, suite: Echo())


class FolderConfig(karat.EngineConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    folder: str


class FolderEngine:
    name, dialect = "folder", "sqlite"

    def run(self, sql: str, *, timeout: float, row_limit: int) -> karat.ResultTable:
        query: str = karat.check_query(sql, self.dialect)
        if not query:
            raise karat.EngineError("sql_error", "no query")
        return karat.result_table(["n"], [(1,)], False, 0.1)

    def fingerprint(self) -> str:
        return "1"

    def close(self) -> None:
        return None


def open_folder(config: FolderConfig, folder: Path) -> karat.Engine:
    return FolderEngine()


engine = karat.EngineType("folder", "a folder", FolderConfig, open_folder)


def embed(texts: Sequence[str], role: str) -> NDArray[np.float32]:
    return np.ones((len(texts), 1), np.float32)


def commands(folder: Path, ask: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    cases = [{"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}]
    store = folder / "runs.db"
    first: karat.RunResult = karat.score("retrieval", cases, [{"id": "q1", "results": ["lemon"]}])
    second: karat.RunResult = karat.run("retrieval", cases, ask, store=store, name="a", repeats=2)
    third: karat.RunResult = karat.load_run("latest", store=store)
    found: tuple[karat.Problem, ...] = karat.check("retrieval", cases)
    explained: tuple[karat.Explained, ...] = karat.explain("recall")
    compared: karat.Compared = karat.compare(first, second)
    verdicts: karat.Verdicts = karat.gate(second, ["retrieval.passed>=0.9"])
    verdict: karat.Verdict = verdicts.verdicts[0]
    shown: karat.ShownCase = karat.show("q1", "latest", store=store)
    written: list[str] = karat.report(second, html=folder / "r.html")
    exported: Sequence[karat.ExportedFile] = karat.export("latest", predictions=folder / "p.jsonl", store=store)
    tuned: karat.Tuned = karat.tune(folder / "shop.sheet", budget_tokens=60)
    estimate: karat.Estimate = stats.estimate([1.0, 0.0], "rate")
    also: stats.Estimate = estimate
    print(
        third.run.id,
        found,
        explained[0].meaning,
        compared.changes,
        verdict.words,
        shown.case,
        written,
        exported[0].file,
    )
    print(tuned.name, also.low)


def matching(gold: Path, given: Path) -> list[answers.Verdict]:
    return [
        answers.string_match("It is Oslo.", ["Oslo"], profile="strict"),
        answers.number_match("It is 4.", 4),
        answers.table_match(given, gold, ignore_order=True),
        answers.tables_match([given], [gold]),
        answers.duckdb_match(given, gold, condition_tabs=["t"]),
    ]


def databases(folder: Path) -> Iterator[tuple[str | None, ...]]:
    opened: engines.Engine = engines.open_engine({"engine": "sqlite", "path": "ships.sqlite"}, folder)
    try:
        table: engines.ResultTable = opened.run(engines.check_query("SELECT 1", "sqlite"), timeout=5, row_limit=10)
    except engines.EngineError as error:
        print(error.kind)
        return
    yield from table.rows()
    made: engines.ResultTable = engines.result_table(["a"], [(1,)], False, 0.0)
    kinds: tuple[type[engines.EngineConfig], type[engines.EngineType]] = (engines.EngineConfig, engines.EngineType)
    print(made.names, kinds)


def search() -> Mapping[str, float | None]:
    found: retrieval.Evaluation = retrieval.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0}}, metrics=("map",))
    print(retrieval.CodedQrels, retrieval.CodedRun)

    def first_rank(comparison: retrieval.Comparison) -> int:
        field: retrieval.FieldComparison = comparison.fields[0]
        return field.ranks[0]

    print(first_rank)
    return found.means


def snippets() -> sandbox.Status:
    limits = sandbox.Limits(wall=5.0)
    counter: sandbox.Counter = sandbox.INSTRUCTIONS
    for layer in sandbox.layers():
        each: sandbox.Layer = layer
        print(each.name, each.on)
    outcome: sandbox.Outcome = sandbox.run("result = 1", {})
    with sandbox.Sandbox(limits=limits) as box:
        many: list[sandbox.Outcome] = list(box.run_many([sandbox.Job("result = 1", {})]))
        with box.session({}) as session:
            steps: sandbox.BoxSession = session
            print(steps)
    value: sandbox.Plain = outcome.result
    if isinstance(value, sandbox.Table | sandbox.Series | sandbox.Record | sandbox.Unordered | sandbox.Other):
        print(value)
    error: sandbox.SnippetError | None = outcome.error
    written: Sequence[sandbox.WrittenFile] = outcome.files
    print(counter, many, error, written, sandbox.Column("a", "int64", [1]), sandbox.Measurement, sandbox.StepRun)
    return outcome.status


def mistakes(result: karat.RunResult) -> str:
    warnings.simplefilter("ignore", karat.PluginWarning)
    try:
        result.metric("macro_recal")
    except karat.BrokenPlugin as error:
        return str(error)
    except karat.UnknownName as error:
        return error.nearest
    except karat.UserError as error:
        return error.message
    session = karat.Session("2026-ana")
    return str(session.summary())


model = karat.Model("letters", "1", embed=embed)
