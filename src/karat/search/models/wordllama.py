"""``wordllama``: a fixed vector of 256 numbers for each of 32,000 word pieces; a text's vector is their mean, at length
one (which their sum at length one is too).

Only the two files of the package ``wordllama`` are used, its weights and its tokenizer: the package's own loader asks
the network first.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from karat.core.installed.extras import install_command
from karat.search.models.info import ModelInfo
from karat.search.models.packaged_models import installed, package_folder, package_version
from karat.search.models.rows import sendable, unit_rows
from karat.search.records import Floats, Model, Role

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "wordllama"
INSTALL = install_command("retrieval")
DIMENSIONS = 256
COST = 2.0
TEXTS_AT_ONCE = 4096


def info() -> ModelInfo:
    """What ``karat models`` says of it."""
    ready = installed(PACKAGE)
    what = "a vector for each word piece, averaged; very fast"
    return ModelInfo("wordllama", what, ready, "" if ready else INSTALL, DIMENSIONS, COST)


def model() -> Model:
    """The model; its files are read when the first text comes. UserError when the package is not there."""
    package_folder(PACKAGE, "wordllama", INSTALL)
    return Model("wordllama", f"{package_version(PACKAGE)}/l2_supercat_256/1", embed=embed, cost=COST)


def embed(texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG001 (questions and values are one to this model)
    """A row for each text; zeros for a text without any word piece. A text has the same bits in any company."""
    from scipy.sparse import csr_array

    tokenizer, vectors = _files()
    rows = np.zeros((len(texts), DIMENSIONS), np.float32)
    for start in range(0, len(texts), TEXTS_AT_ONCE):
        block = [sendable(text) for text in texts[start : start + TEXTS_AT_ONCE]]
        pieces = [encoding.ids for encoding in tokenizer.encode_batch_fast(block, add_special_tokens=False)]
        ends = np.cumsum([0, *map(len, pieces)])
        flat = np.fromiter(chain.from_iterable(pieces), np.int32, int(ends[-1]))
        # The sum of a text's vectors as a sparse product: 25 times quicker than gathering them and adding up.
        places = csr_array((np.ones(len(flat), np.float32), flat, ends), shape=(len(block), len(vectors)))
        rows[start : start + len(block)] = places @ vectors
    return unit_rows(rows)


@cache
def _files() -> tuple[Tokenizer, Floats]:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    folder = package_folder(PACKAGE, "wordllama", INSTALL)
    tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    vectors = load_file(folder / "weights" / "l2_supercat_256.safetensors")["embedding.weight"]
    return tokenizer, vectors.astype(np.float32)
