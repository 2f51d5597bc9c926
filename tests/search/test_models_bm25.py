"""BM25: against the formula by hand, and what becomes of words that say nothing."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.search.models import bm25


def lucene(question: list[str], values: list[list[str]], k1: float = 1.5, b: float = 0.75) -> list[float]:
    """ln(1 + (N - n + 0.5) / (n + 0.5)) · tf / (tf + k1 (1 - b + b · length / mean length)), added up over the
    question's words."""
    mean = sum(map(len, values)) / len(values)
    scores = []
    for value in values:
        counts, total = Counter(value), 0.0
        for word in question:
            having = sum(word in other for other in values)
            if counts[word]:
                idf = math.log(1 + (len(values) - having + 0.5) / (having + 0.5))
                total += idf * counts[word] / (counts[word] + k1 * (1 - b + b * len(value) / mean))
        scores.append(total)
    return scores


def test_by_hand() -> None:
    scores = bm25.score(["red apple"], ["Red apple", "green apple", "pear"])
    # "red" is in one of three: ln(1 + 2.5/1.5) = 0.981; "apple" in two: ln(1 + 1.5/2.5) = 0.470; mean length 5/3.
    weight = 1 / (1 + 1.5 * (0.25 + 0.75 * 2 / (5 / 3)))
    assert scores.dtype == np.float32
    assert scores[0] == pytest.approx([(0.980829 + 0.470004) * weight, 0.470004 * weight, 0], abs=1e-5)


words = st.lists(st.sampled_from(["salt", "pepper", "oil", "b12", "x_y", "ж"]), max_size=6)


@settings(max_examples=80, deadline=None)
@given(question=words, values=st.lists(words, min_size=1, max_size=8))
def test_equals_the_formula(question: list[str], values: list[list[str]]) -> None:
    expected = lucene(question, values) if any(values) else [0.0] * len(values)
    given_back = bm25.score([" ".join(question)], [", ".join(value).upper() for value in values])[0]
    assert given_back == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_words_that_say_nothing() -> None:
    assert bm25.question_words("What is the price of it?") == ["what", "price"]
    assert bm25.question_words("growth in NO and IT") == ["growth", "no", "it"]  # Norway and Italy
    assert bm25.question_words("To be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert bm25.question_words("?!") == []
    assert np.argmax(bm25.score(["GDP of NO"], ["IT", "NO", "DE"])) == 1


def test_no_words_no_scores() -> None:
    assert not bm25.score(["", "…"], ["salt", "pepper"]).any()
    assert not bm25.score(["salt"], ["", "!"]).any()
    assert bm25.score(["salt"], []).shape == (1, 0)
    assert bm25.score([], ["salt"]).shape == (0, 1)


def test_blocks_of_questions_say_the_same() -> None:
    values = [f"item {number} of {number % 7}" for number in range(200)]
    questions = [f"item {number}" for number in range(20)]
    blocks = [bm25.score(questions[start : start + 3], values) for start in range(0, 20, 3)]
    assert np.array_equal(np.concatenate(blocks), bm25.score(questions, values))


def test_same_in_every_process_and_silent() -> None:
    code = (
        "from karat.search.models import bm25\n"
        "print(bm25.score(['salt and oil and water'], [f'salt {n} oil {n % 3} water' for n in "
        "range(50)]).tobytes().hex())"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert re.fullmatch(r"[0-9a-f]+\n", runs[0].stdout)
    assert runs[0].stderr == ""
