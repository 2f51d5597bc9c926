"""What ``karat check`` says of judgements that load well."""

from __future__ import annotations

from pathlib import Path

from karat.suites.retrieval.cases import load_cases
from karat.suites.retrieval.formats.qrels_check import check_cases
from karat.suites.retrieval.options import Options
from tests.suites.retrieval.samples import write
from tests.suites.retrieval.test_cases import BEIR


def found(path: Path, **options: int) -> list[tuple[int, str]]:
    problems = check_cases(load_cases(path).cases, [], Options(**options)).problems  # type: ignore[arg-type]  # mixed
    assert all(problem.severity == "warning" for problem in problems)
    return [(problem.line, problem.message) for problem in problems]


def test_nothing_to_say(tmp_path: Path) -> None:
    assert found(write(tmp_path, {"q": "1 0 a 1\n1 0 b 0\n"}) / "q") == []


def test_below_zero_and_nothing_relevant(tmp_path: Path) -> None:
    path = write(tmp_path, {"q": "1 0 a 1\n1 0 b -1\n1 0 c -2\n2 0 a 0\n"}) / "q"
    assert found(path) == [
        (1, 'question "1": 2 judgements below 0, such as b'),
        (4, 'question "2" has no relevant key among 1 judgement'),
    ]
    assert found(path, relevance_level=2)[1] == (1, 'question "1" has no relevant key among 3 judgements')


def test_relevant_documents_that_the_corpus_lacks(tmp_path: Path) -> None:
    assert found(write(tmp_path / "whole", BEIR)) == []
    lacking = write(tmp_path / "lacking", {**BEIR, "corpus.jsonl": '{"_id": "d1"}\n'})
    assert found(lacking) == [(0, '1 relevant document not in corpus.jsonl: d 2 (question "q 2")')]
    packed = write(tmp_path / "packed", {f"{name}.gz": content for name, content in BEIR.items()})
    assert found(packed) == []


def test_a_corpus_line_that_cannot_be_read(tmp_path: Path) -> None:
    broken = write(tmp_path, {**BEIR, "corpus.jsonl": str(BEIR["corpus.jsonl"]) + "not json\n"})
    (problem,) = check_cases(load_cases(broken).cases, [], Options()).problems
    assert (problem.line, problem.severity) == (3, "error")
