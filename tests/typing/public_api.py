"""A program that uses the public API as its users do. ``mypy --strict`` and pyright must find nothing in it."""

from __future__ import annotations

from pathlib import Path
from typing import assert_type

import karat


class Row(karat.CaseRow, frozen=True, kw_only=True):
    answer: str


class Options(karat.SuiteOptions, frozen=True, forbid_unknown_fields=True, kw_only=True):
    ignore_case: bool = True


class EchoConfig(karat.PromptedConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    greeting: str = ""


class Echo(karat.System):
    async def call(self, request: karat.Request) -> karat.Response:
        if not request.question:
            raise karat.CallFailed("client_error", "no question", retry=False)
        return karat.Response(request.question.encode(), tokens=3)


def right(answer: str) -> karat.Score:
    return karat.scored(1.0) if answer else karat.not_applicable("no answer")


metric: karat.Metric[str] = karat.Metric("right", "right", "1 if there is an answer", right, kind="rate")
files: karat.CaseFiles[Row, str] = karat.CaseFiles(Row, target=lambda row: row.answer)
kind = karat.SystemType("echo", "repeats the question", EchoConfig, lambda config, suite: Echo())


def ask(request: dict[str, object]) -> dict[str, object]:
    return {"results": [str(request["question"])]}


def measure(folder: Path) -> bool:
    cases = [{"id": "q1", "question": "What is sour?", "relevant": ["lemon"]}]
    scored = karat.score(suite="retrieval", cases=cases, predictions=[{"id": "q1", "results": ["lemon"]}])
    assert_type(scored, karat.RunResult)
    result = karat.run("retrieval", cases, ask, store=folder / "runs.db", reuse=folder / "answers.cache")
    mean: float | None = result.metric("passed").mean
    for case in result.cases:
        assert_type(case, karat.CaseResult)
        assert_type(case.scores["passed"], karat.Score)
    compared = karat.compare(scored, result)
    assert_type(compared, karat.Compared)
    verdicts = karat.gate(result, ["retrieval.passed>=0.9", {"no_new_failures": {}}], baseline=scored)
    shown = karat.show("q1", store=folder / "runs.db")
    written: list[str] = karat.report(result, json=folder / "result.json")
    problems: tuple[karat.Problem, ...] = karat.check("retrieval", cases)
    again = karat.load_run(result.run.id, store=folder / "runs.db")
    estimate: karat.Estimate = karat.stats.estimate([1.0, 0.0], "rate")
    outcome = karat.sandbox.run("result = 1 + 1")
    try:
        karat.tune(folder / "food.sheet")
    except karat.UserError as error:
        print(error.message, error.hint)
    print(mean, shown.case.id, written, problems, again.summary, estimate.mean, outcome.status, compared.counts())
    return verdicts.passed
