"""The gold linter on small broken golds, on the public gold, and on the example."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import Problem
from karat.suites.answers.cases import load_cases
from karat.suites.answers.gold.check import check_cases
from karat.suites.answers.gold.table_heads import HEAD_BYTES, csv_head
from karat.suites.answers.options import Options
from karat.suites.answers.records import Gold
from karat.suites.answers.spider2.judge import judge as judge_spider2
from karat.suites.answers.strict.judge import judge as judge_strict
from tests.conftest import ROOT
from tests.suites.answers.making import answers, entry, gold_folder, golds, lines, write


def findings(path: Path) -> Sequence[Problem]:
    """All that ``karat check`` reports: what is found while the gold is read, and what the linter adds."""
    loaded = load_cases(path)
    return (*loaded.problems, *check_cases(loaded.cases, [], Options()).problems)


def check(tmp_path: Path, evaluation: Any, **row: Any) -> Sequence[Problem]:
    files: dict[str, str | bytes] = {"a/r.csv": "n,m\n1,2\n", "a/s.csv": "n,m,o\n1,2,3\n", "a/bare.csv": "n,m\n"}
    files |= {"a/empty.csv": "", "a/binary.csv": b"PK\0\3", "a/semicolons.csv": "\ufeffn;m\r\n1;2,5\r\n"}
    files |= {"a/excel.csv": b"PK\3\4\0\0[Content_Types].xml xl/workbook.xml"}
    return findings(gold_folder(tmp_path, [{"instance_id": "a", "evaluation": evaluation, **row}], files))


GOOD = [
    entry("string_match", gold=["x", "y"], conj="and", exclude=["z"]),
    entry("string_match", gold="x", exclude=[]),
    entry("number_match", gold=["17.5%", 3, 2.5], percentage=True, precision=2, conj="or"),
    entry("table_match", gold="r.csv", condition_cols=[0, 1], ignore_order=True),
    entry("table_match", gold=["r.csv", "s.csv"], condition_cols=[[1], [2]], ignore_order=False),
    entry("table_match", gold=["r.csv", "s.csv"], condition_cols=[]),
    entry("tables_match", gold=["r.csv", "s.csv"], condition_cols=[[], [2]], ignore_orders=[True, False]),
]


def test_good_gold_has_no_findings(tmp_path: Path) -> None:
    assert check(tmp_path, GOOD) == ()


@pytest.mark.parametrize(
    ("evaluation", "said", "severity"),
    [
        (entry("table_match", gold="r.csv", condition_cols=[0, 2]), "column 2 of r.csv, which has 2 columns", "error"),
        (entry("table_match", gold=["r.csv", "s.csv"], condition_cols=[[0], [3, 4]]), "columns 3, 4 of s.csv", "error"),
        (entry("table_match", gold="r.csv", condition_cols=[-1]), "contains -1, which is not a column", "error"),
        (entry("table_match", gold="r.csv", condition_cols=["n"]), "which is not a column", "error"),
        (entry("table_match", gold="r.csv", condition_cols=0), "must be a list of columns", "error"),
        (entry("table_match", gold="r.csv", condition_cols=[0, [1]]), "mixes", "error"),
        (
            entry("table_match", gold="r.csv", condition_cols=[[0], [1]]),
            "2 lists of condition_cols for 1 gold table",
            "error",
        ),
        (entry("table_match", gold=["r.csv", "s.csv"], condition_cols=[0]), "for several golds", "warning"),
        (entry("table_match", gold="r.csv", ignore_order=[True, False]), "one flag for all golds", "error"),
        (entry("table_match", gold="r.csv", ignore_order=[True]), "one flag for all golds", "warning"),
        (entry("table_match", gold="r.csv", ignore_order="yes"), "must be true or false", "error"),
        (entry("table_match", gold="r.csv", ignore_orders=True), 'no parameter "ignore_orders"', "error"),
        (entry("table_match", gold="r.csv", exclude=["x"]), 'no parameter "exclude"', "error"),
        (entry("table_match", gold="r.csv", rel_tol=0.1), 'no parameter "rel_tol"', "error"),
        (entry("table_match", gold="none.csv"), "there is no gold file a/none.csv", "warning"),
        (entry("table_match", gold="empty.csv"), "empty.csv is empty", "error"),
        (entry("table_match", gold="bare.csv"), "a header and no rows", "warning"),
        (entry("table_match", gold="binary.csv"), "NUL bytes", "error"),
        (entry("table_match", gold="excel.csv"), "excel.csv is an Excel file", "error"),
        (entry("table_match", gold="semicolons.csv"), "semicolons.csv is separated by semicolons", "error"),
        (
            entry("tables_match", gold=["r.csv", "s.csv"], condition_cols=[[0]]),
            "1 list of condition_cols for 2",
            "error",
        ),
        (entry("tables_match", gold=["r.csv"], ignore_orders=True), "must be a list of true and false", "error"),
        (entry("tables_match", gold=["r.csv"], ignore_orders=[True, True]), "2 flags", "error"),
        (entry("tables_match", gold=["r.csv"], condition_cols=[0]), "a list for each table", "error"),
        (entry("tables_match", gold=["r.csv"], condition_cols=[[5]]), "column 5 of r.csv", "error"),
        (entry("string_match", gold=["x", ""]), "every answer contains it", "error"),
        (entry("string_match", gold=[1]), "must be strings", "error"),
        (entry("string_match", gold=[]), "no gold text", "error"),
        (entry("string_match", gold="x", exclude=["", "y"]), "no answer can pass", "error"),
        (entry("string_match", gold="x", exclude="y"), "not a list", "warning"),
        (entry("string_match", gold="x", exclude=None), "is null: no answer can pass", "error"),
        (entry("tables_match", gold=["r.csv"], condition_cols=[]), "0 lists of condition_cols for 1", "error"),
        (entry("tables_match", gold=["r.csv"], ignore_orders=[]), "0 flags", "error"),
        (entry("duckdb_match", gold="r.duckdb", condition_tabs=[]), "every answer passes", "error"),
        (entry("string_match", gold=["Big Ben"], exclude=["big"]), "no answer can pass", "error"),
        (entry("string_match", gold="x", conj="any"), '"and" or "or"', "error"),
        (entry("number_match", gold="twelve"), "there is no number in the gold 'twelve'", "error"),
        (entry("number_match", gold=[]), "no gold number", "error"),
        (entry("number_match", gold=1, percentage="yes"), "percentage must be", "error"),
        (entry("number_match", gold=1, precision=0.01), "precision must be", "error"),
        ({**entry("string_match", gold="x"), "exclude": ["y"]}, "next to the parameters of string_match", "error"),
        (entry("tabel_match", gold="r.csv"), 'there is no function "tabel_match"', "error"),
    ],
)
def test_each_mistake_is_named_at_its_row(tmp_path: Path, evaluation: Any, said: str, severity: str) -> None:
    found = check(tmp_path, evaluation)
    hits = [problem for problem in found if said in problem.message]
    assert len(hits) == 1, [problem.message for problem in found]
    assert hits[0].message.startswith("a: ")
    assert (Path(hits[0].file).name, hits[0].line, hits[0].severity) == ("spider2_eval.jsonl", 1, severity)


def test_a_missing_gold_file_has_its_nearest_neighbour_in_the_hint(tmp_path: Path) -> None:
    (found,) = check(tmp_path, entry("table_match", gold="semicolon.csv"))
    assert found.hint.startswith('Did you mean "semicolons.csv"?')


@pytest.mark.parametrize(
    ("gold", "usable"), [("12.5%", True), ("12,480", True), ("1 234,5", False), ("0,5", False), ("1.234.567", False)]
)
def test_gold_of_your_own_has_only_numbers_that_strict_can_judge(tmp_path: Path, gold: str, usable: bool) -> None:
    row = {"instance_id": "a", "evaluation": entry("number_match", gold=gold)}
    found = findings(write(tmp_path, {"karat_gold.jsonl": lines(row)}))
    assert [problem.message for problem in found] == (
        [] if usable else [f"a: the gold {gold!r} of number_match is not one number"]
    )


def test_an_exclude_that_leaves_one_gold_is_fine(tmp_path: Path) -> None:
    assert check(tmp_path, entry("string_match", gold=["Big Ben", "clock"], exclude=["big"])) == ()


def test_flat_gold(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"instance_id": "gap", "condition_cols": [[0], [1]], "ignore_order": True},
        {"instance_id": "both", "condition_cols": [1], "ignore_orders": True},
        {"instance_id": "moves", "condition_cols": [], "ignore_order": True, "temporal": True},
    ]
    names = ("gap_b", "gap_d", "both", "both_a", "moves")
    write(tmp_path, {"x_eval.jsonl": lines(*rows), **{f"exec_result/{name}.csv": "n\n1\n" for name in names}})
    assert [(problem.line, problem.severity, problem.message) for problem in findings(tmp_path)] == [
        (2, "warning", 'both: the key "ignore_orders" is ignored'),
        (1, "error", "gap: condition_cols asks for column 1 of gap_d.csv, which has 1 column"),
        (1, "warning", "gap: there is no gold file gap_a.csv, gap_c.csv, though later letters exist"),
        (2, "error", "both: condition_cols asks for column 1 of both.csv, which has 1 column"),
        (2, "error", "both: condition_cols asks for column 1 of both_a.csv, which has 1 column"),
        (2, "warning", "both: there is both.csv and also both_a.csv"),
        (0, "warning", "1 instance with temporal: true and no gold SQL: moves"),
    ]


def test_own_gold(tmp_path: Path) -> None:
    good = {"instance_id": "a", "status": "good", "ties": {"by": ["n"], "at": 2}}
    good["evaluation"] = entry("table_match", gold="r.csv", rel_tol=0.01, allow_shape=True)
    bad = {**good, "instance_id": "b", "status": "fine", "ties": {"by": "n", "at": 0, "of": 3}}
    write(tmp_path, {"karat_gold.jsonl": lines(good, bad), "r.csv": "n\n1\n"})
    found = findings(tmp_path)
    assert [problem.line for problem in found] == [2] * 4
    for word in ("status 'fine'", '"by"', '"at"', '"of"'):
        assert any(word in problem.message for problem in found)


def test_duckdb_gold(tmp_path: Path) -> None:
    import duckdb

    (tmp_path / "a").mkdir()
    with duckdb.connect(str(tmp_path / "a/g.duckdb")) as connection:
        connection.execute("CREATE TABLE trips (day DATE, n INTEGER)")
    write(tmp_path, {"a/broken.duckdb": "not a database"})
    tabs = {"condition_tabs": ["trips", "none"], "ignore_orders": [True, True]}
    rows = [
        {"instance_id": "a", "evaluation": entry("duckdb_match", gold="g.duckdb", condition_cols=[[0, 2], []], **tabs)},
    ]
    said = [problem.message for problem in findings(gold_folder(tmp_path, rows))]
    assert said == [
        "a: none is not a table of g.duckdb, which has trips",
        "a: condition_cols asks for column 2 of trips, which has 2 columns",
    ]
    rows = [{"instance_id": "a", "evaluation": entry("duckdb_match", gold="broken.duckdb")}]
    assert "broken.duckdb cannot be opened" in findings(gold_folder(tmp_path, rows))[0].message


def test_the_head_of_a_table(tmp_path: Path) -> None:
    wide = ",".join(f"column_{number}" for number in range(HEAD_BYTES[0] // 8))
    files: dict[str, str | bytes] = {"wide.csv": f"{wide}\n1\n", "quoted.csv": '\ufeff\n\n"a\nb","c\u2028d"\n1,2\n'}
    write(tmp_path, files)
    assert len(csv_head(str(tmp_path / "wide.csv")).columns) == HEAD_BYTES[0] // 8
    assert csv_head(str(tmp_path / "quoted.csv")).columns == ("a\nb", "c\u2028d")
    assert "cannot be read" in csv_head(str(tmp_path / "none.csv")).trouble


@pytest.mark.parametrize("rest", ["1\n", "1,2,3\n"])
def test_a_gold_table_is_read_to_its_end(tmp_path: Path, rest: str) -> None:
    rows = [{"instance_id": "a", "evaluation": entry("table_match", gold="g.csv")}]
    folder = gold_folder(tmp_path, rows)
    write(folder / "a", {"g.csv": "x,y\n" + "1,2\n" * 50 + rest})
    assert [found.message for found in findings(folder) if "a: g.csv cannot be read: line 52" in found.message]
    write(folder / "a", {"g.csv": "x,y\n" + "1,2\n" * 50})
    assert list(findings(folder)) == []


@pytest.mark.shared_data
def test_the_public_defects_are_found(shared: Path) -> None:
    def errors(name: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for problem in findings(shared / "data/spider2" / name / "evaluation_suite/gold"):
            if problem.severity == "error":
                instance, _, message = problem.message.partition(": ")
                found.setdefault(instance, []).append(message)
                assert problem.line > 0
        return found

    lite, old = errors("lite"), errors("old")
    assert sorted(lite) == ["bq060", "bq169", "bq389", "sf_bq236"]
    for name in ("sf_bq236", "bq060", "bq169"):
        assert "lists of condition_cols for" in lite[name][0]
    assert all("condition_cols asks for columns" in message for message in lite["bq389"])
    assert sorted(old) == ["bq119", "bq330", "ga003", "sf_bq036", "sf_bq093", "sf_bq166", "sf_bq213"]
    assert "column 8 of result.csv, which has 8 columns" in old["sf_bq166"][0]
    for name in ("ga003", "bq119", "sf_bq093"):
        assert "one flag for all golds, found the list" in old[name][0]
    assert 'no parameter "exclude"' in old["sf_bq036"][0]
    assert errors("dbt") == {}


def test_the_example_is_clean_gold_and_a_mixed_submission() -> None:
    example = ROOT / "examples/answers"
    assert findings(example / "gold") == ()
    gold, answered = golds(example / "gold"), answers(example / "submission")
    functions = {item.func for each in gold.values() for item in each.entries}
    assert functions == {"string_match", "number_match", "table_match", "tables_match", "duckdb_match"}
    assert set(gold) - set(answered) == {"lost_property"}
    assert set(answered) <= set(gold)
    assert [name for name, answer in answered.items() if answer.problem] == ["timetable"]
    assert answered["share_of_bicycles"].text == "17.5056918%"


def status_of(loaded: LoadedCases) -> str:
    gold = loaded.cases[0].conversation[0].target
    assert isinstance(gold, Gold)
    return gold.status


LOST = [
    ("own", {"exclude": ["Lund"]}, {"excude": ["Lund"]}, 'string_match has no parameter "excude"', "exclude"),
    ("own", {"conj": "and"}, {"cnoj": "and"}, 'string_match has no parameter "cnoj"', "conj"),
    ("own", {}, {"strictness": 3}, 'string_match has no parameter "strictness"', ""),
]


@pytest.mark.parametrize(("family", "meant", "written", "said", "near"), LOST)
def test_a_parameter_that_nothing_reads_judges_nothing(
    tmp_path: Path, family: str, meant: dict[str, Any], written: dict[str, Any], said: str, near: str
) -> None:
    """``excude: [Lund]`` let "Berg or Lund" pass, and neither run nor score said a word."""
    for name, parameters, problems in (("right", meant, 0), ("slip", written, 1)):
        folder = tmp_path / name
        row = {"instance_id": "a", "evaluation": entry("string_match", gold=["Berg"], **parameters)}
        write(folder, {"karat_gold.jsonl": lines(row)})
        loaded = load_cases(folder)
        assert len(loaded.problems) == problems
        assert status_of(loaded) == ("unreadable" if problems else "good")
    (problem,) = loaded.problems
    assert (problem.line, problem.severity) == (1, "error")
    assert said in problem.message and near in problem.hint


@pytest.mark.parametrize(
    ("key", "value", "meant", "severity"),
    [
        ("evalution", None, "evaluation", "error"),
        ("tis", {"by": ["n"], "at": 3}, "ties", "error"),
        ("teis", {"by": ["n"], "at": 3}, "ties", "error"),
        ("staus", "wrong", "status", "error"),
        ("expct", {}, "expect", "error"),
        ("clster", "c", "cluster", "warning"),
        ("instuction", "Who?", "instruction", "warning"),
    ],
)
def test_a_slip_in_a_row_is_told_when_it_is_read(
    tmp_path: Path, key: str, value: Any, meant: str, severity: str
) -> None:
    judged = entry("string_match", gold=["Berg"])
    row = {"instance_id": "a", "evaluation": judged, key: value} if value is not None else {"instance_id": "a"}
    write(tmp_path, {"karat_gold.jsonl": lines({**row, key: judged if value is None else value})})
    loaded = load_cases(tmp_path)
    (slip,) = [problem for problem in loaded.problems if f'"{key}"' in problem.message]
    assert (slip.severity, slip.hint) == (severity, f'Did you mean "{meant}"?')
    assert (status_of(loaded) == "unreadable") == (severity == "error")


def test_notes_of_the_user_are_no_slips(tmp_path: Path) -> None:
    notes = {"derived_from": "x", "toks": 3, "expected": "37", "source": "s", "difficulty": "hard", "external": "e"}
    write(tmp_path, {"karat_gold.jsonl": lines({"instance_id": "a", "evaluation": GOOD[0], **notes})})
    assert findings(tmp_path) == ()


def test_no_mistake_is_told_twice(tmp_path: Path) -> None:
    rows = [
        {"instance_id": "a", "evaluation": entry("strng_match", gold="x")},
        {"instance_id": "b", "evaluation": entry("string_match", gold="x", excude=["y"])},
    ]
    write(tmp_path, {"karat_gold.jsonl": lines(*rows)})
    assert [problem.line for problem in findings(tmp_path)] == [1, 2]


LFS_POINTER = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\nsize 12345\n"


def test_gold_that_is_only_a_git_lfs_pointer_judges_nothing(tmp_path: Path) -> None:
    """Both sides come from a clone without Git LFS: the same pointer in both is no right answer, nor a wrong one."""
    rows: list[dict[str, Any]] = [
        {"instance_id": name, "condition_cols": [], "ignore_order": True} for name in ("both", "other")
    ]
    files: dict[str, str | bytes] = {"exec_result/both.csv": LFS_POINTER, "exec_result/other_a.csv": LFS_POINTER}
    folder = gold_folder(tmp_path / "gold", rows, files | {"exec_result/other_b.csv": "n\n1\n"})
    found = golds(folder)
    assert (found["both"].status, found["other"].status) == ("unreadable", "suspect")
    assert "git lfs pull" in found["both"].problem
    submitted = answers(write(tmp_path / "given", {"both.csv": LFS_POINTER, "other.csv": LFS_POINTER}))
    assert judge_strict(found["both"], submitted["both"]).state == "gold_error"
    recomputed = msgspec.structs.replace(found["both"], status="good", problem="")
    assert judge_strict(recomputed, submitted["both"]).state == "gold_error"
    assert judge_spider2(recomputed, submitted["both"]).reason == "gold_error"
    assert not judge_spider2(found["other"], submitted["other"])  # the pointer among several golds passes nothing
    told = [problem for problem in findings(folder) if "pointer" in problem.message]
    assert [problem.hint for problem in told] == ["Run git lfs pull where the file comes from."] * 2
