"""Qrels and BEIR folders as cases: what is read, what is refused with which place, what is recognised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.core.case_files.loaded import LoadedCases
from karat.core.problems import UserError
from karat.suites.retrieval.cases import cases_from, load_cases, recognises
from tests.suites.retrieval.samples import write


def truths(loaded: LoadedCases) -> dict[str, dict[str, int]]:
    targets = {case.id: case.conversation[0].target for case in loaded.cases}
    return {name: target.fields["documents"] for name, target in targets.items() if target is not None}


def load(folder: Path, content: str | bytes, name: str = "qrels.txt") -> LoadedCases:
    return load_cases(write(folder, {name: content}) / name)


QRELS = "301 0 FT-1 1\n302\t0\tFT#2\t0\n301 Q0 FT-3 -1\n"
EXPECTED = {"301": {"FT-1": 1, "FT-3": -1}, "302": {"FT#2": 0}}

BEIR: dict[str, str | bytes] = {
    "queries.jsonl": '{"_id": "q1", "text": "one?"}\n{"_id": "q9", "text": "not judged"}\n{"_id": "q 2", "text": '
    '"two?"}\n',
    "corpus.jsonl": '{"_id": "d1", "title": "", "text": "t"}\n{"_id": "d 2", "text": "t"}\n',
    "qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq 2\td 2\t2\nq1\td 2\t0\n",
}


# -- TREC -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [QRELS, QRELS.replace("\n", "\r\n"), "\ufeff" + QRELS, "# a note with # in it\n\n  # more\n" + QRELS]
)
def test_qrels(tmp_path: Path, content: str) -> None:
    loaded = load(tmp_path, content)
    assert loaded.problems == ()
    assert truths(loaded) == EXPECTED
    assert [case.question for case in loaded.cases] == ["", ""]


def test_packed_qrels(tmp_path: Path) -> None:
    assert truths(load(tmp_path, QRELS, "qrels.gz")) == EXPECTED


def test_a_case_knows_its_line(tmp_path: Path) -> None:
    assert [case.source.line for case in load(tmp_path, "# note\n" + QRELS).cases] == [2, 3]


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    loaded = load(tmp_path, "301 0 a 1\n301 0 b\n301 0 c high\n301 0 d 1.5\n301 0 e 1 2\n302 0 f 1\n")
    assert truths(loaded) == {"301": {"a": 1}, "302": {"f": 1}}
    assert [(problem.line, problem.column, problem.message) for problem in loaded.problems] == [
        (2, 8, "3 columns where 4 are expected"),
        (3, 9, 'the relevance "high" is not a whole number'),
        (4, 9, 'the relevance "1.5" is not a whole number'),
        (5, 11, "5 columns where 4 are expected"),
    ]
    assert all(problem.place.endswith(f"qrels.txt:{problem.line}:{problem.column}") for problem in loaded.problems)
    assert "preferences" in loaded.problems[3].hint


def test_judged_twice(tmp_path: Path) -> None:
    loaded = load(tmp_path, "1 0 a 1\n1 0 b 0\n1 0 a 1\n1 0 b 2\n")
    assert truths(loaded) == {"1": {"a": 1, "b": 0}}
    same, other = loaded.problems
    assert (same.severity, same.line) == ("warning", 3)
    assert (other.severity, other.line, other.column) == ("error", 4, 7)
    assert other.message == '"b" is judged twice for question "1": 0 before, 2 here'


def test_a_run_given_as_qrels(tmp_path: Path) -> None:
    loaded = load(tmp_path, "301 Q0 FT-1 1 0.5 tag\n" * 2)
    assert loaded.cases == ()
    assert "--predictions" in loaded.problems[0].hint


def test_reading_stops_when_nothing_is_a_judgement(tmp_path: Path) -> None:
    assert len(load(tmp_path, "words\n" * 5_000).problems) == 1_000


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        load_cases(tmp_path / "nowhere")


# -- BEIR -------------------------------------------------------------------------------------------------------------


def test_a_beir_folder(tmp_path: Path) -> None:
    loaded = load_cases(write(tmp_path, BEIR))
    assert loaded.problems == ()
    assert truths(loaded) == {"q1": {"d1": 1, "d 2": 0}, "q 2": {"d 2": 2}}
    assert [case.question for case in loaded.cases] == ["one?", "two?"]


def test_a_packed_beir_folder(tmp_path: Path) -> None:
    packed = write(tmp_path / "packed", {f"{name}.gz": content for name, content in BEIR.items()})
    assert truths(load_cases(packed)) == truths(load_cases(write(tmp_path / "plain", BEIR)))


def test_which_split(tmp_path: Path) -> None:
    dev = "query-id\tcorpus-id\tscore\nq9\td1\t1\n"
    folder = write(tmp_path, {**BEIR, "qrels/dev.tsv": dev})
    assert set(truths(load_cases(folder))) == {"q1", "q 2"}  # test, by custom
    only = load_cases(folder / "qrels" / "dev.tsv")
    assert [(case.id, case.question) for case in only.cases] == [("q9", "not judged")]
    (folder / "qrels" / "test.tsv").rename(folder / "qrels" / "train.tsv")
    with pytest.raises(UserError, match=r"several qrels in .*: qrels/dev.tsv, qrels/train.tsv"):
        load_cases(folder)


def test_a_beir_file_without_its_heading(tmp_path: Path) -> None:
    assert truths(load(tmp_path, "q 1\td1\t1\nq 1\td2\t0\n", "test.tsv")) == {"q 1": {"d1": 1, "d2": 0}}


def test_a_question_without_a_text_and_a_broken_line(tmp_path: Path) -> None:
    queries = '{"_id": "q1", "text": "one?"}\n{"_id": "q 2", "text": 7}\n{"text": "no id"}\n'
    loaded = load_cases(write(tmp_path, {**BEIR, "queries.jsonl": queries}))
    assert [case.question for case in loaded.cases] == ["one?", ""]
    assert [(problem.line, problem.severity) for problem in loaded.problems] == [
        (2, "error"),
        (3, "error"),
        (0, "warning"),
    ]
    assert loaded.problems[2].message == "1 question without a text in queries.jsonl: q 2"


def test_bad_tsv_lines(tmp_path: Path) -> None:
    loaded = load(tmp_path, "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\nq1\t\t1\nq1\td3\thigh\n", "test.tsv")
    assert truths(loaded) == {"q1": {"d1": 1}}
    assert [(problem.line, problem.message) for problem in loaded.problems] == [
        (3, "2 columns where 3 are expected"),
        (4, "the line has no document"),
        (5, 'the relevance "high" is not a whole number'),
    ]


def test_a_folder_without_qrels(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no qrels/\*\.tsv"):
        load_cases(tmp_path)


# -- recognising ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "yes"),
    [
        ("qrels.txt", QRELS, True),
        ("qrels.gz", QRELS, True),
        ("q", "# note\n301 0 d 1\n", True),
        ("test.tsv", "query-id\tcorpus-id\tscore\n", True),
        ("kitchen.sheet", "table A\n", True),
        ("run.txt", "q1 Q0 d1 1 0.5 tag\n", False),
        ("case.yaml", "id: x\nconversation: []\n", False),
        ("text.txt", "four words and high\n", False),
        ("empty", "", False),
        ("binary", b"\x00\xff\x00", False),
        ("gold.jsonl", json.dumps({"instance_id": "a"}), False),
    ],
)
def test_recognises_files(tmp_path: Path, name: str, content: str | bytes, yes: bool) -> None:
    assert recognises(write(tmp_path, {name: content}) / name) is yes


def test_recognises_folders(tmp_path: Path) -> None:
    assert recognises(write(tmp_path / "beir", BEIR))
    assert not recognises(write(tmp_path / "other", {"a.yaml": "x"}))
    assert not recognises(write(tmp_path / "gold", {"queries.jsonl": "{}"}))


def test_live_system_is_not_asked_an_id(tmp_path: Path) -> None:
    import karat

    asked: list[object] = []

    def ask(request: object) -> dict[str, list[str]]:
        asked.append(request)
        return {"results": ["FT-1"]}

    (tmp_path / "judged.qrels").write_text("301 0 FT-1 1\n")
    result = karat.run("retrieval", tmp_path / "judged.qrels", ask, store=tmp_path / "k.db")
    assert asked == []
    assert result.cases[0].status == "error" and "question" in result.cases[0].error


ROWS = (
    '{"id": "q1", "question": "How do I start?", "relevant": ["d1", "d2"]}\n'
    '{"id": "q2", "question": "Stop?", "relevant": {"d3": 2}, "tags": ["hard"]}\n'
    '{"id": "q3", "question": "Both?", "fields": {"item": ["a"], "kind": []}}\n'
)


def test_a_file_has_the_same_keys_as_python_values(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text(ROWS, encoding="utf-8")
    written = load_cases(tmp_path / "questions.jsonl")
    given = cases_from([json.loads(line) for line in ROWS.splitlines()], tmp_path)
    assert written.problems == given.problems == ()
    assert [(case.id, case.tags, case.conversation) for case in written.cases] == [
        (case.id, case.tags, case.conversation) for case in given.cases
    ]
    assert [case.source.line for case in written.cases] == [1, 2, 3]
    assert recognises(tmp_path / "questions.jsonl")


def test_a_mistake_in_such_a_file_has_its_line_and_costs_only_its_case(tmp_path: Path) -> None:
    file = tmp_path / "questions.jsonl"
    file.write_text(ROWS + '{"id": "q4", "relevnt": ["d1"]}\nno json\n{"id": "q1", "relevant": ["d9"]}\n', "utf-8")
    loaded = load_cases(file)
    assert [case.id for case in loaded.cases] == ["q1", "q2", "q3"]
    assert sorted(problem.line for problem in loaded.problems) == [4, 5, 6]


def test_other_jsonl_files_are_no_cases(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    file.write_text('{"_id": "d1", "title": "a", "text": "b"}\n', encoding="utf-8")
    assert not recognises(file)
