"""A model from a Python function in the current directory."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import numpy as np
import pytest

from karat.core.problems import UserError
from karat.search.models import load_model
from karat.search.models.vectors import VectorCache
from karat.search.records import Floats, Role

SOURCE = """
calls = []

def lengths(texts):
    calls.append(texts)
    return [[len(text), 1.0] for text in texts]

def by_role(texts, *, role):
    return [[1.0, 0.0] if role == "question" else [0.0, 2.0] for _ in texts]

def stamped(texts):
    return [[1.0] for _ in texts]

stamped.revision = 7

class Object:
    def __call__(self, texts):
        return [[1.0] for _ in texts]

thing = Object()
number = 3

def too_few(texts):
    return [[1.0]]

def ragged(texts):
    return [[1.0] * (i + 1) for i, _ in enumerate(texts)]

def words(texts):
    return [["a"] for _ in texts]

def flat(texts):
    return [1.0 for _ in texts]

def not_numbers(texts):
    return [[float("nan") if text == "bad" else 1.0] for text in texts]

def zeros(texts):
    return [[0.0, 0.0] for _ in texts]

def failing(texts):
    return 1 / 0
"""


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of its own name for each test, for Python keeps what it imported."""
    name = f"vectors_of_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name


def embed(name: str, texts: list[str], role: Role = "value") -> Floats:
    model = load_model(name)
    assert model.embed is not None
    return model.embed(texts, role)


def test_rows_at_length_one(module: str) -> None:
    rows = embed(f"python:{module}:lengths", ["", "abc"])
    assert rows.tolist() == [[0.0, 1.0], pytest.approx([3 / 10**0.5, 1 / 10**0.5])]
    assert rows.dtype == np.float32


def test_the_role_for_those_who_ask(module: str) -> None:
    assert embed(f"python:{module}:by_role", ["x"], "question").tolist() == [[1.0, 0.0]]
    assert embed(f"python:{module}:by_role", ["x"], "value").tolist() == [[0.0, 1.0]]


def test_zero_vectors_stay(module: str) -> None:
    assert not embed(f"python:{module}:zeros", ["a", "b"]).any()


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("too_few", "gave 1 vector for 2 texts"),
        ("ragged", "gave no vectors of one length"),
        ("words", "gave no vectors of one length"),
        ("flat", r"gave an array of shape \(2,\) for 2 texts"),
        ("not_numbers", 'NaN or an infinite number for "bad"'),
        ("failing", r"failed at vectors_of_.*\.py:\d+: ZeroDivisionError: division by zero"),
    ],
)
def test_what_a_function_may_do_wrong(module: str, function: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        embed(f"python:{module}:{function}", ["good", "bad"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("python:", "does not name a function"),
        ("python:json", "does not name a function"),
        ("python:no_such_module_here:f", 'no module "no_such_module_here"'),
        ("python:{module}:length", 'no "length" in .*\nDid you mean "lengths"'),
        ("python:{module}:number", "of type int, not a function"),
    ],
)
def test_functions_that_are_not_there(module: str, name: str, words: str) -> None:
    with pytest.raises(UserError) as raised:
        load_model(name.format(module=module))
    assert re.search(words, str(raised.value)), str(raised.value)


def test_a_module_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_vectors.py").write_text("import no_such_thing_at_all\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(UserError, match=r"cannot be imported: .*no_such_thing_at_all"):
        load_model("python:broken_vectors:f")


def test_revisions(module: str, tmp_path: Path) -> None:
    assert load_model(f"python:{module}:stamped").revision == "7"
    before = load_model(f"python:{module}:lengths").revision
    assert load_model(f"python:{module}:thing").revision == before
    (tmp_path / f"{module}.py").write_text(SOURCE + "\n# edited\n")
    assert load_model(f"python:{module}:lengths").revision != before


def test_cached_once(module: str, tmp_path: Path) -> None:
    calls = importlib.import_module(module).calls
    cache = VectorCache(tmp_path / "vectors")
    model = load_model(f"python:{module}:lengths")
    first = cache.embed(model, ["a", "bb", "a"], "value")
    assert np.array_equal(cache.embed(model, ["a", "bb", "a"], "value"), first)
    assert calls == [["a", "bb"]]


def test_refused_from_a_file() -> None:
    with pytest.raises(UserError, match="runs code, which a file is not allowed to request"):
        load_model("python:os:listdir", trusted=False)
    with pytest.raises(UserError, match="sends texts to an address"):
        load_model("openai:m@http://localhost/v1", trusted=False)
    assert load_model("bm25", trusted=False).name == "bm25"
