"""Case files and recorded answers of a suite that brings no reader of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from karat import CaseFiles, CaseRow, UserError, read_recorded


class Row(CaseRow, frozen=True, kw_only=True):
    answer: Literal["yes", "no"]


def target(row: Row) -> str:
    if row.question == "?":
        raise ValueError("the question says nothing")
    return row.answer


FILES = CaseFiles(Row, target)


def test_yaml_and_lines_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "- {id: a, question: A, answer: no, tags: [x]}\n- {id: '001', question: B, answer: yes}\n"
    )
    (tmp_path / "b.jsonl").write_text('{"id": "c", "question": "C", "answer": "yes"}\n\n')
    (tmp_path / "karat.yaml").write_text("suites: []\n")
    found = FILES.load(tmp_path)
    assert [(case.id, case.conversation[0].target, case.source.line) for case in found.cases] == [
        ("a", "no", 1),
        ("001", "yes", 2),
        ("c", "yes", 1),
    ]
    assert not found.problems and found.files == 2 and found.cases[0].tags == ("x",)
    assert FILES.recognises(tmp_path) and FILES.recognises(tmp_path / "b.jsonl")


@pytest.mark.parametrize(
    ("name", "text", "line", "part"),
    [
        ("a.yaml", "- {id: a, question: A, answer: perhaps}\n", 1, "perhaps"),
        ("a.yaml", "- id: a\n  question: A\n  answer: no\n  answr: yes\n", 4, 'unknown key "answr"'),
        ("a.yaml", "- {id: a, question: A, answer: yes}\n- {id: a, question: B, answer: "
                   "no}\n", 2, 'the case "a" appears twice'),
        ("a.yaml", "- {id: ' ', question: A, answer: yes}\n", 1, "an empty id"),
        ("a.yaml", "- {id: a, question: '?', answer: yes}\n", 1, 'case "a": the question says nothing'),
        ("a.jsonl", '\n{"id": "a", "question": \n', 2, ""),
        ("a.jsonl", '{"id": "a", "question": "A", "answer": "maybe"}\n', 1, "maybe"),
    ],
)  # fmt: skip
def test_mistakes_have_their_line_and_cost_one_case(tmp_path: Path, name: str, text: str, line: int, part: str) -> None:
    (tmp_path / name).write_text(text)
    found = FILES.load(tmp_path / name)
    assert len(found.problems) == 1, found.problems
    assert found.problems[0].line == line and part in found.problems[0].message
    assert len(found.cases) == text.count("answer: yes}\n- ")


def test_files_of_others_are_not_recognised(tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("id: a\nconversation: []\n")
    assert not FILES.recognises(tmp_path) and not FILES.recognises(tmp_path / "nowhere")
    with pytest.raises(UserError, match="there are no cases at"):
        FILES.load(tmp_path / "nowhere")
    with pytest.raises(UserError, match="there are no case files in"):
        (tmp_path / "empty").mkdir()
        FILES.load(tmp_path / "empty")


def test_cases_as_python_values(tmp_path: Path) -> None:
    found = FILES.given([{"id": "a", "question": "A", "answer": "yes"}, {"id": "b"}], tmp_path)
    assert [case.id for case in found.cases] == ["a"]
    assert {problem.line for problem in found.problems} == {2}


def test_recorded_answers(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text(
        '{"id": "a", "response": "yes", "latency": 0.5}\n'
        '{"id": "b", "response": {"answer": "no"}, "tokens": {"total_tokens": 7}}\n'
        '{"id": "c", "answer": "no", "repeat": 1}\n'
        '{"id": "d", "error": "timed out"}\n'
        '{"id": "a", "response": "no"}\n'
        '{"id": "e"}\n'
        '{"response": "yes"}\n'
        "not JSON\n"
        '{"id": "f", "response": "yes", "repeat": -1}\n'
    )
    found = read_recorded(file)
    assert [(one.case_id, one.response, one.repeat) for one in found.predictions] == [
        ("a", b"yes", 0),
        ("b", b'{"answer":"no"}', 0),
        ("c", b'{"answer":"no"}', 1),
        ("d", b"", 0),
    ]
    assert found.predictions[1].tokens == 7 and found.predictions[0].latency == 0.5
    assert found.predictions[3].error is not None and found.predictions[3].error.message == "timed out"
    assert [problem.line for problem in found.problems] == [5, 6, 7, 8, 9]
    assert all(problem.file == str(file) for problem in found.problems)
    with pytest.raises(UserError, match="there are no predictions at"):
        read_recorded(tmp_path / "nowhere.jsonl")
