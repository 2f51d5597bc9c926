"""The command line and Python give the same for the same input: the same figures, the same problems, the same
errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from typer.testing import CliRunner

import karat
from karat.cli.main import app
from karat.reports.json import result_json
from karat.store import open_store

SELECTION = "{indicator_selection: [{dataset_id: A:B, dimensions: [{dimension_name: C, values: [{id: %s, name: E}]}]}]}"


def case(name: str, tag: str = "odd", code: str = "D") -> str:
    target = SELECTION % code
    return f"""---
id: {name}
tags: [{tag}]
conversation:
- role: user
  content: How many?
  target: {target}
"""


def answers(right: int, ids: int = 6) -> str:
    """Recorded answers, the first of them right."""
    rows = [{"id": f"q{n}", "response": yaml.safe_load(SELECTION % ("D" if n < right else "F"))} for n in range(ids)]
    return "".join(json.dumps(row) + "\n" for row in rows)


CASES = "".join(case(f"q{n}", "even" if n % 2 == 0 else "odd") for n in range(6))

SHEET = """!evaluation()
table Wanted
    !evaluation_question()
    [Question]
    !evaluation_field("Food[name]")
    [Wanted]
override
[Question],[Wanted]
"What is sour?","Lemon"
"What is sweet?","Honey;Sugar"
"""

FILES = {
    "cases.yaml": CASES,
    "good.jsonl": answers(4),
    "better.jsonl": answers(6),
    "few.jsonl": answers(2, 3),
    "empty.jsonl": "",
    "blank.jsonl": " \n\n",
    "one_bad.jsonl": answers(4) + "not json\n",
    "all_bad.jsonl": "not json\nneither\n",
    "strangers.jsonl": answers(4) + '{"id": "nobody", "response": {}}\n',
    "only_strangers.jsonl": '{"id": "nobody", "response": {}}\n',
    "repeated.jsonl": answers(4) + answers(2, 3).replace('"id"', '"repeat": 1, "id"'),
    "twice.yaml": CASES + case("q0"),
    "wrong_key.yaml": CASES + case("q7").replace("tags", "tgs"),
    "no_case.yaml": case("q7").replace("tags", "tgs"),
    "empty.yaml": "",
    "broken.yaml": "id: [",
    "codes.csv": "codelist,id,name\nCL_C,D,Another name\n",
    "unknown_key.yaml": "sutes: []\n",
    "food.sheet": SHEET,
    "no_evaluation.sheet": "table Wanted\n    [Question]\n",
    "food.csv": "name\nLemon\nHoney\nSugar\n",
    "other_metric.yaml": "suites: [{suite: data_query, cases: cases.yaml}]\n"
    "gates: [{metric: data_query.fuly_right, at_least: 1}]\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all that a verb can be given, and a store with runs."""
    folder = tmp_path_factory.mktemp("parity")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "nothing").mkdir()
    project = folder / "project"
    (project / "below").mkdir(parents=True)
    for name in ("cases.yaml", "good.jsonl", "better.jsonl"):
        (project / name).write_text(FILES[name])
    (project / "karat.yaml").write_text(
        "systems: {recording: {type: replay, predictions: good.jsonl}}\n"
        "suites: [{suite: data_query, cases: cases.yaml, system: recording}]\n"
        "store: kept/runs.db\n"
        "gates: [{metric: data_query.macro_recall, at_least: 0.5}]\n"
    )
    for store in (folder / "runs.db", project / "kept" / "runs.db"):
        for name, file in (("baseline", "good.jsonl"), ("later", "better.jsonl"), ("worse", "few.jsonl")):
            karat.run("data_query", folder / "cases.yaml", predictions=folder / file, name=name, store=store)
    number = {"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": 1}}}
    karat.run("answers", [number], predictions=[{"id": "a", "answer": 1}], name="other", store=folder / "runs.db")
    return folder


