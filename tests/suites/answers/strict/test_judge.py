"""Whole answers against whole golds, with real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from karat.suites.answers.records import REASONS, Answer, Entry, Gold, Verdict
from karat.suites.answers.strict.judge import judge

TABLE = "city,people\nParis,2100000\nLyon,520000\nNice,340000\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "gold").mkdir()
    (tmp_path / "given").mkdir()
    return tmp_path


def csv(folder: Path, side: str, name: str, text: str) -> str:
    path = folder / side / name
    path.write_text(text)
    return str(path)


def against(
    folder: Path, gold: str | list[str], given: str, ties: dict[str, Any] | None = None, **parameters: Any
) -> Verdict:
    golds = [gold] if isinstance(gold, str) else gold
    files = tuple(csv(folder, "gold", f"gold_{index}.csv", text) for index, text in enumerate(golds))
    entry = Entry("table_match", parameters, files)
    verdict = judge(
        Gold("one", (entry,), ties=ties), Answer("one", "file", paths=(csv(folder, "given", "out.csv", given),))
    )
    assert verdict.reason in (*REASONS, "")
    return verdict


def test_texts_and_numbers_the_best_counts() -> None:
    entries = (Entry("string_match", {"gold": ["Lyon"]}), Entry("number_match", {"gold": "184"}))
    assert judge(Gold("one", entries), Answer("one", "answer", "184"))
    assert judge(Gold("one", entries), Answer("one", "answer", "Lyon"))
    assert judge(Gold("one", entries), Answer("one", "answer", "Paris")).state == "wrong"
    assert judge(Gold("one", entries), Answer("one", "answer", "not Lyon, Paris")).state == "needs_review"


def test_the_last_table_entry_decides(folder: Path) -> None:
    right, other = csv(folder, "gold", "a.csv", TABLE), csv(folder, "gold", "b.csv", "x\n1\n")
    given = Answer("one", "file", paths=(csv(folder, "given", "out.csv", TABLE),))
    first = Entry("table_match", {}, (right,))
    last = Entry("table_match", {}, (other,))
    assert judge(Gold("one", (last, first)), given).state == "right"
    assert judge(Gold("one", (first, last)), given).state == "wrong"


def test_an_answer_of_the_other_kind(folder: Path) -> None:
    file = Answer("one", "file", paths=(csv(folder, "given", "out.csv", TABLE),))
    assert judge(Gold("one", (Entry("string_match", {"gold": "x"}),)), file).reason == "shape_differs"
    table = Entry("table_match", {}, (csv(folder, "gold", "a.csv", TABLE),))
    assert judge(Gold("one", (table,)), Answer("one", "answer", "Paris")).reason == "shape_differs"


def test_answers_that_cannot_be_used(folder: Path) -> None:
    gold = Gold("one", (Entry("table_match", {}, (csv(folder, "gold", "a.csv", TABLE),)),))
    missing = judge(gold, Answer("one", "file", problem="out.csv is not there"))
    assert (missing.reason, missing.evidence) == ("missing_prediction", {"problem": "out.csv is not there"})
    outside = Answer("one", "file", paths=("/nowhere/x.csv",), problem="the path leaves the folder")
    assert judge(gold, outside).reason == "unreadable_prediction"
    assert judge(gold, Answer("one", "file")).reason == "missing_prediction"
    ragged = Answer("one", "file", paths=(csv(folder, "given", "bad.csv", "a,b\n1\n"),))
    verdict = judge(gold, ragged)
    assert (verdict.reason, verdict.evidence["kind"]) == ("unreadable_prediction", "ragged")
    text = Gold("one", (Entry("string_match", {"gold": "x"}),))
    assert judge(text, Answer("one", "answer", "  ")).reason == "missing_prediction"


@pytest.mark.parametrize(
    "gold",
    [
        Gold("one", (), status="unreadable", problem="no such file"),
        Gold("one", ()),
        Gold("one", (Entry("number_match", {}),)),
        Gold("one", (Entry("string_match", {"gold": []}),)),
        Gold("one", (Entry("number_match", {"gold": "5", "rel_tol": "much"}),)),
        Gold("one", (Entry("number_match", {"gold": "5", "precision": "fine"}),)),
        Gold("one", (Entry("string_match", {"gold": "5", "conj": "xor"}),)),
    ],
)
def test_gold_that_cannot_be_used_is_no_wrong_answer(gold: Gold) -> None:
    verdict = judge(gold, Answer("one", "answer", "5"))
    assert (verdict.state, verdict.reason, verdict.score) == ("gold_error", "gold_error", None)


def test_unreadable_gold_files(folder: Path) -> None:
    assert against(folder, "a,b\n1\n", TABLE).state == "gold_error"
    assert against(folder, TABLE, TABLE, condition_cols=[5]).state == "gold_error"
    assert against(folder, ["a,b\n1\n", TABLE], TABLE).state == "right"
    assert against(folder, ["a,b\n1\n", TABLE], "x\n1\n").state == "wrong"
    assert against(folder, TABLE, TABLE, normalise=["dates"]).state == "gold_error"
    given = Answer("one", "file", paths=(csv(folder, "given", "out.csv", TABLE),))
    assert judge(Gold("one", (Entry("table_match"),)), given).state == "gold_error"


@pytest.mark.parametrize(
    "parameters",
    [
        {"condition_cols": ["city"]},
        {"condition_cols": "0"},
        {"condition_cols": [[0], ["x"]]},
        {"ignore_order": "yes"},
        {"abs_tol": -1},
        {"allow_shape": 1},
        {"normalise": "dates"},
        {"ties": ["wins"]},
    ],
)
def test_parameters_that_gold_cannot_mean(folder: Path, parameters: dict[str, Any]) -> None:
    assert against(folder, TABLE, TABLE, **parameters).state == "gold_error"


def test_a_lone_text_is_a_list_of_one() -> None:
    entry = Entry("number_match", {"gold": 5, "exclude": "80502"})
    assert judge(Gold("one", (entry,)), Answer("one", "answer", "5"))
    assert judge(Gold("one", (entry,)), Answer("one", "answer", "5 and 80502")).reason == "extra_match_excluded"
    assert judge(Gold("one", (Entry("string_match", {"gold": 5}),)), Answer("one", "answer", "no. 5"))
    assert (
        judge(Gold("one", (Entry("string_match", {"gold": {"a": 1}}),)), Answer("one", "answer", "5")).state
        == "gold_error"
    )


def test_several_golds_any_may_pass(folder: Path) -> None:
    verdict = against(folder, ["x\n1\n", TABLE], TABLE)
    assert (verdict.state, verdict.evidence["gold_file"]) == ("right", "gold_1.csv")


def test_conditions_pair_with_golds(folder: Path) -> None:
    golds = ["a,b\nx,1\ny,2\n", "a,b\nx,8\ny,9\n"]
    assert against(folder, golds, "q\nx\ny\n", condition_cols=[[1], [0]])
    assert not against(folder, golds, "q\nx\ny\n", condition_cols=[[1], [1]])
    assert against(folder, golds, "q\nx\ny\n", condition_cols=[0])
    assert not against(folder, golds[0], "q,r\ny,2\nx,1\n")
    assert against(folder, golds, "q,r\ny,9\nx,8\n", ignore_order=[False, True])


def test_a_table_that_needed_normalising_says_so(folder: Path) -> None:
    verdict = against(folder, TABLE, 'c,p\nParis,"2,100,000"\nLyon,"520,000"\nNice,"340,000"\n')
    assert (verdict.state, verdict.normalised) == ("right", ("separators",))
    off = against(
        folder, TABLE, 'c,p\nParis,"2,100,000"\nLyon,"520,000"\nNice,"340,000"\n', normalise={"separators": False}
    )
    assert off.state == "wrong"


def test_gold_sets_tolerance_and_shape(folder: Path) -> None:
    assert against(folder, "n\n100\n7\n", "m\n104\n7\n", rel_tol=0.05)
    assert not against(folder, "n\n100\n7\n", "m\n104\n7\n")
    assert not against(folder, "n\n100\n7\n", "m\n104\n7\n", rel_tol=0.05, whole_numbers="exact")
    assert not against(folder, "n\n100001\n7\n", "m\n100002\n7\n")
    assert against(folder, "n\n100001\n7\n", "m\n100002\n7\n", whole_numbers="tolerance")
    assert against(folder, "n\n100001\n7\n", "m\n100002\n7\n", whole_numbers="close").state == "gold_error"
    assert against(folder, "p\n0.1234\n", "m\n0.12\n").normalised == ("rounding",)
    assert not against(folder, "p\n0.1234\n", "m\n0.12\n", normalise={"rounding": False})
    assert against(folder, "n\nParis\n", "m\nPARIS\n", normalise=["case_or_space"])
    long = against(folder, "a,b\n1,2\n", "k,v\na,1\nb,2\n")
    assert (long.state, long.reason) == ("wrong", "shape_differs")
    assert against(folder, "a,b\n1,2\n", "k,v\na,1\nb,2\n", allow_shape=True)


def test_a_failure_is_explained(folder: Path) -> None:
    verdict = against(folder, TABLE, "city,people\nParis,2100000\nLyon,520000\nNice,1\n", ignore_order=True)
    assert (verdict.state, verdict.reason) == ("wrong", "values_differ")
    assert verdict.evidence["columns"][0] == {"gold": "people", "nearest": "people", "share": 0.6667}
    assert verdict.cell_f1 == pytest.approx(5 / 6, abs=1e-6)
    assert verdict.row_share == pytest.approx(2 / 3, abs=1e-6)


RANKED = "team,wins\nA,9\nB,7\nC,5\nD,5\nE,5\n"
TIES = {"by": ["wins"], "at": 4}


@pytest.mark.parametrize(
    ("given", "state"),
    [
        ("t,w\nA,9\nB,7\nC,5\nD,5\n", "right"),
        ("t,w\nA,9\nB,7\nE,5\nC,5\n", "right"),
        ("w,t\n9,A\n7,B\n5,D\n5,E\n", "right"),
        ("t,w\nA,9\nC,5\nD,5\nE,5\n", "wrong"),
        ("t,w\nA,9\nB,7\nE,5\nE,5\n", "wrong"),
        ("t,w\nA,9\nB,7\nE,5\nF,5\n", "wrong"),
        ("t,w\nA,9\nB,7\nC,5\n", "wrong"),
        ("t,w\nB,7\nA,9\nC,5\nE,5\n", "wrong"),
    ],
)
def test_any_legal_choice_among_tied_rows(folder: Path, given: str, state: str) -> None:
    assert against(folder, RANKED, given, TIES).state == state


def test_ties_without_order(folder: Path) -> None:
    verdict = against(folder, RANKED, "t,w\nE,5\nB,7\nA,9\nC,5\n", {"by": [1], "at": 4}, ignore_order=True)
    assert (verdict.state, verdict.normalised) == ("right", ("ties",))


def test_tied_rows_that_gold_does_not_list_need_a_person(folder: Path) -> None:
    gold = "team,wins\nA,9\nB,7\nC,5\nD,5\n"
    assert against(folder, gold, "t,w\nA,9\nB,7\nC,5\nX,5\n", TIES, ignore_order=True).state == "needs_review"
    assert against(folder, gold, "t,w\nA,9\nX,7\nC,5\nD,5\n", TIES, ignore_order=True).state == "wrong"


def test_ties_that_gold_cannot_mean(folder: Path) -> None:
    assert against(folder, RANKED, RANKED, {"by": ["losses"], "at": 4}).state == "gold_error"
    assert against(folder, RANKED, RANKED, {"by": ["wins"], "at": 9}).state == "gold_error"


def test_several_csv_files(folder: Path) -> None:
    golds = tuple(csv(folder, "gold", name, text) for name, text in (("a.csv", TABLE), ("b.csv", "x\n1\n2\n")))
    gold = Gold("one", (Entry("tables_match", {"ignore_orders": [True, True], "condition_cols": [[], []]}, golds),))
    first, second = csv(folder, "given", "a.csv", TABLE), csv(folder, "given", "b.csv", "x\n2\n1\n")
    assert judge(gold, Answer("one", "files", paths=(first, second)))
    assert judge(gold, Answer("one", "files", paths=(second, first)))
    assert judge(gold, Answer("one", "files", paths=(first,))).reason == "missing_prediction"
    wrong = csv(folder, "given", "c.csv", "x\n1\n5\n")
    verdict = judge(gold, Answer("one", "files", paths=(first, wrong)))
    assert (verdict.state, verdict.evidence["table"]) == ("wrong", "b.csv")


def database(folder: Path, side: str, **tables: str) -> str:
    path = folder / side / "data.duckdb"
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        for name, query in tables.items():
            connection.execute(f"CREATE TABLE {name} AS {query}")
    return str(path)


def test_duckdb_files(folder: Path) -> None:
    first = "SELECT * FROM (VALUES (1, DATE '2020-01-01'), (2, NULL)) t(id, day)"
    second = "SELECT 1.5 AS x"
    gold = database(folder, "gold", orders=first, sums=second)

    def verdict(given: str, **parameters: Any) -> Verdict:
        entry = Entry("duckdb_match", parameters, (gold,))
        return judge(Gold("one", (entry,)), Answer("one", "file", paths=(given,)))

    assert verdict(database(folder, "given", orders=first, sums=second, more=second))
    missing = verdict(database(folder, "given", orders=first))
    assert (missing.reason, missing.evidence["missing_table"]) == ("shape_differs", "sums")
    assert verdict(database(folder, "given", orders=first), condition_tabs=["orders"])
    turned = database(folder, "given", orders=f"{first} ORDER BY id DESC", sums=second)
    assert verdict(turned).reason == "order_differs"
    assert verdict(turned, condition_tabs=["orders"], ignore_orders=[True])
    assert verdict(turned, condition_tabs=["nothing"]).state == "gold_error"
    assert verdict(turned, condition_tabs=["sums"], condition_cols=[[7]]).state == "gold_error"
    bad = folder / "given" / "bad.duckdb"
    bad.write_text("no database")
    assert verdict(str(bad)).reason == "unreadable_prediction"
