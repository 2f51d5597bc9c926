"""wordllama from its two files: the mean by hand, in any company, without its package."""

from __future__ import annotations

import subprocess
import sys

import numpy as np

from karat.search.models import load_model, wordllama


def test_the_mean_by_hand() -> None:
    tokenizer, vectors = wordllama._files()
    pieces = tokenizer.encode("Sea salt, coarse", add_special_tokens=False).ids
    mean = vectors[pieces].mean(axis=0)
    row = wordllama.embed(["Sea salt, coarse"], "value")[0]
    assert len(pieces) > 2
    assert vectors.shape == (32000, 256)
    assert np.allclose(row, mean / np.linalg.norm(mean), atol=1e-6)


def test_in_any_company() -> None:
    texts = [f"{number} grams of flour" + " and salt" * (number % 5) for number in range(300)]
    together = wordllama.embed(texts, "value")
    assert np.array_equal(together, np.concatenate([wordllama.embed([text], "question") for text in texts]))
    assert np.allclose(np.linalg.norm(together, axis=1), 1, atol=1e-5)


def test_what_is_no_text() -> None:
    rows = wordllama.embed(["", "salt", "a\ud800b"], "value")
    assert not rows[0].any()
    assert np.isfinite(rows).all()
    assert wordllama.embed([], "value").shape == (0, 256)


def test_near_is_near() -> None:
    question = wordllama.embed(["cheap vegetables"], "question")
    values = wordllama.embed(["carrots and potatoes", "steel girder", "interest rate"], "value")
    assert np.argmax(question @ values.T) == 0


def test_its_package_is_not_imported() -> None:
    code = (
        "import sys; from karat.search.models import load_model\n"
        "assert not {'tokenizers', 'safetensors', 'scipy', 'httpx', 'bm25s'} & set(sys.modules)\n"
        "load_model('wordllama').embed(['salt'], 'value')\n"
        "print('wordllama' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_as_a_model() -> None:
    model = load_model("wordllama")
    assert model.name == "wordllama"
    assert model.score is None
    assert model.cost > load_model("bm25").cost
