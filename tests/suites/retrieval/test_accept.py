"""An accepted retrieval gives truths to a question that has none; where there are truths, it is said why nothing can be
added."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.sheet.truths import split_truths
from karat.suites.retrieval import suite
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.sheets.edit import joined
from tests.reports.reviewed_runs import TOOLS, Project, fates
from tests.suites.retrieval.samples import write

SHEET = """\
# Fruit and what people ask for.
!manual()
table Stock
    [item]
    [kind]
override
[item],[kind]
"red apple",fruit
"green; pear",fruit

!evaluation()
!manual()
table Asked
    !evaluation_question()
    [question]
    !evaluation_field("Stock[item]")
    [items]
    [note]
    !evaluation_field("Stock[kind]")
    [kinds]
override
[question],[items],[note],[kinds]
# the rows
"a ""red"" apple, please", "red apple" ,7,
 "what is there?" ,,a note in words,NA
"and, more?",NA,{"x", "y"},
"""

QRELS = "# judged by hand\n301 0  FT911-3 0\n301 0  FT911-4 0\n302 0 FT911-3 1\n302 0 FT911-9 1"
TSV = "query-id\tcorpus-id\tscore\r\nq1\td1\t0\r\nq1\td2\t0\r\nq2\td1\t1\r\n"


def answer(**fields: list[str]) -> bytes:
    return json.dumps({"fields": fields}).encode()


def answers(file: Path, **keys: dict[str, list[str]]) -> Path:
    file.write_text("".join(json.dumps({"id": case, "fields": fields}) + "\n" for case, fields in keys.items()))
    return file


def test_truths_are_joined_so_that_they_are_read_back() -> None:
    for values in (["a"], ["a", "b"], ["a; b", "c"], ["the farmers'", "milk"], ["x';y", "z''", "''"]):
        assert split_truths(joined(values)) == tuple(values)
    with pytest.raises(UserError, match="starts or ends with a space"):
        joined([" a", "b"])


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_sheet_gets_the_truths_in_their_cells(tmp_path: Path, tool: str, newline: str) -> None:
    folder = tmp_path / "project"
    write(folder, {"fruit.sheet": SHEET.replace("\n", newline)})
    project = Project(folder, "retrieval", "fruit.sheet")
    kinds = {"Stock[item]": ["green; pear", "red apple"], "Stock[kind]": ["fruit"]}
    given: dict[str, dict[str, list[str]]] = {
        "what_is_there": kinds,
        "and_more": {"Stock[item]": ["red apple"]},
        "a_red_apple_please": {"Stock[item]": []},
    }
    project.run(answers(tmp_path / "run.jsonl", **given), dict.fromkeys(given, "accept"))
    assert project.value("what_is_there", "passed") is None
    patch = project.patch()
    assert {case: fate for case, (fate, _) in fates(patch).items()} == {
        "what_is_there": "accepted",
        "and_more": "accepted",
        "a_red_apple_please": "noted",
    }
    project.apply(patch, tool)
    text = (folder / "fruit.sheet").read_bytes().decode()
    want = SHEET.replace(" ,,a note in words,NA", ' ,"green\';pear",a note in words,NA').replace(
        "';pear", "'; pear;red apple"
    )
    want = want.replace("words,NA", 'words,"fruit"').replace('"and, more?",NA', '"and, more?","red apple"')
    before, row, after = want.partition('"a ""red""')
    lines = text.split(newline)
    comment = lines.pop(before.count("\n"))  # right above its row
    assert "review 20" in comment and 'misses "red apple"' in comment
    assert lines == (before + row + after).split("\n")
    assert project.value("what_is_there", "passed") == project.value("and_more", "passed") == 1.0
    assert project.value("a_red_apple_please", "passed") == 0.0
    again = project.patch()
    assert again.files == () and {fate for fate, _ in fates(again).values()} == {"left_out"}


@pytest.mark.parametrize("tool", TOOLS)
def test_judgements_get_lines_in_their_own_manner(tmp_path: Path, tool: str) -> None:
    folder = tmp_path / "project"
    write(folder, {"qrels.txt": QRELS})
    project = Project(folder, "retrieval", "qrels.txt")
    given = {"301": {"documents": ["LA-1", "FT911-4"]}, "302": {"documents": ["FT911-9"]}}
    project.run(
        answers(tmp_path / "run.jsonl", **given), {"301": "accept", "302": ("gold_wrong", "FT911-3 is no match")}
    )
    assert project.value("301", "passed") == 0.0
    patch = project.patch()
    assert fates(patch) == {"301": ("accepted", ""), "302": ("left_out", "qrels.txt cannot contain comments")}
    project.apply(patch, tool)
    assert (folder / "qrels.txt").read_text() == QRELS.replace("FT911-4 0\n", "FT911-4 1\n301 0  LA-1 1\n")
    assert (project.value("301", "passed"), project.value("302", "passed")) == (1.0, 0.0)
    assert fates(project.patch())["301"] == ("left_out", "the rule already counts the answer as right")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_beir_folder_gets_lines_in_its_table(tmp_path: Path, tool: str) -> None:
    folder = tmp_path / "project"
    queries = '{"_id": "q1", "text": "one"}\n{"_id": "q2", "text": "two"}\n'
    write(folder, {"set/qrels/test.tsv": TSV, "set/queries.jsonl": queries})
    project = Project(folder, "retrieval", "set")
    given = {"q1": {"documents": ["d 7"]}, "q2": {"documents": ["d1"]}}
    project.run(answers(tmp_path / "run.jsonl", **given), dict.fromkeys(given, "accept"))
    patch = project.patch()
    assert fates(patch)["q2"] == ("left_out", "the rule already counts the answer as right")
    project.apply(patch, tool)
    new = (folder / "set" / "qrels" / "test.tsv").read_bytes().decode()
    assert new == TSV.replace("q1\td2\t0\r\n", "q1\td2\t0\r\nq1\td 7\t1\r\n")
    assert project.value("q1", "passed") == 1.0


def test_a_file_without_a_newline_at_its_end_stays_without(tmp_path: Path) -> None:
    file = write(tmp_path, {"q.txt": "1 0 a 0"}) / "q.txt"
    (case,) = suite.load_cases(file).cases
    assert suite.accept is not None
    (edit,) = suite.accept(case, Prediction("1", response=answer(documents=["b", "c"])), file, Options())
    assert edit.content == b"1 0 a 0\n1 0 b 1\n1 0 c 1"


def test_what_cannot_be_said_is_refused_in_words(tmp_path: Path) -> None:
    write(tmp_path, {"q.txt": QRELS, "p.txt.gz": "1 0 a 0\n"})
    none, some = suite.load_cases(tmp_path / "q.txt").cases
    assert suite.accept is not None
    for case, keys, why in (
        (some, ["x"], 'misses "FT911-3", "FT911-9", so accepting others'),
        (none, [], "empty"),
        (none, [f"d{n}" for n in range(51)], "ranks 51 values"),
        (none, ["a b"], "it contains spaces"),
    ):
        with pytest.raises(UserError, match=why):
            suite.accept(case, Prediction(case.id, response=answer(documents=keys)), tmp_path, Options())
    with pytest.raises(UserError, match="no retrieval to accept"):
        suite.accept(none, Prediction("301", response=b"sorry"), tmp_path, Options())


def test_a_compressed_file_is_named_and_left_alone(tmp_path: Path) -> None:
    folder = write(tmp_path / "project", {"q.txt.gz": "1 0 a 0\n"})
    project = Project(folder, "retrieval", "q.txt.gz")
    project.run(answers(tmp_path / "run.jsonl", **{"1": {"documents": ["b"]}}), {"1": "accept"})
    assert fates(project.patch())["1"] == ("left_out", "q.txt.gz is compressed, so a patch cannot change it")
