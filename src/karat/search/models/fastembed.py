"""Models of the package ``fastembed`` (extra ``[fastembed]``): ONNX on the processor, weights downloaded on first use.

The names below, and ``fastembed:OWNER/MODEL`` for any other model that the package knows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from karat.core.problems import UserError, did_you_mean
from karat.search.models.info import ModelInfo
from karat.search.models.packaged_models import installed, package_version
from karat.search.models.prefixes import prefixes_of
from karat.search.models.rows import checked_rows, sendable
from karat.search.records import Floats, Model, Role

if TYPE_CHECKING:
    from fastembed import TextEmbedding

INSTALL = "pip install fastembed"
PREFIX = "fastembed:"
COST_OF_OTHERS = 7.0


class Named(NamedTuple):
    """A model with a short name."""

    full: str
    dimensions: int
    cost: float
    summary: str


MODELS: dict[str, Named] = {
    "bge-small-en-v1.5": Named("BAAI/bge-small-en-v1.5", 384, 4.0, "a small transformer for search, English"),
    "bge-base-en-v1.5": Named("BAAI/bge-base-en-v1.5", 768, 5.0, "a medium-sized transformer for search, English"),
    "bge-large-en-v1.5": Named("BAAI/bge-large-en-v1.5", 1024, 6.0, "a large transformer for search, English"),
    "nomic-embed-text-v1.5": Named("nomic-ai/nomic-embed-text-v1.5", 768, 5.0, "long texts, English"),
    "multilingual-e5-large": Named("intfloat/multilingual-e5-large", 1024, 6.0, "a large transformer, 100 languages"),
}


def infos() -> tuple[ModelInfo, ...]:
    """What ``karat models`` says of them."""
    ready = installed("fastembed")
    install = "" if ready else INSTALL
    named = (
        ModelInfo(name, f"{found.summary}; weights are downloaded once", ready, install, found.dimensions, found.cost)
        for name, found in MODELS.items()
    )
    any_other = "any other fastembed model, such as fastembed:thenlper/gte-base"
    return (*named, ModelInfo(f"{PREFIX}OWNER/MODEL", any_other, ready, install, None, COST_OF_OTHERS))


def model(name: str) -> Model:
    """A model by its short name or as ``fastembed:OWNER/MODEL``; its weights are fetched when the first text comes."""
    if not installed("fastembed"):
        raise UserError(
            f'the model "{name}" needs the package "fastembed", which is not installed', hint=f"Install it: {INSTALL}"
        )
    named = MODELS.get(name)
    full = named.full if named else name.removeprefix(PREFIX)
    revision = f"{package_version('fastembed')}/{full}/{'|'.join(prefixes_of(full))}"
    return Model(name, revision, embed=Embedding(name, full), cost=named.cost if named else COST_OF_OTHERS)


@dataclass(frozen=True)
class Embedding:
    """Texts to rows with one model."""

    name: str
    full: str

    def __call__(self, texts: Sequence[str], role: Role) -> Floats:
        if not texts:
            return np.zeros((0, 0), np.float32)
        prefixes = prefixes_of(self.full)
        put = [prefixes.put(sendable(text), role) for text in texts]
        opened = _opened(self.name, self.full)
        found = opened.query_embed(put) if role == "question" else opened.passage_embed(put)
        return checked_rows(list(found), texts, self.name)


@cache
def _opened(name: str, full: str) -> TextEmbedding:
    package = import_module("fastembed")
    _quieten()
    known = [str(found["model"]) for found in package.TextEmbedding.list_supported_models()]
    if full.lower() not in {other.lower() for other in known}:
        few = f"It has {len(known)}: {', '.join(known[:3])}, …"
        raise UserError(f'fastembed has no model "{full}"', hint=did_you_mean(full, known) or few)
    try:
        return package.TextEmbedding(full)
    except (ValueError, OSError) as error:
        raise UserError(
            f'the weights of "{name}" were not found and cannot be downloaded: {error}',
            hint="They come from Hugging Face on first use. Without a network: copy fastembed's model folder from "
            "another machine and set FASTEMBED_CACHE_PATH to it. karat models shows what works offline.",
        ) from error


def _quieten() -> None:
    """Its log of every try to download would be in the way of our one sentence."""
    try:
        import_module("loguru").logger.disable("fastembed")
    except ModuleNotFoundError:
        return
