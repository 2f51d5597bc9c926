"""``bm25``: scores by the words that question and value share, rare words for more (Lucene's BM25 of ``bm25s``, k1 1.5,
b 0.75).

Words are runs of letters, digits and ``_`` in lower case; there is no stemming. Values keep all their words. A question
loses the words that say nothing ("the", "of"), unless they are in capitals: "growth in NO" asks for Norway. A
question of nothing but such words keeps them; one without any word scores 0 everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from karat.core.installed.extras import install_command
from karat.search.models.info import ModelInfo
from karat.search.models.packaged_models import installed, package_folder, package_version
from karat.search.records import Floats, Model

if TYPE_CHECKING:
    from bm25s import BM25

INSTALL = install_command("retrieval")
COST = 1.0

WORD = re.compile(r"\w+")


def info() -> ModelInfo:
    """What ``karat models`` says of it."""
    ready = installed("bm25s")
    what = "words in common, rare ones count more; no vectors"
    return ModelInfo("bm25", what, ready, "" if ready else INSTALL, None, COST)


def model() -> Model:
    """The model. The index of the latest values is kept, so that questions may come in blocks."""
    package_folder("bm25s", "bm25", INSTALL)
    return Model("bm25", f"{package_version('bm25s')}/1", score=score, cost=COST)


def score(questions: Sequence[str], values: Sequence[str]) -> Floats:
    """[question, value]; a value that shares no word with a question has 0 there."""
    scores = np.zeros((len(questions), len(values)), np.float32)
    index, numbers = _index(tuple(values))
    if index is None:
        return scores
    for row, question in enumerate(questions):
        known = [numbers[word] for word in question_words(question) if word in numbers]
        if known:
            scores[row] = index.get_scores_from_ids(known)
    return scores


def question_words(question: str) -> list[str]:
    """The words of a question that count."""
    words = WORD.findall(question)
    empty = _empty_words()
    telling = [word for word in words if word.lower() not in empty or (len(word) > 1 and word.isupper())]
    return [word.lower() for word in telling or words]


@cache
def _empty_words() -> frozenset[str]:
    """The 33 English words that bm25s leaves out."""
    return frozenset(import_module("bm25s.stopwords").STOPWORDS_EN)


@lru_cache(maxsize=1)
def _index(values: tuple[str, ...]) -> tuple[BM25 | None, dict[str, int]]:
    """The index, and the number of each word in the order of appearance: nothing depends on the order of a set."""
    numbers: dict[str, int] = {}
    words = [[numbers.setdefault(word, len(numbers)) for word in WORD.findall(value.lower())] for value in values]
    if not numbers:
        return None, numbers
    index = import_module("bm25s").BM25(backend="numpy")
    index.index((words, numbers), create_empty_token=False, show_progress=False)
    return index, numbers
