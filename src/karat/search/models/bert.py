"""A BERT encoder in numpy: the last state of every token, from the weights of a ``model.safetensors``.

Texts of one token count pass through the layers together, so nothing is padded and nothing masked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from karat.search.records import Floats, Integers

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


class Dense(NamedTuple):
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
    mixed: Dense
    """Queries, keys and values of all heads in one product."""
    attended: Dense
    attended_norm: _Norm
    wide: Dense
    narrow: Dense
    norm: _Norm


class Network(NamedTuple):
    """The weights of an encoder."""

    words: Floats
    places: Floats
    """The embedding of each position."""
    segments: Floats
    """The embedding of each segment: the first text of a pair, and the second."""
    norm: _Norm
    layers: tuple[_Layer, ...]
    heads: int


def last_states(network: Network, ids: Integers, segments: Integers | None = None) -> Floats:
    """[text, token, number]: the last state of each token. ``ids`` and ``segments`` are [text, token]; without segments
    all tokens are in the first."""
    texts, length = ids.shape
    width = network.words.shape[1]
    added = network.segments[0] if segments is None else network.segments[segments]
    states = (network.words[ids] + (network.places[:length] + added)).reshape(texts * length, width)
    states = network.norm(states)
    for layer in network.layers:
        taken = _attend(layer.mixed(states), texts, length, network.heads)
        states = layer.attended_norm(states + layer.attended(taken))
        states = layer.norm(states + layer.narrow(_gelu(layer.wide(states))))
    return states.reshape(texts, length, width)


def _attend(mixed: Floats, texts: int, length: int, heads: int) -> Floats:
    """What each token takes from the others of its text, all heads side by side."""
    width = mixed.shape[1] // 3
    size = width // heads
    queries, keys, values = mixed.reshape(texts, length, 3, heads, size).transpose(2, 0, 3, 1, 4)
    weights: Floats = queries @ keys.transpose(0, 1, 3, 2)
    weights *= np.float32(size**-0.5)
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    taken: Floats = (weights @ values).transpose(0, 2, 1, 3).reshape(texts * length, width)
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


def network_from(weights: Mapping[str, Floats], *, layers: int, heads: int, prefix: str = "") -> Network:
    """The encoder from its weights by name; ``prefix`` is before each name. Raises :class:`KeyError` with the name
    of a weight that is not there."""

    def dense(*names: str) -> Dense:
        stacked = np.concatenate([weights[f"{prefix}{name}.weight"] for name in names])
        bias = np.concatenate([weights[f"{prefix}{name}.bias"] for name in names])
        return Dense(np.ascontiguousarray(stacked.T), bias)

    def norm(name: str) -> _Norm:
        return _Norm(weights[f"{prefix}{name}.LayerNorm.weight"], weights[f"{prefix}{name}.LayerNorm.bias"])

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

    return Network(
        weights[f"{prefix}embeddings.word_embeddings.weight"],
        weights[f"{prefix}embeddings.position_embeddings.weight"],
        weights[f"{prefix}embeddings.token_type_embeddings.weight"],
        norm("embeddings"),
        tuple(layer(number) for number in range(layers)),
        heads,
    )
