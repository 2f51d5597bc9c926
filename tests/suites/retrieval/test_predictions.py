"""Run files and responses: every form, every mistake with its line and column, and nothing lost but the bad line."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from karat.core.case_files.loaded import LoadedPredictions
from karat.core.problems import UserError
from karat.core.suite import Unreadable
from karat.suites.retrieval.predictions import read_predictions, read_response
from karat.suites.retrieval.records import Ranked
from tests.suites.retrieval.samples import write


def ranked(loaded: LoadedPredictions) -> dict[str, Ranked]:
    return {item.case_id: read_response(item.response).fields["documents"] for item in loaded.predictions}


def read(folder: Path, content: str | bytes, name: str = "run.txt") -> LoadedPredictions:
    return read_predictions(write(folder, {name: content}) / name)


RUN = "q1 Q0 d1 1 0.5 tag\nq2\tQ0\td9\t1\t  -1e3\ttag more junk\nq1 Q0 d2 2 7 tag\n"


# -- TREC runs --------------------------------------------------------------------------------------------------------


def test_a_run_with_questions_mixed_up(tmp_path: Path) -> None:
    loaded = read(tmp_path, RUN)
    assert loaded.problems == ()
    assert ranked(loaded) == {"q1": Ranked(["d1", "d2"], [0.5, 7.0]), "q2": Ranked(["d9"], [-1000.0])}


def test_the_response_is_compact(tmp_path: Path) -> None:
    response = read(tmp_path, RUN).predictions[0].response
    assert response == b'{"fields":{"documents":{"keys":["d1","d2"],"scores":[0.5,7.0]}}}'


@pytest.mark.parametrize("content", [RUN.replace("\n", "\r\n"), "\ufeff" + RUN, "# a note\n\n" + RUN, RUN.rstrip("\n")])
def test_line_ends_marks_comments_and_blank_lines(tmp_path: Path, content: str) -> None:
    loaded = read(tmp_path, content)
    assert loaded.problems == ()
    assert ranked(loaded) == ranked(read(tmp_path, RUN))


def test_packed(tmp_path: Path) -> None:
    assert ranked(read(tmp_path, RUN, "run.gz")) == ranked(read(tmp_path, RUN))


def test_bad_lines_cost_only_themselves(tmp_path: Path) -> None:
    loaded = read(
        tmp_path, "q1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2\nq1 Q0 d3 3 high tag\nq1 Q0 d4 4 nan tag\nq1 Q0 d5 5 0.1 tag\n"
    )
    assert ranked(loaded) == {"q1": Ranked(["d1", "d5"], [0.5, 0.1])}
    places = [(problem.line, problem.column, problem.message) for problem in loaded.problems]
    assert places == [
        (2, 11, "4 columns where 6 are expected: the score is missing"),
        (3, 12, 'the score "high" is not a number'),
        (4, 12, 'the score "nan" is not a number'),
    ]
    assert loaded.problems[0].place.endswith("run.txt:2:11")
    assert "question Q0 document rank score tag" in loaded.problems[0].hint


def test_a_document_twice_is_an_error_with_both_lines(tmp_path: Path) -> None:
    loaded = read(tmp_path, "q1 Q0 d1 1 0.5 t\nbad\nq2 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4 t\nq1 Q0 d1 3 0.3 t\n")
    assert ranked(loaded)["q1"] == Ranked(["d1", "d2"], [0.5, 0.4])
    problem = loaded.problems[-1]
    assert (problem.line, problem.message) == (5, '"d1" appears twice for question "q1": also in line 1')
    assert problem.severity == "error"


def test_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    loaded = read(tmp_path, b"q1 Q0 d\xe91 1 0.5 t\nq1 Q0 d\xc3\xa9 2 0.4 t\n")
    assert ranked(loaded) == {"q1": Ranked(["dé"], [0.4])}
    assert [(problem.line, problem.column) for problem in loaded.problems] == [(1, 8)]


def test_a_packed_file_that_ends_early(tmp_path: Path) -> None:
    many = "".join(f"q{number} Q0 d 1 {number} t\n" for number in range(20_000))
    loaded = read(tmp_path, gzip.compress(many.encode(), 0)[:200_000], "run.gz")
    assert 0 < len(loaded.predictions) < 20_000
    assert "cannot be read to its end" in loaded.problems[0].message


def test_no_run_at_all(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no line of .* can be read") as raised:
        read(tmp_path, "301 0 FT911-3 1\n" * 3)
    assert raised.value.problems[0].line == 1
    with pytest.raises(UserError, match="no line of"):
        read(tmp_path, b"\x00\x01\xff\n" * 5_000)
    with pytest.raises(UserError, match="no line of"):
        read(tmp_path, "")
    with pytest.raises(UserError, match="no such file"):
        read_predictions(tmp_path / "nowhere")
    with pytest.raises(UserError, match="is a folder"):
        read_predictions(tmp_path)


# -- JSON -------------------------------------------------------------------------------------------------------------


def test_an_object_of_questions(tmp_path: Path) -> None:
    run = {"q1": {"d1": 0.5, "d, 2": 7}, "q2": {}, "{q3": {"d": -1.0}}
    loaded = read(tmp_path, json.dumps(run), "run.json")
    assert loaded.problems == ()
    assert ranked(loaded)["q1"] == Ranked(["d1", "d, 2"], [0.5, 7.0])
    assert ranked(loaded)["q2"] == Ranked([], [])
    assert ranked(read(tmp_path, json.dumps(run), "run.json.gz")) == ranked(loaded)


def test_a_question_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    loaded = read(tmp_path, '{"q1": {"d1": 0.5},\n "q2": {"d1": "high"},\n "q3": {"d1": 2}}', "run.json")
    assert list(ranked(loaded)) == ["q1", "q3"]
    (problem,) = loaded.problems
    assert problem.line == 2
    assert 'the results of question "q2" cannot be read' in problem.message


def test_names_twice_in_json(tmp_path: Path) -> None:
    loaded = read(tmp_path, '{"q1": {"d1": 0.5, "d1": 0.7},\n "q2": {"d1": 1},\n "q2": {"d2": 1}}', "run.json")
    assert [problem.message.partition(":")[0] for problem in loaded.problems] == [
        'the question "q2" appears twice',
        '"d1" appears twice for question "q1"',
    ]
    assert loaded.problems[1].line == 1


def test_broken_json_says_where(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read as a run") as raised:
        read(tmp_path, '{"q1": {"d1": 0.5]}', "run.json")
    assert (raised.value.problems[0].line, raised.value.problems[0].column) == (1, 18)


def test_lines_of_questions(tmp_path: Path) -> None:
    lines = (
        '{"id": "q1", "fields": {"documents": {"keys": ["a"], "scores": [1]}}, "latency": 0.5, "tokens": 7}\n'
        '\n{"id": 2, "results": {"b": 0.1}}\nnot json\n{"id": "q1", "results": []}\n{"id": "q3", "error": "timed '
        'out"}\n'
    )
    loaded = read(tmp_path, lines, "run.jsonl")
    first, second, third = loaded.predictions
    assert (first.case_id, first.latency, first.tokens) == ("q1", 0.5, 7)
    assert read_response(second.response).fields["documents"] == Ranked(["b"], [0.1])
    assert third.error is not None
    assert third.error.message == "timed out"
    assert [problem.line for problem in loaded.problems] == [4, 5]
    assert "a second answer" in loaded.problems[1].message


@pytest.mark.parametrize(
    ("question", "document"), [("query-id", "corpus-id"), ("qid", "docid"), ("query_id", "doc_id")]
)
def test_lines_of_results(tmp_path: Path, question: str, document: str) -> None:
    rows = [("q1", "a", 1.0), ("q2", "b", 2), ("q1", "c", 3.0), ("q1", "a", 9.0), ("q1", "d", "high")]
    lines = "".join(json.dumps({question: q, document: d, "score": s}) + "\n" for q, d, s in rows)
    loaded = read(tmp_path, lines, "run.jsonl")
    assert ranked(loaded) == {"q1": Ranked(["a", "c"], [1.0, 3.0]), "q2": Ranked(["b"], [2.0])}
    assert [problem.line for problem in loaded.problems] == [4, 5]


def test_lines_under_another_name(tmp_path: Path) -> None:
    lines = '{"id": "q1", "results": ["a"]}\n{"id": "q2", "results": ["b"]}\n'
    assert list(ranked(read(tmp_path, lines, "run.json"))) == ["q1", "q2"]
    assert list(ranked(read(tmp_path, lines.splitlines()[0], "run.json"))) == ["q1"]


# -- responses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ({"keys": ["a", "b"], "scores": [1, 2.5]}, Ranked(["a", "b"], [1.0, 2.5])),
        ({"keys": ["a", "b"]}, Ranked(["a", "b"])),
        (["a", "b"], Ranked(["a", "b"])),
        ([], Ranked([])),
        ([{"key": "a", "score": 1}, {"key": "b", "score": 2}], Ranked(["a", "b"], [1.0, 2.0])),
        ([{"key": "a"}, {"key": "b"}], Ranked(["a", "b"])),
        ({"a": 1, "b": 2.5}, Ranked(["a", "b"], [1.0, 2.5])),
    ],
)
def test_forms_of_a_field(field: object, expected: Ranked) -> None:
    for body in ({"fields": {"documents": field}}, {"results": field}, {"response": {"results": field}}):
        assert read_response(json.dumps(body).encode()).fields == {"documents": expected}


@pytest.mark.parametrize(
    ("response", "words"),
    [
        (b"not json", "text without JSON"),
        (b"[7]", "not a JSON object"),
        (b'{"answer": "a"}', "no results in the response: its keys are: answer"),
        (b'{"fields": {"f": {"keys": ["a"], "scores": [1, 2]}}}', "1 key and 2 scores"),
        (b'{"fields": {"f": [1, 2]}}', 'the field "f" is not'),
        (b'{"fields": {"f": "a"}}', 'the field "f" is not'),
        (b'{"fields": {"f": [{"key": "a", "score": 1}, {"key": "b"}]}}', "some results have a score"),
        (
            b'{"results": [{"id": "a", "score": 0.1}, {"id": "b", "score": 0.2}, {"id": "c", "score": 0.4}]}',
            "rise from the first result to the last, and higher is better here. If they are distances",
        ),
        (b'{"results": [{"id": "a", "rank": 2}, {"id": "b", "rank": 1}]}', "not listed by their rank"),
        (
            b'{"results": [{"id": "a", "distance": 0.9}, {"id": "b", "distance": 0.1}]}',
            "not listed by their rank or dist",
        ),
        (b"\xff", "not UTF-8"),
    ],
)
def test_unreadable_responses(response: bytes, words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        read_response(response)


@pytest.mark.parametrize(
    "scores",
    [
        [0.1, 0.2],  # too few to say anything
        [0.4, 0.2, 0.1],
        [0.2, 0.2, 0.2],
        [0.1, 0.4, 0.2],
    ],
)
def test_results_are_ranked_by_score_where_it_does_not_rise_all_the_way(scores: list[float]) -> None:
    items = [{"id": str(number), "score": score} for number, score in enumerate(scores)]
    assert read_response(json.dumps(items).encode()).fields["documents"].scores == scores


def test_results_with_distances_are_taken_as_listed() -> None:
    items = [{"id": "a", "distance": 0.1}, {"id": "b", "distance": 0.2}, {"id": "c", "distance": 0.4}]
    assert read_response(json.dumps({"results": items}).encode()).fields == {"documents": Ranked(["a", "b", "c"])}
