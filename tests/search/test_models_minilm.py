"""MiniLM in numpy: against a slow reading of the same weights in float64, head by head and token by token."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import erf

from karat.search.models import minilm
from karat.search.models.packaged_models import package_folder

Doubles = NDArray[np.float64]


@pytest.fixture(scope="module")
def weights() -> dict[str, Doubles]:
    from safetensors.numpy import load_file

    file = package_folder(minilm.PACKAGE, "minilm", "") / "model" / "model.safetensors"
    return {name: array.astype(np.float64) for name, array in load_file(file).items() if array.dtype == np.float32}


def slowly(ids: list[int], weights: dict[str, Doubles]) -> Doubles:
    """One text, as the paper says it."""

    def dense(states: Doubles, name: str) -> Doubles:
        return np.asarray(states @ weights[f"{name}.weight"].T + weights[f"{name}.bias"])

    def norm(states: Doubles, name: str) -> Doubles:
        centred = states - states.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        scaled: Doubles = centred / scale * weights[f"{name}.LayerNorm.weight"] + weights[f"{name}.LayerNorm.bias"]
        return scaled

    def word(kind: str) -> Doubles:
        return weights[f"embeddings.{kind}_embeddings.weight"]

    states = norm(word("word")[ids] + word("position")[: len(ids)] + word("token_type")[0], "embeddings")
    for number in range(6):
        layer = f"encoder.layer.{number}"
        query, key, value = (dense(states, f"{layer}.attention.self.{part}") for part in ("query", "key", "value"))
        heads = []
        for start in range(0, 384, 32):
            head = slice(start, start + 32)
            likeness = np.exp(query[:, head] @ key[:, head].T / np.sqrt(32))
            heads.append(likeness / likeness.sum(axis=1, keepdims=True) @ value[:, head])
        mixed = dense(np.concatenate(heads, axis=1), f"{layer}.attention.output.dense")
        states = norm(states + mixed, f"{layer}.attention.output")
        wide = dense(states, f"{layer}.intermediate.dense")
        wide = wide * (1 + erf(wide / np.sqrt(2))) / 2
        states = norm(states + dense(wide, f"{layer}.output.dense"), f"{layer}.output")
    mean = states.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_equals_the_slow_reading(weights: dict[str, Doubles]) -> None:
    texts = ["Salt", "What cheap vegetables do I have?", "", "Ærøskøbing " * 30]
    rows = minilm.embed(texts, "value")
    tokenizer: Any = minilm._tokenizer()
    for row, text in zip(rows, texts, strict=True):
        assert np.abs(row - slowly(tokenizer.encode(text).ids, weights)).max() < 2e-6


def test_order_company_and_case() -> None:
    texts = [f"{'very ' * (number % 4)}good salt {number}" for number in range(40)]
    rows = minilm.embed(texts, "value")
    back = minilm.embed(texts[::-1], "question")[::-1]
    assert np.abs(rows - back).max() < 1e-6
    salt = minilm.embed(["Salt", "pepper", "salt", "SALT "], "value")
    assert np.array_equal(salt[0], salt[2])  # one to this model, so they must tie exactly
    assert np.array_equal(salt[0], salt[3])
    assert not np.array_equal(salt[0], salt[1])


def test_the_end_of_a_long_text_does_not_count() -> None:
    same = minilm.embed(["salt " * 300 + end for end in ("pepper", "oil")], "value")
    assert np.array_equal(same[0], same[1])
    assert minilm.embed([], "value").shape == (0, 384)
