"""Embedding and ranking on an engine: the same choice, the same curves, as in this process."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from karat.core.problems import UserError
from karat.runs.executors.parallel_calls import spread_over
from karat.runs.executors.processes import Processes
from karat.search.models import load_model
from karat.search.ranks import ranking
from karat.search.ranks.ranking import rank_field
from karat.verbs.tune import Tuned, tune
from tests.conftest import ROOT
from tests.runs.executors.fragile import fragile


def plain(tuned: Tuned) -> object:
    """All that was found, without how long it took."""
    return msgspec.to_builtins(msgspec.structs.replace(tuned.tuning, seconds=0.0))


def test_a_tune_on_processes_chooses_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "examples" / "retrieval", tmp_path / "shop")
    monkeypatch.chdir(tmp_path)  # where the workers keep their vectors
    sheet = tmp_path / "shop" / "shop.sheet"
    with Processes(2) as pool:
        there = tune(sheet, executor=pool)
    assert plain(there) == plain(tune(sheet))
    assert list((tmp_path / ".karat" / "vectors").glob("*.vectors"))


def test_ranks_are_the_same_in_blocks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ranking, "AT_ONCE", 3)
    values = [f"{fruit} {form}" for fruit in ("lemon", "apple", "lime", "pear") for form in ("juice", "cake", "jam")]
    questions = [f"Where is the {value}?" for value in values[:10]]
    truths = [[value] if number % 3 else [value, "nowhere"] for number, value in enumerate(values[:10])]
    models = [load_model("bm25"), load_model("wordllama")]
    here = rank_field("f", values, questions, truths, models, depth=5)
    with Processes(2) as pool:
        there = rank_field("f", values, questions, truths, models, depth=5, spread=spread_over(pool))
    for one, other in zip(here.models, there.models, strict=True):
        assert [ranks.tolist() for ranks in one.ranks] == [ranks.tolist() for ranks in other.ranks]
        assert one.tokens.tolist() == other.tokens.tolist()


def test_what_is_lost_too_often_is_an_error() -> None:
    with Processes(1) as pool, pytest.raises(UserError, match="the computation was given up after 3 tries"):
        spread_over(pool)(fragile, [((7,),)])
