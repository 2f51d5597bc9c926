"""Cases and predictions as dicts and DataFrames: the same figures as from files, and the same messages for mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import karat
from karat.core.problems import UnknownName, UserError
from karat.suites.answers.gold.loose_json import read_file

EXAMPLES = Path(__file__).parents[2] / "examples"


def rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]


def figures(result: karat.RunResult) -> list[Any]:
    return [(item.metric, item.mean, item.n) for item in result.summary if item.metric != "performance"]


def data_query_cases() -> list[dict[str, Any]]:
    return [
        case
        for file in sorted((EXAMPLES / "data_query" / "cases").rglob("*.yaml"))
        for document in yaml.load_all(file.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        for case in (document if isinstance(document, list) else [document])
    ]


def test_data_query_dicts_score_as_the_files_do() -> None:
    folder = EXAMPLES / "data_query"
    options = {"indicator_dimensions": ["INDICATOR", "SERIES"], "today": "2026-11-01"}
    from_files = karat.score(
        suite="data_query", cases=folder / "cases", predictions=folder / "predictions.jsonl", options=options
    )
    given = karat.score(
        suite="data_query",
        cases=data_query_cases(),
        predictions=rows(folder / "predictions.jsonl"),
        options=options,
    )
    assert len(given.cases) > 10
    assert figures(given) == figures(from_files)
    assert given.run.truth_set == from_files.run.truth_set
    assert given.problems == ()


def test_answers_dicts_name_files_relative_to_a_folder() -> None:
    folder = EXAMPLES / "answers"
    (gold,) = (folder / "gold").glob("*.jsonl")
    from_files = karat.score(suite="answers", cases=folder / "gold", predictions=folder / "submission")
    given = karat.score(suite="answers", cases=rows(gold), predictions=folder / "submission", folder=folder / "gold")
    assert figures(given) == figures(from_files)
    submitted = [row.value for row in read_file(folder / "submission" / "results_metadata.jsonl")[0]]
    again = karat.score(suite="answers", cases=folder / "gold", predictions=submitted, folder=folder / "submission")
    assert figures(again) == figures(from_files)


def test_answers_by_id_and_answer() -> None:
    gold = {"func": "number_match", "parameters": {"gold": 37}}
    cases = [{"instance_id": name, "question": "How many?", "evaluation": gold} for name in ("a", "b", "c")]
    predictions = [{"id": "a", "answer": 37}, {"instance_id": "b", "answer": "38"}, {"id": "c", "error": "timed out"}]
    result = karat.score(suite="answers", cases=cases, predictions=predictions)
    assert [case.scores["strict"].value for case in result.cases] == [1.0, 0.0, None]
    assert result.cases[2].error == "timed out"


def test_codegen_dicts_with_tables_and_attempts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n2\n")
    cases = [
        {"id": "n", "question": "How many rows?", "tables": {"t": "t.csv"}, "expected": 2},
        {"id": "s", "question": "The sum of a?", "tables": {"t": {"a": [1, 2]}}, "expected": 3},
    ]
    predictions = [
        {"id": "n", "code": "result = len(t)"},
        {"id": "s", "attempts": ["result = x", "result = t.a.sum()"]},
    ]
    result = karat.score(
        suite="codegen",
        cases=cases,
        predictions=predictions,
        folder=tmp_path,
        options={"performance": False, "perturb": False},
        workers=1,
    )
    assert [case.scores["passed"].value for case in result.cases] == [1.0, 1.0]
    assert result.cases[1].details["error_recovery"]["recovery_attempts_count"] == 1


RETRIEVAL: list[dict[str, Any]] = [
    {"id": "q1", "question": "What is sour?", "relevant": ["lemon", "lime"], "tags": ["fruit"]},
    {"id": "q2", "question": "What is sweet?", "relevant": {"honey": 2, "salt": 0}},
    {"id": "q3", "question": "What and where?", "fields": {"item": ["lemon"], "shelf": ["fruit"]}},
]
ANSWERS: list[dict[str, Any]] = [
    {"id": "q1", "results": ["lemon", "apple"]},
    {"id": "q2", "results": {"honey": 0.9, "salt": 0.1}},
    {"id": "q3", "fields": {"item": ["lemon"], "shelf": ["tins"]}},
]


def test_retrieval_dicts() -> None:
    result = karat.score(suite="retrieval", cases=RETRIEVAL, predictions=ANSWERS)
    assert [case.scores["recall"].value for case in result.cases] == [0.5, 1.0, 0.5]
    assert [case.scores["passed"].value for case in result.cases] == [0.0, 1.0, 0.0]
    assert result.cases[0].tags == ("fruit",)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_data_frame_gives_what_its_rows_give(library: str) -> None:
    module = pytest.importorskip(library)
    frame = module.Table.from_pylist if library == "pyarrow" else module.DataFrame
    cases = [
        {"id": 1, "question": "a?", "relevant": ["x", "y"], "comments": "with a comment"},
        {"id": 2, "question": "b?", "relevant": ["z"]},
    ]
    answers = [{"id": 1, "results": ["x", "y"], "latency": 1.5, "turn": 0}, {"id": 2, "results": ["x"]}]
    columns = [list(dict.fromkeys(key for row in table for key in row)) for table in (cases, answers)]
    whole = [
        [{key: row.get(key) for key in keys} for row in table]
        for keys, table in zip(columns, (cases, answers), strict=True)
    ]
    result = karat.score(suite="retrieval", cases=frame(whole[0]), predictions=frame(whole[1]))
    assert [case.id for case in result.cases] == ["1", "2"]
    assert [case.scores["passed"].value for case in result.cases] == [1.0, 0.0]
    assert result.problems == ()
    assert result.cases[0].scores["latency"].value == 1.5
    assert result.cases[1].scores["latency"].value is None


def test_nested_structs_of_polars_lose_the_keys_that_it_made_up() -> None:
    polars = pytest.importorskip("polars")
    cases = data_query_cases()
    frame = polars.DataFrame(
        [{"id": c["id"], "conversation": c["conversation"]} for c in cases[:4]], infer_schema_length=None
    )
    answers = [{"id": case["id"], "indicator_selection": []} for case in cases[:4]]
    given = karat.score(suite="data_query", cases=frame, predictions=answers)
    assert given.problems == ()
    plain = karat.score(suite="data_query", cases=cases[:4], predictions=answers)
    assert figures(given) == figures(plain)


def test_mistakes_say_which_case_in_the_words_of_the_files(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "How many?", "target": {"is_out_of_scope": True}}
    good = {"id": "a", "conversation": [turn]}
    bad = {"id": "b", "conversaton": [turn]}
    (tmp_path / "cases.yaml").write_text(json.dumps([good, bad, good]))
    told = karat.check(suite="data_query", cases=[good, bad, good])
    in_files = karat.check(suite="data_query", cases=tmp_path / "cases.yaml")
    assert len(told) == len(in_files) == 3
    for mine, theirs in zip(told, in_files, strict=True):
        assert mine.hint == theirs.hint
        assert mine.file == ""
        assert mine.message.startswith(("case 2: ", "case 3: "))
        assert mine.message.partition(": ")[2].partition("also in")[0] == theirs.message.partition("also in")[0]
    assert told[-1].message == 'case 3: the case id "a" appears twice: also in case 1'
    result = karat.score(suite="data_query", cases=[good, bad], predictions=[{"id": "a", "indicator_selection": []}])
    assert [case.id for case in result.cases] == ["a"]
    assert any(problem.message.startswith("case 2: ") for problem in result.problems)


@pytest.mark.parametrize(
    ("suite", "row", "told"),
    [
        ("answers", {"question": "x"}, 'case 1: a gold row without "instance_id"'),
        ("codegen", {"id": "t", "qestion": "x"}, 'case 1: unknown key "qestion"'),
        ("retrieval", {"id": "q"}, 'case 1: case "q" does not say what is relevant'),
        ("retrieval", {"id": "q", "relevant": {"d": "much"}}, "case 1: expected a whole number here"),
    ],
)
def test_no_case_that_can_be_read_is_an_error(suite: str, row: dict[str, Any], told: str) -> None:
    with pytest.raises(UserError, match="none of the cases can be read") as raised:
        karat.score(suite=suite, cases=[row], predictions=[])
    assert any(told in problem.message for problem in raised.value.problems), raised.value.problems


def test_mistakes_in_predictions_say_which_prediction() -> None:
    good = {"id": "q1", "results": ["lemon"]}
    result = karat.score(
        suite="data_query", cases=data_query_cases()[:1], predictions=[{"id": "x", "turn": "no"}, good]
    )
    assert result.problems[0].message.startswith("prediction 1: not a prediction")
    with pytest.raises(UserError, match="none of the predictions can be read") as raised:
        karat.score(suite="codegen", cases=[{"id": "t", "question": "x", "expected": 1}], predictions=[{"id": "t"}])
    assert raised.value.problems[0].message == 'prediction 1: an answer without "code", "response" or "attempts"'
    twice = [{"id": "t", "code": "result = 1"}] * 2
    result = karat.score(
        suite="codegen", cases=[{"id": "t", "question": "x", "expected": 1}], predictions=twice, workers=1
    )
    assert result.problems[0].message == 'prediction 2: a second answer to "t": the first, in prediction 1, is used'


def test_what_is_neither_a_path_nor_rows() -> None:
    for cases in ({"id": "x"}, 7, b"x"):
        with pytest.raises(UserError, match="cases cannot be given as"):
            karat.score(suite="retrieval", cases=cases, predictions=[])
    with pytest.raises(UserError, match="case 1: expected a dict here, found int"):
        karat.score(suite="retrieval", cases=[7], predictions=[])
    with pytest.raises(UserError, match="case 1: values of type object are not supported"):
        karat.score(suite="retrieval", cases=[{"id": object()}], predictions=[])
    with pytest.raises(UserError, match="no cases were given"):
        karat.score(suite="retrieval", cases=[], predictions=[])


def test_a_run_of_given_cases_and_predictions_is_stored(tmp_path: Path) -> None:
    result = karat.run(suite="retrieval", cases=RETRIEVAL, predictions=ANSWERS[:2], store=tmp_path / "k.db")
    assert result.status_counts() == {"scored": 2, "missing": 1}
    stored = karat.load_run(store=tmp_path / "k.db")
    assert stored.summary == result.summary
    asked = karat.run(
        suite="retrieval",
        cases=RETRIEVAL,
        system=lambda request: {key: value for key, value in ANSWERS[int(request["id"][1]) - 1].items() if key != "id"},
        store=tmp_path / "k.db",
    )
    assert asked.run.id == "r-0002"
    assert asked.status_counts() == {"scored": 3}


def test_one_bad_item_costs_only_itself_and_keeps_its_number() -> None:
    cases = [RETRIEVAL[0], 17, {"id": "x", "relevent": ["a"]}]
    said = [problem.message for problem in karat.check("retrieval", cases)]
    assert said[0] == "case 2: expected a dict here, found int"
    assert said[1].startswith('case 3: unknown key "relevent"')
    result = karat.score("retrieval", cases, [5, {"idd": 1}, ANSWERS[0]])
    told = [problem.message for problem in result.problems]
    assert "prediction 1: expected a dict here, found int" in told
    assert 'prediction 2: not a result of a run: "id" is missing' in told
    assert len(result.cases) == 1


@pytest.mark.parametrize("suite", ["retrieval", "codegen", "data_query"])
@pytest.mark.parametrize("bad", [{}, {"id": None}, {"id": ["a"]}, {"id": "x", "code": [1], "turn": "y"}])
def test_bad_prediction_is_named_by_its_number_in_our_words(suite: str, bad: dict[str, object]) -> None:
    cases = {
        "retrieval": RETRIEVAL,
        "codegen": [{"id": "x", "question": "q", "reference": "1"}],
        "data_query": [{"id": "x", "conversation": [{"role": "user", "content": "q", "target": {}}]}],
    }[suite]
    with pytest.raises(UserError) as raised:
        karat.score(suite, cases, [bad])
    said = str(raised.value)
    assert said.startswith("prediction 1: "), said
    assert "given.jsonl" not in said and "`" not in said and "$." not in said


def test_system_by_the_name_it_has_in_the_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cases: list[dict[str, Any]] = [{"id": "q1", "question": "?", "relevant": ["d1"]}]
    with pytest.raises(karat.UnknownName, match='there is no system "mine"'):
        karat.run(suite="retrieval", cases=cases, system="mine", store="x.db")
    assert not Path("x.db").exists()
    Path("answers.jsonl").write_text('{"id": "q1", "results": ["d1"]}\n')
    Path("karat.yaml").write_text("systems: {mine: {type: replay, predictions: answers.jsonl}}\n")
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    result = karat.run(suite="retrieval", cases=cases, system="mine")
    assert (result.run.system, result.metric("passed").mean) == ("mine", 1.0)
    assert (tmp_path / ".karat" / "karat.db").is_file(), "the project's store, as on the command line"
    assert karat.load_run().summary == result.summary


def test_gate_on_a_metric_that_is_not_there() -> None:
    result = karat.score("retrieval", RETRIEVAL, ANSWERS)
    with pytest.raises(UnknownName) as raised:
        karat.gate(result, ["retrieval.pased>=0.9"])
    assert raised.value.nearest == "passed" and 'Did you mean "passed"?' in str(raised.value)
    with pytest.raises(UnknownName) as raised:
        karat.gate(result, ["retreival.passed>=0.9"])
    assert raised.value.nearest == "retrieval"
