"""The vector cache: embeds once, survives failures, other processes and damaged files."""

from __future__ import annotations

import multiprocessing
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.models import load_model
from karat.search.models.vectors import VectorCache
from karat.search.records import Floats, Model, Role


@dataclass
class Lengths:
    """A model of three dimensions that remembers what it was asked, and may fail at some text."""

    asked: list[tuple[list[str], str]] = field(default_factory=list)
    batch: int = 10
    fails_at: str | None = None

    def __call__(self, texts: Sequence[str], role: Role) -> Floats:
        if self.fails_at in texts:
            raise UserError("the model fell over")
        self.asked.append((list(texts), role))
        rows = [[len(text) + 1, sum(map(ord, text)) % 101, 1.0 if role == "value" else 2.0] for text in texts]
        found = np.array(rows, np.float32)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


def model_of(embed: Lengths, name: str = "lengths", revision: str = "1") -> Model:
    return Model(name, revision, embed=embed, batch=embed.batch)


def test_embeds_once(tmp_path: Path) -> None:
    cache, embed = VectorCache(tmp_path / "deep" / "vectors"), Lengths()
    texts = ["salt", "pepper", "salt", "", "pepper"]
    first = cache.embed(model_of(embed), texts, "value")
    assert embed.asked == [(["salt", "pepper", ""], "value")]
    assert np.array_equal(first, Lengths()(texts, "value"))
    again = VectorCache(tmp_path / "deep" / "vectors").embed(model_of(embed), texts[::-1], "value")
    assert np.array_equal(again, first[::-1])
    assert len(embed.asked) == 1


def test_role_revision_and_name_are_apart(tmp_path: Path) -> None:
    cache, embed = VectorCache(tmp_path), Lengths()
    value = cache.embed(model_of(embed), ["salt"], "value")
    question = cache.embed(model_of(embed), ["salt"], "question")
    assert not np.array_equal(value, question)
    cache.embed(model_of(embed, revision="2"), ["salt"], "value")
    cache.embed(model_of(embed, name="length/s"), ["salt"], "value")
    cache.embed(model_of(embed, name="length:s"), ["salt"], "value")
    assert len(embed.asked) == 5
    assert sorted((kept.model, kept.revision, kept.vectors) for kept in cache.contents()) == [
        ("length/s", "1", 1),
        ("length:s", "1", 1),
        ("lengths", "1", 2),
        ("lengths", "2", 1),
    ]


def test_a_failure_half_way_loses_nothing(tmp_path: Path) -> None:
    cache, embed = VectorCache(tmp_path), Lengths(fails_at="text 25")
    texts = [f"text {number}" for number in range(40)]
    with pytest.raises(UserError, match="fell over"):
        cache.embed(model_of(embed), texts, "value")
    assert cache.contents()[0].vectors == 20
    embed.fails_at, seen = None, []
    rows = cache.embed(model_of(embed), texts, "value", watch=lambda done, of: seen.append((done, of)))
    assert [len(asked) for asked, _ in embed.asked] == [10, 10, 10, 10]
    assert embed.asked[2][0] == texts[20:30]
    assert seen == [(10, 20), (20, 20)]
    assert np.array_equal(rows, Lengths()(texts, "value"))


@settings(max_examples=25, deadline=None)
@given(calls=st.lists(st.lists(st.text(max_size=4) | st.just("\ud800"), max_size=30), min_size=1, max_size=4))
def test_any_texts_in_any_order(tmp_path_factory: pytest.TempPathFactory, calls: list[list[str]]) -> None:
    cache, embed = VectorCache(tmp_path_factory.mktemp("vectors")), Lengths(batch=7)
    for texts in calls:
        rows = cache.embed(model_of(embed), texts, "value")
        assert np.array_equal(rows, Lengths()(texts, "value")) if texts else rows.shape[0] == 0
    embedded = [text for asked, _ in embed.asked for text in asked]
    assert len(embedded) == len(set(embedded))


def test_more_texts_than_one_query_takes(tmp_path: Path) -> None:
    cache, embed = VectorCache(tmp_path), Lengths(batch=5000)
    texts = [f"text {number}" for number in range(20_000)]
    rows = cache.embed(model_of(embed), texts, "value")
    order = np.random.default_rng(0).permutation(len(texts))
    assert np.array_equal(cache.embed(model_of(embed), [texts[i] for i in order], "value"), rows[order])
    assert len(embed.asked) == 4


