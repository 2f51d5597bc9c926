"""A Python function as a reranker: found by name, checked, and its scores kept until its file changes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.search.rerankers import load_reranker
from karat.search.rerankers.cache import ScoreCache
from karat.search.rerankers.reranker import Reranker, scores_of

CODE = """
calls = []

def score(question, texts):
    calls.append((question, list(texts)))
    return [len(text) for text in texts]

def short(question, texts):
    return [1.0]

def broken(question, texts):
    return {}["a"]

def unknown(question, texts):
    return [float("nan") for text in texts]

def words(question, texts):
    return texts
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    path = tmp_path / "my_rerankers.py"
    path.write_text(CODE, encoding="utf-8")
    yield path
    sys.modules.pop("my_rerankers", None)


def test_scores_are_kept_by_question_and_text(module: Path, tmp_path: Path) -> None:
    reranker = load_reranker("python:my_rerankers:score")
    cache = ScoreCache(tmp_path / "kept")
    assert cache.scores(reranker, "q", ["aa", "b", "aa"]).tolist() == [2, 1, 2]
    assert cache.scores(reranker, "q", ["b", "ccc"]).tolist() == [1, 3]
    assert cache.scores(reranker, "other", ["b"]).tolist() == [1]
    assert sys.modules["my_rerankers"].calls == [("q", ["aa", "b"]), ("q", ["ccc"]), ("other", ["b"])]
    assert (reranker.use.scored, reranker.use.cached) == (4, 1)
    sys.modules.pop("my_rerankers")
    module.write_text(CODE + "# edited\n", encoding="utf-8")
    edited = load_reranker("python:my_rerankers:score")
    assert edited.revision != reranker.revision
    cache.scores(edited, "q", ["aa"])
    assert edited.use.scored == 1


def test_question_and_text_are_kept_apart() -> None:
    reranker = Reranker("r", "1", lambda question, texts: [float(len(question))] * len(texts))
    assert ScoreCache(None).scores(reranker, "ab", ["c"]).tolist() == [2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("short", "gave 1 score for 2 texts"),
        ("broken", r"failed at my_rerankers.py:\d+: KeyError"),
        ("unknown", "NaN"),
        ("words", "for 2 texts"),
        ("scores", 'no "scores" in "my_rerankers"'),
    ],
)
def test_a_bad_function_is_an_error_that_names_it(module: Path, name: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        scores_of(load_reranker(f"python:my_rerankers:{name}"), "q", ["a", "b"])


def test_what_came_before_a_failure_is_kept(tmp_path: Path) -> None:
    calls: list[int] = []

    def score(question: str, texts: object) -> list[float]:
        calls.append(1)
        if len(calls) == 2:
            raise UserError("the server is gone")
        return [1.0, 2.0]

    reranker, cache = Reranker("r", "1", score, batch=2), ScoreCache(tmp_path)
    with pytest.raises(UserError, match="gone"):
        cache.scores(reranker, "q", ["a", "b", "c", "d"])
    assert cache.scores(reranker, "q", ["a", "b", "c", "d"]).tolist() == [1, 2, 1, 2]
    assert len(calls) == 3
