"""A store with runs to look at: two scored data_query runs of the same cases, a running one, one full of payloads, one
of several tries a case, and two runs of tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from karat.core.explanation import Explanation
from karat.core.metric import Kind
from karat.core.records import CallError, Case, Prediction, Turn, Where
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score
from karat.stats.intervals.estimates import estimate
from karat.store import RunRecord, Store, open_store
from karat.store.cases.case_lines import CaseLine, line_of

PAYLOADS = (
    "<script>window.hit=1</script>",
    "\"><img src=x onerror='window.hit=1'>",
    "javascript:window.hit=1",
    "</textarea></pre></title><svg onload=window.hit=1>",
    "{{ 7*7 }}{% raw %}",
    '=HYPERLINK("http://evil.example/","x")',
    "\u202egnp.exe \x00 \ud800",
)
METRICS = ("macro_recall", "macro_precision", "fully_right", "latency")
KINDS: dict[str, Kind] = {"fully_right": "rate", "latency": "quantity", "strict": "rate", "spider2": "rate"}


def a_dimension(
    name: str, found: list[dict[str, str]], missed: list[dict[str, str]], extra: list[dict[str, str]]
) -> Any:
    terms = {"true_positives": found, "false_negatives": missed, "false_positives": extra}
    return {"dimension": name, "turn": 0, "in_target": True, "precision": 0.5, "recall": 0.5, "f1": 0.5, **terms}


def a_case(number: int, right: bool, recall: float, *, review: bool = False) -> CaseResult:
    scores = {
        "macro_recall": Score(recall),
        "macro_precision": Score(1.0) if number % 5 else Score(None, "not_applicable", "nothing was selected"),
        "fully_right": Score(1.0 if right else 0.0, reason="" if right else "COUNTRY not selected"),
        "latency": Score(number / 10),
    }
    if review:
        scores["needs_review"] = Score(1.0)
    term = {"id": "GHA", "name": "Ghana"}
    wrong = {"id": "FRA", "name": "France"}
    dimension = a_dimension("COUNTRY", *(([term], [], []) if right else ([], [term], [wrong])))
    return CaseResult(
        f"case_{number:03d}",
        "scored",
        scores,
        {"dimensions": [dimension], "label_drift": []},
        f"Case {number}",
        ("trade" if number % 2 else "weo",),
        f"What is the growth of country number {number}?",
    )


def a_failure(number: int) -> CaseResult:
    scores = {name: Score(None, "error", "429 after 5 tries") for name in METRICS}
    return CaseResult(f"case_{number:03d}", "error", scores, question=f"Question {number}?", error="429 after 5 tries")


def summary_of(cases: list[CaseResult], metrics: tuple[str, ...] = METRICS) -> tuple[MetricSummary, ...]:
    found = []
    for name in metrics:
        values = [case.scores[name].value for case in cases if name in case.scores]
        known = [value for value in values if value is not None]
        one = estimate(known, KINDS.get(name, "share"))
        found.append(MetricSummary(name, one.mean, one.n, one.low, one.high))
    return tuple(found)


def add_run(store: Store, cases: list[CaseResult], name: str = "", system: str = "assistant") -> int:
    """A finished run of these cases, each with a question, a target and an answer."""
    run = store.create_run(
        RunRecord(suite="data_query", name=name, system=system, cases=len(cases), status="finished", truth_set="abc123")
    )
    asked = [
        Case(
            case.id,
            (Turn("user", case.question, {"country": ["GHA"], "note": case.name}),),
            case.name,
            case.tags,
            source=Where("/home/somebody/cases/growth.yaml", 0, place, 10 * place + 1),
        )
        for place, case in enumerate(cases)
    ]
    store.add_cases(run, [(case.id, _json(case)) for case in asked])
    store.add_predictions(run, [_answer(case) for case in cases])
    result = RunResult(RunInfo("data_query", name=name, cases=len(cases)), summary_of(cases), tuple(cases))
    with patch("karat.store.scorings.results.line_of", _line):
        store.add_scoring(run, result)
    return run


def _line(case: CaseResult, explanation: Explanation) -> CaseLine:
    """A case with the score ``needs_review`` waits for a person, as a suite's explanation would have it."""
    found = line_of(case, explanation)
    return msgspec.structs.replace(found, wants_review=True) if "needs_review" in case.scores else found


def _json(case: Case[Any]) -> bytes:
    try:
        return msgspec.json.encode(case)
    except UnicodeEncodeError:
        shown = str(case.conversation[0].content).encode("utf-8", "backslashreplace").decode()
        return msgspec.json.encode(
            {"id": "payload", "conversation": [{"role": "user", "content": shown, "target": {"x": shown}}]}
        )


def _answer(case: CaseResult) -> Prediction:
    if case.error:
        return Prediction(case.id, error=CallError("http_429", case.error, 5))
    body = f'{{"country": ["FRA"], "note": "{case.id}"}}' if case.id.isidentifier() else case.question
    return Prediction(case.id, response=body.encode("utf-8", "replace"), latency=1.5, tokens=200, cost=0.001)


