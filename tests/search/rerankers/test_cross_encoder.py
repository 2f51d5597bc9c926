"""A cross-encoder from a folder, in numpy. No package with a licence carries the weights of a reranker, so the folder
is made here; the expected scores are those of transformers 5 (BertForSequenceClassification) for the same folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.search.rankers.load import load_ranker
from karat.search.ranks.ranking import rank_passes
from karat.search.rerankers import load_reranker
from karat.search.rerankers.reranker import scores_of
from tests.search.rerankers.tiny_cross_encoder import make

QUESTION = "What is green tea?"
SCORES = {
    "green tea": 1.35732,
    "black teas": 1.217204,
    "coffee": 1.419256,
    "": 1.437717,
    "the tea cosy is green " * 5: 0.877014,  # cut to 24 tokens
}


def test_scores_are_those_of_transformers(tmp_path: Path) -> None:
    reranker = load_reranker(f"cross-encoder:{make(tmp_path / 'tiny')}")
    texts = [*SCORES, "Green  TEA"]
    found = scores_of(reranker, QUESTION, texts)
    assert found.tolist() == pytest.approx([*SCORES.values(), SCORES["green tea"]], abs=1e-5)
    assert found[0] == found[-1]  # the same tokens tie exactly
    alone = [float(scores_of(reranker, QUESTION, [text])[0]) for text in texts]
    assert alone == pytest.approx(found.tolist(), abs=1e-6)


def test_it_reorders_what_the_first_stage_found(tmp_path: Path) -> None:
    ranker = load_ranker(f"rerank(bm25, cross-encoder:{make(tmp_path / 'tiny')}; depth=3)")
    ((ranks, first, _),) = rank_passes([ranker], [QUESTION], ["green tea", "coffee", "black teas"], [[0, 1, 2]], 3)
    assert first.tolist() == [[1, 0, 2]] and ranks[0].tolist() == [2, 1, 3]


def test_the_revision_is_that_of_the_files(tmp_path: Path) -> None:
    one, other = (load_reranker(f"cross-encoder:{make(tmp_path / name)}") for name in ("a", "b"))
    assert one.revision == other.revision
    changed = load_reranker(f"cross-encoder:{make(tmp_path / 'c', hidden_dropout_prob=0.2)}")
    assert changed.revision != one.revision


def test_a_folder_that_is_no_cross_encoder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        load_reranker(f"cross-encoder:{tmp_path / 'none'}")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match=r"no config.json and no model.safetensors"):
        load_reranker(f"cross-encoder:{tmp_path / 'empty'}")
    folder = make(tmp_path / "roberta", model_type="xlm-roberta")
    with pytest.raises(UserError, match="type xlm-roberta, not bert") as caught:
        scores_of(load_reranker(f"cross-encoder:{folder}"), "q", ["a"])
    assert "/rerank" in caught.value.hint
    with pytest.raises(UserError, match="has 3 outputs"):
        scores_of(load_reranker(f"cross-encoder:{make(tmp_path / 'nli', outputs=3)}"), "q", ["a"])
    with pytest.raises(UserError, match="no weight"):
        scores_of(load_reranker(f"cross-encoder:{make(tmp_path / 'deep', num_hidden_layers=9)}"), "q", ["a"])
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    with pytest.raises(UserError, match="cannot be read"):
        scores_of(load_reranker(f"cross-encoder:{folder}"), "q", ["a"])