@pytest.fixture
def here(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(made)
    return made


def as_json(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def error_of(error: BaseException | None) -> dict[str, Any]:
    assert isinstance(error, karat.UserError), repr(error)
    return {"error": error.message, "hint": error.hint, "problems": as_json(error.problems)}


def typed(words: str | list[str]) -> Any:
    """What a command line gives: its JSON, or its error."""
    done = CliRunner().invoke(app, words.split() if isinstance(words, str) else words)
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return error_of(done.exception)
    return json.loads(done.stdout)


def called(function: Callable[[], Any]) -> Any:
    """What a Python function gives: its value, or its error."""
    try:
        return function()
    except karat.UserError as error:
        return error_of(error)


def plain(result: Any) -> Any:
    """A result as ``--json`` writes it, without what differs between any two runs."""
    found = json.loads(result_json(result)) if isinstance(result, karat.RunResult) else result
    if "error" not in found:
        for name in ("started", "finished"):
            assert found["run"].pop(name)
    return found


# -- score
# --------------------------------------------------------------------------------------------------------------

SCORE: dict[str, tuple[str, dict[str, Any]]] = {
    "good": ("-s data_query -c cases.yaml -p good.jsonl", {}),
    "missing answers": ("-s data_query -c cases.yaml -p few.jsonl", {}),
    "empty predictions": ("-s data_query -c cases.yaml -p empty.jsonl", {}),
    "blank predictions": ("-s data_query -c cases.yaml -p blank.jsonl", {}),
    "missing predictions": ("-s data_query -c cases.yaml -p nowhere.jsonl", {}),
    "folder of no predictions": ("-s data_query -c cases.yaml -p nothing", {}),
    "one bad prediction": ("-s data_query -c cases.yaml -p one_bad.jsonl", {}),
    "only bad predictions": ("-s data_query -c cases.yaml -p all_bad.jsonl", {}),
    "repeated": ("-s data_query -c cases.yaml -p repeated.jsonl", {}),
    "an answer to no case": ("-s data_query -c cases.yaml -p strangers.jsonl", {}),
    "answers to no case": ("-s data_query -c cases.yaml -p only_strangers.jsonl", {}),
    "unknown suite": ("-s data_qery -c cases.yaml -p good.jsonl", {}),
    "missing cases": ("-s data_query -c nowhere.jsonl -p good.jsonl", {}),
    "empty cases": ("-s data_query -c empty.yaml -p good.jsonl", {}),
    "empty folder of cases": ("-s data_query -c nothing -p good.jsonl", {}),
    "one bad case": ("-s data_query -c wrong_key.yaml -p good.jsonl", {}),
    "only bad cases": ("-s data_query -c no_case.yaml -p good.jsonl", {}),
    "broken YAML": ("-s data_query -c broken.yaml -p good.jsonl", {}),
    "duplicate ids": ("-s data_query -c twice.yaml -p good.jsonl", {}),
    "option": ("-s data_query -c cases.yaml -p good.jsonl -o errors=zero", {"options": {"errors": "zero"}}),
    "unknown option": ("-s data_query -c cases.yaml -p good.jsonl -o erors=zero", {"options": {"erors": "zero"}}),
    "option of no such value": (
        "-s data_query -c cases.yaml -p good.jsonl -o errors=no",
        {"options": {"errors": "no"}},
    ),
    "option of another type": (
        "-s data_query -c cases.yaml -p good.jsonl -o zero_division=[1]",
        {"options": {"zero_division": [1]}},
    ),
    "option that is refused": (
        "-s data_query -c cases.yaml -p good.jsonl -o today=2026-02-30",
        {"options": {"today": "2026-02-30"}},
    ),
    "tag": ("-s data_query -c cases.yaml -p good.jsonl -t even", {"tags": ["even"]}),
    "unknown tag": ("-s data_query -c cases.yaml -p good.jsonl -t evn", {"tags": ["evn"]}),
    "case": ("-s data_query -c cases.yaml -p strangers.jsonl --case q1", {"case_ids": ["q1"]}),
    "unknown case": ("-s data_query -c cases.yaml -p good.jsonl --case q77", {"case_ids": ["q77"]}),
    "limit": ("-s data_query -c cases.yaml -p good.jsonl --limit 2", {"limit": 2}),
}


def three(words: str) -> tuple[str, str, str]:
    parts = words.split()
    return parts[1], parts[3], parts[5]


@pytest.mark.parametrize("name", SCORE)
def test_score(here: Path, name: str) -> None:
    words, more = SCORE[name]
    suite, cases, predictions = three(words)
    found = plain(called(lambda: karat.score(suite, cases, predictions, **more)))
    assert found == plain(typed(f"score {words} --json -"))


def test_no_predictions_at_all_are_an_error_as_values_too(here: Path) -> None:
    assert typed("score -s data_query -c cases.yaml -p empty.jsonl")["error"] == (
        "there are no predictions in empty.jsonl: it is empty"
    )
    with pytest.raises(karat.UserError, match="no predictions were given"):
        karat.score("data_query", "cases.yaml", [])


# -- run
# ----------------------------------------------------------------------------------------------------------------

RECORDED = [name for name, (words, _) in SCORE.items() if "blank" not in name]


@pytest.mark.parametrize("name", RECORDED)
def test_run_of_recorded_predictions(here: Path, tmp_path: Path, name: str) -> None:
    words, more = SCORE[name]
    suite, cases, predictions = three(words)
    stores = [tmp_path / "typed.db", tmp_path / "called.db"]
    found = plain(called(lambda: karat.run(suite, cases, predictions=predictions, store=stores[1], **more)))
    assert found == plain(typed([*f"run {words} --json - --store".split(), str(stores[0])]))
    assert [store.exists() for store in stores] == ["error" not in found] * 2, "a mistake leaves nothing behind"


RUN: dict[str, tuple[str, dict[str, Any]]] = {
    "no system": ("-s data_query -c cases.yaml", {}),
    "unknown system": ("-s data_query -c cases.yaml --system opanai", {"system": "opanai"}),
    "system and predictions": (
        "-s data_query -c cases.yaml --system http --system-option url=http://x -p good.jsonl",
        {"system": {"type": "http", "url": "http://x"}, "predictions": "good.jsonl"},
    ),
    "unknown setting": (
        "-s data_query -c cases.yaml --system http --system-option ulr=http://x",
        {"system": {"type": "http", "ulr": "http://x"}},
    ),
    "wrong setting": (
        "-s data_query -c cases.yaml --system http --system-option url=http://x --system-option timeout=soon",
        {"system": {"type": "http", "url": "http://x", "timeout": "soon"}},
    ),
    "setting out of range": (
        "-s data_query -c cases.yaml --system http --system-option url=http://x --system-option concurrency=0",
        {"system": {"type": "http", "url": "http://x", "concurrency": 0}},
    ),
    "secret": (
        "-s data_query -c cases.yaml --system openai --system-option api_key=sk-1234567890abcdef",
        {"system": {"type": "openai", "api_key": "sk-1234567890abcdef"}},
    ),
    "function that is not there": (
        "-s data_query -c cases.yaml --system function --system-option function=nope:ask",
        {"system": {"type": "function", "function": "nope:ask"}},
    ),
    "system before the cases": ("-s data_query -c nowhere --system opanai", {"system": "opanai"}),
}


@pytest.mark.parametrize("name", RUN)
def test_run_with_a_wrong_system(here: Path, tmp_path: Path, name: str) -> None:
    words, more = RUN[name]
    store = tmp_path / "runs.db"
    cases = words.split()[3]
    found = called(lambda: karat.run("data_query", cases, store=store, **more))
    assert "error" in found
    assert found == typed([*f"run {words} --json - --store".split(), str(store)])
    if store.exists():  # opened for the run that could not start
        with open_store(f"sqlite:///{store}") as opened:
            assert opened.runs() == []


def test_a_missing_setting_is_written_as_it_is_given(here: Path, tmp_path: Path) -> None:
    words = ["run", "-s", "data_query", "-c", "cases.yaml", "--system", "openai", "--store", str(tmp_path / "a.db")]
    found, said = called(lambda: karat.run("data_query", "cases.yaml", {"type": "openai"})), typed(words)
    assert found["error"] == said["error"] == "base_url and model must be given"
    assert (found["hint"], said["hint"]) == (
        "Give base_url=… model=…",
        "Give --system-option base_url=… --system-option model=…",
    )


def test_resume(here: Path) -> None:
    for word in ("nobody", "r-0099"):
        found = called(partial(karat.run, resume=word, store="runs.db"))
        assert "error" in found
        assert found == typed(f"run --resume {word} --store runs.db --json -")
    finished = plain(called(lambda: karat.run(resume="later", store="runs.db")))
    assert finished == plain(typed("-q run --resume later --store runs.db --json -"))
    beside = called(lambda: karat.run("data_query", resume="later", limit=3, store="runs.db"))
    said = typed("run --resume later --suite data_query --limit 3 --store runs.db")
    assert beside["error"] == said["error"].replace("--", "") == "suite and limit cannot be combined with resume"
    assert beside["hint"] == said["hint"]
    assert (
        called(lambda: karat.run("data_query", "cases.yaml", retry_errors=True))["error"] == "retry_errors needs resume"
    )
    assert typed("run --retry-errors")["error"] == "--retry-errors needs --resume RUN"


def test_the_projects_system_and_store(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(made / "project" / "below")
    by_name = plain(karat.run("data_query", "../cases.yaml", "recording"))
    assert by_name["run"].pop("id") == "r-0004"
    said = plain(typed("run -s data_query -c ../cases.yaml --system recording --name= --json -"))
    assert said["run"].pop("id") == "r-0005"
    assert said["run"].pop("name") == "project", "the command line takes the project's name for its runs"
    by_name["run"].pop("name")
    assert by_name == said
    assert plain(karat.load_run()) == plain(typed("runs show --json -"))
    assert karat.compare("1", "2").to_dict() == typed("compare 1 2 --json -")["comparisons"][0]


# -- check
# --------------------------------------------------------------------------------------------------------------

CHECK: dict[str, tuple[str, dict[str, Any]]] = {
    "good": ("cases.yaml -s data_query", {}),
    "missing": ("nowhere.yaml -s data_query", {}),
    "empty": ("empty.yaml -s data_query", {}),
    "empty lines": ("empty.jsonl -s answers", {}),
    "empty folder": ("nothing -s data_query", {}),
    "unknown suite": ("cases.yaml -s data_qery", {}),
    "unknown key": ("wrong_key.yaml -s data_query", {}),
    "broken": ("broken.yaml -s data_query", {}),
    "duplicate ids": ("twice.yaml -s data_query", {}),
    "missing structures": ("cases.yaml -s data_query --structure nope.xml", {"structures": ["nope.xml"]}),
    "structures": ("cases.yaml -s data_query --structure codes.csv", {"structures": ["codes.csv"]}),
    "unknown option": ("cases.yaml -s data_query -o betta=1", {"options": {"betta": 1}}),
}


@pytest.mark.parametrize("name", CHECK)
def test_check(here: Path, name: str) -> None:
    words, more = CHECK[name]
    cases, _, suite = words.split()[:3]
    found = called(lambda: karat.check(suite, cases, **more))
    said = typed(f"check {words} --json -")
    if isinstance(found, tuple):
        assert as_json(found) == said["problems"]
    else:
        assert found == said


# -- stored runs
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["report", "runs show"])
@pytest.mark.parametrize("run", ["1", "r-0002", "baseline", "latest", "nobody", "r-0099"])
def test_load_run(here: Path, verb: str, run: str) -> None:
    assert plain(called(lambda: karat.load_run(run, store="runs.db"))) == plain(
        typed(f"{verb} {run} --json - --store runs.db")
    )


@pytest.mark.parametrize("store", ["nowhere.db", "nothing", "mysql://x", "good.jsonl", ""])
def test_a_store_that_is_none(here: Path, store: str) -> None:
    words = ["--store", store] if store else []
    found = called(lambda: karat.load_run(store=store))
    assert "error" in found
    assert found == typed(["runs", "show", "--json", "-", *words]) == typed(["report", "--json", "-", *words])
    assert found == called(lambda: karat.compare("1", "2", store=store)) == typed(["compare", "1", "2", *words])
    file = ["--scores", "scores.csv"]
    assert found == called(lambda: karat.export("1", scores=file[1], store=store)) == typed(["export", *file, *words])
    rule = "data_query.fully_right>=1"
    assert found == called(lambda: karat.gate("1", rule, store=store)) == typed(["gate", "1", "--gate", rule, *words])


SHOW: dict[str, tuple[str, dict[str, Any]]] = {
    "a case": ("q1", {"run": "later"}),
    "the newest run": ("a", {}),
    "start of an id": ("q", {"run": "later"}),
    "unknown case": ("q77", {"run": "later"}),
    "unknown run": ("q1", {"run": "nobody"}),
    "two runs": ("q5", {"run": "later", "against": "baseline"}),
    "the same run": ("q5", {"run": "later", "against": "2"}),
    "another suite": ("q5", {"run": "later", "against": "other"}),
    "missing config": ("q1", {"config": "nowhere.yaml"}),
}


@pytest.mark.parametrize("name", SHOW)
def test_show(here: Path, name: str) -> None:
    case_word, more = SHOW[name]
    store = {} if "config" in more else {"store": "runs.db"}
    found = called(lambda: karat.show(case_word, **more, **store))
    words = [word for key, value in (more | store).items() for word in (f"--{key}", value)]
    said = typed(["show", case_word, *words, "--json", "-"])
    assert (as_json(found) if isinstance(found, karat.ShownCase) else found) == said
    assert ("error" in said) == (name not in ("a case", "the newest run", "two runs"))


def test_report(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "called.json"
    assert karat.report("later", json=file, store="runs.db") == [str(file)]
    assert json.loads(file.read_bytes()) == typed("report later --json - --store runs.db")
    result = karat.load_run("later", store="runs.db")
    assert karat.report(result, json=file, html=tmp_path / "a.html") == [str(tmp_path / "a.html"), str(file)]
    assert json.loads(file.read_bytes()) == json.loads(result_json(result))
    for word in ("nobody", "r-0099"):
        found = called(partial(karat.report, word, store="runs.db"))
        assert "error" in found
        assert found == typed(f"report {word} --json - --store runs.db")
    monkeypatch.chdir(tmp_path)
    store = str(here / "runs.db")
    assert karat.report("later", store=store) == ["r-0002.xlsx"]
    (tmp_path / "r-0002.xlsx").unlink()
    done = CliRunner().invoke(app, ["report", "later", "--store", store])
    assert (done.stdout, (tmp_path / "r-0002.xlsx").is_file()) == ("wrote r-0002.xlsx\n", True)


EXPORT: dict[str, dict[str, str]] = {
    "all files": {"predictions": "a.jsonl", "scores": "s.csv", "reviews": "r.jsonl", "patch": "p.patch"},
    "answers of another suite, with files beside them": {"run": "other", "predictions": "submission.jsonl"},
    "Parquet": {"scores": "s.parquet"},
    "cases as CSV": {"to": "csv", "out": "cases.csv"},
    "cases as a promptfoo configuration": {"to": "promptfoo", "out": "promptfoo.yaml"},
    "cases without a run": {"to": "csv", "out": "cases.csv", "suite": "data_query", "cases": "cases.yaml"},
    "a folder that is not there yet": {"scores": "deep/below/s.csv"},
}
NO_EXPORT: dict[str, dict[str, str]] = {
    "nothing": {},
    "unknown run": {"run": "nobody", "scores": "s.csv"},
    "unknown format": {"to": "cvs", "out": "cases.csv"},
    "unknown suite": {"to": "csv", "out": "cases.csv", "suite": "data_qery", "cases": "cases.yaml"},
    "missing cases": {"to": "csv", "out": "cases.csv", "suite": "data_query", "cases": "nowhere.yaml"},
    "cases without a suite": {"to": "csv", "out": "cases.csv", "cases": "cases.yaml"},
    "a format beside files": {"to": "csv", "out": "cases.csv", "scores": "s.csv"},
    "a file of no format": {"out": "cases.csv"},
    "two outputs in one file": {"scores": "s.csv", "reviews": "s.csv"},
}


@pytest.mark.parametrize("name", [*EXPORT, *NO_EXPORT])
def test_export(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    asked = {"run": "later", "store": str(made / "runs.db")} | (EXPORT | NO_EXPORT)[name]
    if asked.get("cases") == "cases.yaml":
        asked["cases"] = str(made / "cases.yaml")
    words = [word for key, value in asked.items() if key != "run" for word in (f"--{key}", value)]
    found: dict[str, Any] = {}
    for way in ("typed", "called"):
        (tmp_path / way).mkdir()
        monkeypatch.chdir(tmp_path / way)
        if way == "called":
            found[way] = called(lambda: karat.export(**asked))
        else:
            done = CliRunner().invoke(app, ["export", asked["run"], *words])
            failed = done.exception is not None and not isinstance(done.exception, SystemExit)
            found[way] = error_of(done.exception) if failed else done.stderr
    if name in NO_EXPORT:
        same_mistake(found["typed"], found["called"])
    else:
        lines = [line for one in found["called"] for line in (f"wrote {one.file}", *one.notes)]
        assert found["typed"].splitlines() == lines
    files = [
        {str(file.relative_to(tmp_path / way)): file.read_bytes() for file in (tmp_path / way).rglob("*.*")}
        for way in ("typed", "called")
    ]
    assert files[0] == files[1]
    assert bool(files[0]) == (name in EXPORT)


def same_mistake(said: Any, found: Any) -> None:
    """The same but for how an option is written, and how an example looks."""
    assert said["error"].replace("--", "") == found["error"]
    if "For example" not in found["hint"]:
        assert (
            said["hint"].replace("--", "").replace("commands", "calls").replace("; only one can be -", "")
            == (found["hint"])
        )


def test_what_python_cannot_export(here: Path) -> None:
    printed = called(lambda: karat.export("later", scores="-", store="runs.db"))
    assert (printed["error"], printed["hint"]) == ("scores cannot be printed from Python", "Give a file name.")
    assert called(lambda: karat.export("later", to="csv", store="runs.db"))["error"] == "to needs out"


TUNE: dict[str, tuple[str, dict[str, Any]]] = {
    "good": ("food.sheet", {"tables": {"Food": "food.csv"}}),
    "small budget": ("food.sheet", {"tables": {"Food": "food.csv"}, "budget_tokens": 30, "max_n": 3}),
    "nothing to be found": ("food.sheet", {"tables": {"Food": "food.csv"}, "budget_tokens": 2, "max_n": 1}),
    "any truth": ("food.sheet", {"tables": {"Food": "food.csv"}, "passes": "any"}),
    "a required field that is none": ("food.sheet", {"tables": {"Food": "food.csv"}, "require": ["Food[nam]"]}),
    "no rule for passing": ("food.sheet", {"tables": {"Food": "food.csv"}, "passes": "most"}),
    "missing sheet": ("nowhere.sheet", {}),
    "missing table": ("food.sheet", {}),
    "missing file of a table": ("food.sheet", {"tables": {"Food": "nowhere.csv"}}),
    "no evaluation table": ("no_evaluation.sheet", {}),
    "unknown evaluation table": ("food.sheet", {"tables": {"Food": "food.csv"}, "evaluation": "Wnted"}),
    "unknown model": ("food.sheet", {"tables": {"Food": "food.csv"}, "models": ["bm52"]}),
}


@pytest.mark.parametrize("name", TUNE)
def test_tune(here: Path, name: str) -> None:
    file, more = TUNE[name]
    more = {"models": ["bm25"]} | more
    found = called(lambda: karat.tune(file, **more))
    words = ["tune", file, "--json", "-", "--models", ",".join(more["models"])]
    words += [word for table, place in more.get("tables", {}).items() for word in ("--table", f"{table}={place}")]
    words += [word for field in more.get("require", ()) for word in ("--require", field)]
    for key in ("budget_tokens", "max_n", "evaluation", "passes"):
        words += [f"--{key.replace('_', '-')}", str(more[key])] if key in more else []
    said = typed(words)
    assert isinstance(found, karat.Tuned) == (name in ("good", "small budget", "any truth"))
    if not isinstance(found, karat.Tuned):
        assert "error" in said and found == said
        return
    assert str(found).startswith("Wanted · 2 questions · 1 field")
    tuning = as_json(found.tuning)
    assert (tuning.pop("seconds") >= 0) and (said.pop("seconds") >= 0)
    assert tuning == said


@pytest.mark.parametrize(
    ("a", "b", "tags"),
    [
        ("baseline", "later", []),
        ("1", "worse", ["even"]),
        ("1", "nobody", []),
        ("1", "baseline", []),
        ("1", "other", []),
        ("1", "2", ["evn"]),
    ],
)
def test_compare(here: Path, a: str, b: str, tags: list[str]) -> None:
    found = called(lambda: karat.compare(a, b, tags=tags, store="runs.db"))
    said = typed(["compare", a, b, "--json", "-", "--store", "runs.db", *(w for tag in tags for w in ("--tag", tag))])
    assert (found.to_dict() == said["comparisons"][0]) if isinstance(found, karat.Compared) else (found == said)


GATE: dict[str, tuple[str | None, list[str], dict[str, Any]]] = {
    "holds": ("later", ["data_query.fully_right>=0.9"], {}),
    "broken": ("worse", ["data_query.fully_right>=0.9", "data_query.errors<=0"], {}),
    "unknown metric": ("later", ["data_query.fuly_right>=0.9"], {}),
    "unknown suite": ("later", ["data_qery.fully_right>=0.9"], {}),
    "two unknown": ("later", ["data_query.fuly_right>=0.9", "data_query.macro_recal>=1"], {}),
    "no gate": ("later", ["passed"], {}),
    "another suite": ("other", ["data_query.fully_right>=0.9"], {}),
    "no gates": ("later", [], {}),
    "unknown run": ("nobody", ["data_query.fully_right>=0.9"], {}),
    "baseline": ("worse", ["no_new_failures: {}"], {}),
    "another baseline": ("worse", ["no_new_failures: {}"], {"baseline": "later"}),
    "missing baseline": ("other", ["no_new_failures: {}"], {}),
    "unknown baseline": ("worse", ["no_new_failures: {}"], {"baseline": "nobody"}),
    "its own baseline": ("baseline", ["no_new_failures: {}"], {}),
    "newest of each suite": (None, ["data_query.fully_right>=0.9", "answers.strict>=0.5"], {}),
    "gates of the project": ("later", [], {"config": "project/karat.yaml"}),
    "gates of the project and more": ("later", ["data_query.fully_right>=1"], {"config": "project/karat.yaml"}),
    "missing config": ("later", ["data_query.fully_right>=1"], {"config": "nowhere.yaml"}),
    "unknown key in config": ("later", ["data_query.fully_right>=1"], {"config": "unknown_key.yaml"}),
    "unknown metric in config": ("later", ["data_query.fully_right>=1"], {"config": "other_metric.yaml"}),
}


@pytest.mark.parametrize("name", GATE)
def test_gate(here: Path, name: str) -> None:
    run, rules, more = GATE[name]
    found = called(lambda: karat.gate(run, rules, store="runs.db", **more))
    words = ["gate", *([run] if run else []), *(word for rule in rules for word in ("--gate", rule))]
    words += [word for key, value in more.items() for word in (f"--{key}", value)]
    check_verdicts(found, typed([*words, "--json", "-", "--store", "runs.db"]))


def check_verdicts(found: Any, said: Any) -> None:
    if not isinstance(found, karat.Verdicts):
        assert found == said
        return
    assert found.passed == said["passed"]
    assert as_json([msgspec.structs.asdict(one) | {"passed": one.passed} for one in found]) == said["gates"]


def test_a_stored_run_is_checked_against_the_gates_of_its_project_too(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(made / "project")
    found = karat.gate("later", "data_query.fully_right>=0.9")
    assert len(found) == 2
    check_verdicts(found, typed(["gate", "later", "--gate", "data_query.fully_right>=0.9", "--json", "-"]))