def two_runs(store: Store) -> tuple[int, int]:
    """60 cases: 30 right before, 45 right after, the last two failed calls; four that no rule settles."""
    before = [a_case(n, n % 2 == 0, 1.0 if n % 2 == 0 else 0.5, review=n in (1, 3, 5, 7)) for n in range(58)]
    after = [a_case(n, n % 4 != 3, 1.0 if n % 4 != 3 else 0.25) for n in range(58)]
    failed = [a_failure(58), a_failure(59)]
    return add_run(store, before + failed, "before"), add_run(store, after + failed, "after")


def a_running_one(store: Store) -> int:
    """100 cases, 40 answers so far, one of them a failure."""
    run = store.create_run(RunRecord(suite="data_query", name="now", system="assistant", cases=100))
    store.add_predictions(run, [Prediction(f"c{n}", response=b"x") for n in range(39)])
    store.add_predictions(run, [Prediction("c39", error=CallError("timeout", "no answer within 120 s", 5))])
    return run


def hostile(store: Store) -> int:
    """Each payload in every field that a model or a file fills."""
    cases = []
    for text in PAYLOADS:
        scores = {name: Score(0.5, reason=text) for name in METRICS} | {text: Score(1.0, reason=text)}
        details = {
            text: [{text: text}],
            "dimensions": [a_dimension(text, [], [], [{"id": text, "name": text}])],
            "label_drift": [],
            "reason": text,
            "cluster": text,
            "evidence": {
                "gold_size": [1, 1],
                "rows": [{"gold_row": text, "gold": [text], "pred": [f"{text} "]}],
                "shown_columns": [text],
                "columns": [{"gold": text, "nearest": text, "share": 0.5, "change": text}],
            },
        }
        cases.append(CaseResult(text, "scored", scores, details, text, (text,), text, text if text[0] == "<" else ""))
    return add_run(store, cases, PAYLOADS[0], PAYLOADS[1])


def several_tries(store: Store) -> int:
    """Two cases, 20 tries each: 18 right and 2 wrong; 10 right, 9 wrong and a failed call."""
    cases, answers = [], []
    for number, wrong, failed in ((0, 2, 0), (1, 9, 1)):
        tries = [RepeatResult("scored", {"fully_right": Score(1.0)})] * (20 - wrong - failed)
        tries += [RepeatResult("scored", {"fully_right": Score(0.0)})] * wrong
        tries += [RepeatResult("error", {"fully_right": Score(None, "error")}, error="429 after 5 tries")] * failed
        mean = (20 - wrong - failed) / (20 - failed)
        scores = {"fully_right": Score(mean), "macro_recall": Score(mean)}
        cases.append(CaseResult(f"tried_{number}", "scored", scores, question="Which?", repeats=tuple(tries)))
        answers += [Prediction(f"tried_{number}", repeat=n, response=f"answer {n}".encode()) for n in range(20)]
    run = store.create_run(RunRecord(suite="data_query", name="tries", cases=2, repeats=20, status="finished"))
    store.add_predictions(run, answers)
    summary = summary_of(cases, ("fully_right", "macro_recall"))
    store.add_scoring(run, RunResult(RunInfo("data_query", cases=2, repeats=20), summary, tuple(cases)))
    return run


def tables(store: Store) -> int:
    """A run of the suite ``answers`` with one wrong table: one cell of two differs, one row is missing."""
    rows = [
        {"gold_row": 7, "pred_row": 7, "gold": ["Ada", 12.4], "pred": ["Ada", 12.9]},
        {"gold_row": 9, "gold": ["Bo", 3]},
    ]
    column = {"gold": "avg_days", "nearest": "days", "share": 0.96}
    evidence = {"gold_size": [9, 2], "pred_size": [8, 2], "columns": [column], "rows": rows}
    evidence["shown_columns"] = ["who", "avg_days"]
    verdict = {"state": "wrong", "reason": "values_differ", "normalised": []}
    details = {"reason": "values_differ", "evidence": evidence, "flips": False, "functions": ["table_match"]}
    details |= {"spider2": verdict, "strict": verdict}
    case = CaseResult("bq043", "scored", {"strict": Score(0.0)}, details, question="How many days?")
    run = store.create_run(RunRecord(suite="answers", cases=1, status="finished"))
    gold = {"instance_id": "bq043", "entries": [{"func": "table_match", "parameters": {"gold": "days.csv"}}]}
    asked = Case("bq043", (Turn("user", "How many days?", gold),), metadata={"instruction": "How many days?"})
    store.add_cases(run, [("bq043", msgspec.json.encode(asked))])
    store.add_predictions(run, [Prediction("bq043", response=b"who,days\nAda,12.9\n")])
    store.add_scoring(run, RunResult(RunInfo("answers", cases=1), summary_of([case], ("strict",)), (case,)))
    return run


def build(path: Path) -> str:
    """r-0001 and r-0002 (before, after), r-0003 (running), r-0004 (payloads), r-0005 (tries), r-0006 (tables); the
    store's URL."""
    url = f"sqlite:///{path}/karat.db"
    with open_store(url) as store:
        two_runs(store)
        a_running_one(store)
        hostile(store)
        several_tries(store)
        tables(store)
    return url
