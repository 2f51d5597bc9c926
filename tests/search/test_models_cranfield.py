"""The models on a real collection: recall of the documents judged 1 to 4 among the 1,400 titles, mean over 225
questions.

The expected figures were measured elsewhere, with the packages' own loaders.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.search.models import load_model
from tests.search.cranfield import read, recall

MEASURED = {"bm25": (0.302, 0.614), "wordllama": (0.309, 0.630), "minilm": (0.326, 0.703)}


@pytest.mark.shared_data
@pytest.mark.parametrize("name", ["bm25", "wordllama", pytest.param("minilm", marks=pytest.mark.slow)])
def test_recall(shared: Path, name: str) -> None:
    titles, questions, truths = read(shared / "data" / "retrieval" / "cranfield")
    assert (len(titles), len(questions), sum(map(len, truths))) == (1400, 225, 1612)
    model = load_model(name)
    if model.score is not None:
        scores = model.score(questions, titles)
    else:
        assert model.embed is not None
        scores = model.embed(questions, "question") @ model.embed(titles, "value").T
    assert (recall(scores, truths, 10), recall(scores, truths, 100)) == pytest.approx(MEASURED[name], abs=0.01)
