"""Gold sets of the three families, whole and broken."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.problems import Problem, UserError
from karat.core.records import Case
from karat.suites.answers.cases import gold_sql, load_cases, stream_cases
from karat.suites.answers.records import Gold
from tests.suites.answers.making import entry, gold_folder, golds, lines, write

CONTRACT_SAMPLE = """{
    "instance_id": "b544",
    "evaluation": {
        "func": "number_match",
        "parameters": {
            "gold": "17.5056918795851%",
            "percentage": true
        }
    }
},
{
    "instance_id": "0bcf",
    "evaluation": {
        "func": "string_match",
        "parameters": {
            "gold": ["Blue bottle"],
            "exclude": ["White pen", "Red shirt"]
        }
    }
},
{
    "instance_id": "335f",
    "instruction": "How long was the visit?",
    "type": "Bigquery",
    "derived_from": "bq188",
    "evaluation": {
        "func": "number_match",
        "temporal": true,
        "parameters": {
        }
    }
},
{

}
"""


def test_the_contracts_own_sample(tmp_path: Path) -> None:
    write(tmp_path, {"spider2_eval.jsonl": CONTRACT_SAMPLE})
    loaded = load_cases(tmp_path)
    assert loaded.problems == ()
    assert [(case.id, case.source.line) for case in loaded.cases] == [("b544", 1), ("0bcf", 11), ("335f", 21)]
    first, second, third = golds(tmp_path).values()
    assert first.entries[0].parameters == {"gold": "17.5056918795851%", "percentage": True}
    assert second.entries[0].func == "string_match"
    assert (third.temporal, third.status) == (True, "unreadable")
    assert "no gold SQL" in third.problem
    case = loaded.cases[2]
    assert case.question == "How long was the visit?"
    assert case.tags == ("Bigquery",)
    assert case.metadata == {"instruction": "How long was the visit?", "type": "Bigquery", "derived_from": "bq188"}


def test_files_of_the_contract_lie_in_the_folder_of_the_instance(tmp_path: Path) -> None:
    evaluation = [
        entry("table_match", gold=["r.csv", "s.csv"], condition_cols=[[0], []], ignore_order=True),
        entry("string_match", gold="x"),
    ]
    gold_folder(tmp_path, [{"instance_id": "a", "evaluation": evaluation}], {"a/r.csv": "n\n1\n", "a/s.csv": "n\n2\n"})
    gold = golds(tmp_path)["a"]
    assert (gold.family, gold.status, gold.problem) == ("contract", "good", "")
    assert [Path(file).read_text() for file in gold.entries[0].gold_files] == ["n\n1\n", "n\n2\n"]
    assert gold.entries[0].parameters == {"gold": ["r.csv", "s.csv"], "condition_cols": [[0], []], "ignore_order": True}
    assert gold.entries[1].gold_files == ()


def test_flat_gold(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "one", "condition_cols": [0], "ignore_order": True, "toks": "132"},
        {"instance_id": "many", "condition_cols": [[0], [1]], "ignore_order": False, "temporal": True},
        {"instance_id": "many_b", "condition_cols": [], "ignore_order": True},
        {"instance_id": "none", "condition_cols": [], "ignore_order": True},
    ]
    files = {f"exec_result/{name}.csv": "n\n" for name in ("one", "many_c", "many_a", "many_b", "other", "one_more")}
    write(tmp_path, {"spider2lite_eval.jsonl": lines(*rows), **files, "sql/many.sql": "SELECT 1"})
    found = golds(tmp_path)
    assert {name: gold.family for name, gold in found.items()} == dict.fromkeys(found, "flat")
    assert found["one"].entries[0].parameters == {"gold": ["one.csv"], "condition_cols": [0], "ignore_order": True}
    # many_b.csv is the gold of the instance "many_b", not a second gold of "many".
    assert found["many"].entries[0].parameters["gold"] == ["many_a.csv", "many_c.csv"]
    assert [Path(file).name for file in found["many_b"].entries[0].gold_files] == ["many_b.csv"]
    assert (found["many"].temporal, gold_sql(found["many"])) == (True, "SELECT 1")
    assert (found["none"].status, found["none"].entries) == ("unreadable", ())
    assert "exec_result/none.csv" in found["none"].problem
    assert load_cases(tmp_path).cases[0].metadata == {"toks": "132"}


def test_own_gold_has_more_keys_and_files_beside_it(tmp_path: Path) -> None:
    row = {
        "instance_id": "a",
        "question": "Which?",
        "tags": ["hard", "top"],
        "ties": {"by": ["n"], "at": 2},
        "as_of": "2024-05-01",
        "status": "suspect",
        "evaluation": entry("table_match", gold="r.csv"),
    }
    write(tmp_path, {"karat_gold.jsonl": lines(row), "r.csv": "n\n1\n"})
    case = load_cases(tmp_path).cases[0]
    gold = golds(tmp_path)["a"]
    assert (gold.family, gold.ties, gold.as_of, gold.status) == ("own", {"by": ["n"], "at": 2}, "2024-05-01", "suspect")
    assert Path(gold.entries[0].gold_files[0]).name == "r.csv"
    assert (case.tags, case.question, case.metadata) == (("hard", "top"), "Which?", {"question": "Which?"})


@pytest.mark.parametrize(
    ("evaluation", "said"),
    [
        (entry("tabel_match", gold="r.csv"), 'Did you mean "table_match"?'),
        ({"parameters": {}}, 'no "func"'),
        ({"func": "string_match", "parameters": ["x"]}, "must be an object"),
        ("string_match", "must be an object"),
        ([], 'no "evaluation"'),
        (entry("table_match", gold=[1]), "must name files"),
        (entry("table_match", gold="none.csv"), "there is no gold file a/none.csv"),
        (entry("table_match", gold="../secret.csv"), '".."'),
        (entry("table_match", gold="/etc/passwd"), "absolute"),
        (entry("table_match", gold="link.csv"), "points outside"),
        (entry("tables_match", gold=["r.csv", "none.csv"]), "a/none.csv"),
        (entry("table_match"), "what the right answer is"),
        (entry("string_match"), "what the right answer is"),
    ],
)
def test_a_gold_that_cannot_be_used_still_loads(tmp_path: Path, evaluation: Any, said: str) -> None:
    files: dict[str, str | bytes] = {"a/r.csv": "n\n1\n", "../secret.csv": "s"}
    root = gold_folder(tmp_path / "gold", [{"instance_id": "a", "evaluation": evaluation}], files)
    (root / "a/link.csv").symlink_to("../../secret.csv")
    gold = golds(root)["a"]
    assert gold.status == "unreadable"
    assert said in gold.problem


def test_one_gold_of_several_is_enough_and_keeps_its_place(tmp_path: Path) -> None:
    evaluation = entry("table_match", gold=["none.csv", "r.csv"], condition_cols=[[1], [0]])
    gold = golds(gold_folder(tmp_path, [{"instance_id": "a", "evaluation": evaluation}], {"a/r.csv": "n\n"}))["a"]
    assert (gold.status, gold.problem) == ("suspect", "there is no gold file a/none.csv")
    assert [Path(file).name for file in gold.entries[0].gold_files] == ["none.csv", "r.csv"]


def test_flat_links_that_lead_out_cost_only_their_instance(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"instance_id": name, "condition_cols": []} for name in ("a", "b", "c")]
    root = write(tmp_path / "gold", {"x.jsonl": lines(*rows), "exec_result/b.csv": "n\n", "../out.csv": "s"})
    (root / "exec_result/a.csv").symlink_to("../../out.csv")
    (root / "exec_result/c.csv").symlink_to("b.csv")
    found = golds(root)
    assert {name: gold.status for name, gold in found.items()} == {"a": "unreadable", "b": "good", "c": "good"}
    shutil.move(root / "exec_result", tmp_path / "elsewhere")
    (root / "exec_result").symlink_to("../elsewhere", target_is_directory=True)
    assert {gold.status for gold in golds(root).values()} == {"unreadable"}


def test_gold_sql_by_name_and_by_text(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "named", "temporal": True, "evaluation": entry("table_match", sql="q.sql")},
        {"instance_id": "inline", "temporal": True, "evaluation": entry("table_match", sql="SELECT 2")},
        {"instance_id": "still", "evaluation": entry("table_match", sql="SELECT 3")},
    ]
    found = golds(gold_folder(tmp_path, rows, {"named/q.sql": "SELECT 1"}))
    assert [(gold_sql(gold), gold.status) for gold in found.values()] == [
        ("SELECT 1", "good"),
        ("SELECT 2", "good"),
        ("SELECT 3", "unreadable"),
    ]


def test_rows_that_cannot_be_told_apart_are_problems(tmp_path: Path) -> None:
    row = {"instance_id": "a", "evaluation": entry("string_match", gold="x")}
    text = lines(row, {"instanceid": "b"}, row) + "{broken\n" + lines({**row, "instance_id": "c"})
    write(tmp_path, {"spider2_eval.jsonl": text})
    loaded = load_cases(tmp_path)
    assert [case.id for case in loaded.cases] == ["a", "c"]
    assert sorted(problem.line for problem in loaded.problems) == [2, 3, 4]
    said = " ".join(f"{problem.message} {problem.hint}" for problem in loaded.problems)
    assert "appears twice: also in line 1" in said
    assert 'without "instance_id"' in said


def test_which_file_is_the_gold(tmp_path: Path) -> None:
    row = lines({"instance_id": "a", "evaluation": entry("string_match", gold="x")})
    write(tmp_path / "suite", {"gold/one.jsonl": row, "gold/two.jsonl": row})
    with pytest.raises(UserError, match=r"one\.jsonl, two\.jsonl"):
        load_cases(tmp_path / "suite/gold")
    assert len(load_cases(tmp_path / "suite/gold/two.jsonl").cases) == 1
    write(tmp_path / "suite", {"gold/spider2snow_eval.jsonl": row})
    assert Path(load_cases(tmp_path / "suite/gold").cases[0].source.file).name == "spider2snow_eval.jsonl"
    with pytest.raises(UserError) as caught:
        load_cases(tmp_path / "suite")
    assert "suite/gold?" in caught.value.hint
    with pytest.raises(UserError, match="no such file"):
        load_cases(tmp_path / "none")


def test_a_case_survives_the_store(tmp_path: Path) -> None:
    rows = [{"instance_id": "a", "evaluation": entry("table_match", gold="r.csv", condition_cols=[[0]])}]
    case = load_cases(gold_folder(tmp_path, rows, {"a/r.csv": "n\n"})).cases[0]
    assert msgspec.json.decode(msgspec.json.encode(case), type=Case[Gold]) == case


@pytest.mark.shared_data
@pytest.mark.parametrize(
    ("name", "count", "unreadable", "entries"),
    [("lite", 547, 1, 546), ("old", 632, 71, 905), ("dbt", 68, 68, 68)],
)
def test_public_gold_loads_whole(shared: Path, name: str, count: int, unreadable: int, entries: int) -> None:
    loaded = load_cases(shared / "data/spider2" / name / "evaluation_suite/gold")
    assert (len(loaded.cases), loaded.problems) == (count, ())
    found = list(golds(shared / "data/spider2" / name / "evaluation_suite/gold").values())
    assert Counter(gold.status for gold in found)["unreadable"] == unreadable
    assert sum(len(gold.entries) for gold in found) == entries
    files = [file for gold in found for item in gold.entries for file in item.gold_files]
    # The old folder has 606 tables, of which its rows name 602.
    assert sum(Path(file).is_file() for file in files) == {"lite": 1525, "old": 602, "dbt": 0}[name]


@pytest.mark.parametrize("form", ["clean", "sample", "utf-16"])
def test_a_gold_file_gives_its_instances_one_by_one_too(tmp_path: Path, form: str) -> None:
    rows = [
        '{"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": 1}}}',
        '{"instance_id": "b", "evaluation": {"func": "number_match", "parameters": {"gold": 2}}}',
        '{"instance_id": "a", "evaluation": {"func": "number_match", "parameters": {"gold": 3}}}',
        '{"instance": "c"}',
    ]
    text = CONTRACT_SAMPLE if form == "sample" else "\n\n".join(rows)
    file = tmp_path / "spider2_eval.jsonl"
    file.write_bytes(text.encode("utf-16" if form == "utf-16" else "utf-8"))
    loaded, streamed = load_cases(file), list(stream_cases(file))
    assert [one for one in streamed if not isinstance(one, Problem)] == list(loaded.cases)
    assert [one for one in streamed if isinstance(one, Problem)] == list(loaded.problems)
    assert form == "sample" or ([case.id for case in loaded.cases], len(loaded.problems)) == (["a", "b"], 2)