def test_a_real_model(tmp_path: Path) -> None:
    cache, model = VectorCache(tmp_path), load_model("wordllama")
    assert model.embed is not None
    rows = cache.embed(model, ["salt", "", "pepper"], "value")
    assert np.array_equal(rows, model.embed(["salt", "", "pepper"], "value"))
    assert np.array_equal(cache.embed(model, ["", "salt"], "value"), rows[[1, 0]])


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_unusable_vectors_are_not_kept(tmp_path: Path, bad: float) -> None:
    def embed(texts: Sequence[str], role: Role) -> Floats:
        return np.array([[1.0, bad if text == "bad" else 0.0] for text in texts], np.float32)

    cache, model = VectorCache(tmp_path), Model("m", "1", embed=embed)
    with pytest.raises(UserError, match='NaN or an infinite number for "bad"'):
        cache.embed(model, ["good", "bad"], "value")
    assert cache.embed(model, ["good"], "value").tolist() == [[1.0, 0.0]]
    assert cache.contents()[0].vectors == 1


def test_vectors_come_back_at_length_one(tmp_path: Path) -> None:
    model = Model("m", "1", embed=lambda texts, role: np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    cache = VectorCache(tmp_path)
    for _ in range(2):
        assert np.allclose(cache.embed(model, ["a", "b"], "value"), [[0.6, 0.8], [0.0, 0.0]])


def test_a_model_that_changes_its_length(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path)
    cache.embed(Model("m", "1", embed=lambda texts, role: np.ones((len(texts), 3), np.float32)), ["a"], "value")
    with pytest.raises(UserError, match="length 2, where earlier ones have 3"):
        cache.embed(Model("m", "1", embed=lambda texts, role: np.ones((len(texts), 2), np.float32)), ["b"], "value")


def test_scores_have_no_vectors(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="no vectors"):
        VectorCache(tmp_path).embed(load_model("bm25"), ["a"], "value")


def test_damaged_and_foreign_files(tmp_path: Path) -> None:
    cache, model = VectorCache(tmp_path), model_of(Lengths())
    cache.path(model).write_bytes(b"this is no database" * 100)
    for act in (lambda: cache.embed(model, ["salt"], "value"), cache.contents):
        with pytest.raises(UserError, match="cannot use the vector cache") as raised:
            act()
        assert "delete it" in raised.value.hint
    cache.path(model).unlink()
    with sqlite3.connect(cache.path(model)) as foreign:
        foreign.execute("CREATE TABLE about (something TEXT)")
    foreign.close()
    with pytest.raises(UserError, match="cannot use the vector cache"):
        cache.embed(model, ["salt"], "value")
    cache.path(model).unlink()
    cache.embed(model, ["salt"], "value")
    cache.path(model).rename(cache.path(model_of(Lengths(), revision="2")))
    with pytest.raises(UserError, match="belongs to another model"):
        cache.embed(model_of(Lengths(), revision="2"), ["salt"], "value")


def test_a_vector_of_a_wrong_length_is_made_again(tmp_path: Path) -> None:
    cache, embed = VectorCache(tmp_path), Lengths()
    rows = cache.embed(model_of(embed), ["salt", "oil"], "value")
    with sqlite3.connect(cache.path(model_of(embed))) as file:
        file.execute("UPDATE vectors SET vector = x'00' WHERE id = 1")
    file.close()
    assert np.array_equal(cache.embed(model_of(embed), ["salt", "oil"], "value"), rows)
    assert embed.asked[1:] == [(["salt"], "value")]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot create the folder"):
        VectorCache(tmp_path / "file" / "vectors").embed(model_of(Lengths()), ["salt"], "value")


def fill(folder: Path, start: int) -> None:
    texts = [f"text {number}" for number in range(start, start + 300)]
    rows = VectorCache(folder).embed(model_of(Lengths()), texts, "value")
    assert np.array_equal(rows, Lengths()(texts, "value"))


def test_several_processes_at_once(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=fill, args=(tmp_path, start)) for start in (0, 100, 200, 300)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0, 0]
    assert VectorCache(tmp_path).contents()[0].vectors == 600


class RefusedTwice(sqlite3.Connection):
    """What several processes meet that make one file at once: SQLite says no without having waited."""

    refused = 0

    def execute(self, *given: Any) -> sqlite3.Cursor:
        if "journal_mode" in given[0] and self.refused < 2:
            self.refused += 1
            raise sqlite3.OperationalError("database is locked")
        return super().execute(*given)


def test_a_file_that_another_process_is_making_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *given, **more: connect(*given, **more, factory=RefusedTwice))
    model = Model("made", "1", embed=lambda texts, _: np.ones((len(texts), 4), np.float32))
    assert VectorCache(tmp_path).embed(model, ["a"], "value").shape == (1, 4)
