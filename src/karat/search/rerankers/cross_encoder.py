"""``cross-encoder:FOLDER``: a BERT cross-encoder from a local folder, computed in numpy.

The folder holds ``config.json``, ``model.safetensors`` and ``tokenizer.json``, as cross-encoders such as
ms-marco-MiniLM-L6-v2 are published. Question and text pass through the layers as one pair; the score is the output of
the classifier before any activation. At most 512 tokens of a pair count: the longer of the two texts is cut first.
Nothing is downloaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.search.models.bert import TOKENS_AT_ONCE, Dense, Network, last_states, network_from
from karat.search.models.packaged_models import installed
from karat.search.models.rows import sendable
from karat.search.records import Floats
from karat.search.rerankers.reranker import Reranker

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PREFIX = "cross-encoder:"
FILES = ("config.json", "model.safetensors", "tokenizer.json")
LONGEST = 512
BATCH = 256
CODE = "numpy-1"
ELSEWHERE = "Run other kinds behind a /rerank endpoint (rerank:MODEL@URL) or in a function (python:MODULE:FUNCTION)."


class _Config(msgspec.Struct, frozen=True):
    num_hidden_layers: int
    num_attention_heads: int
    model_type: str = ""
    hidden_act: str = "gelu"
    max_position_embeddings: int = LONGEST


class _Encoder(NamedTuple):
    tokenizer: Tokenizer
    network: Network
    pooler: Dense
    classifier: Dense


def reranker(name: str) -> Reranker:
    """The reranker of a folder; its weights are read when the first pair comes. UserError when files are missing."""
    folder = Path(name.removeprefix(PREFIX))
    for package in ("tokenizers", "safetensors"):
        if not installed(package):
            hint = f"Install it: {install_command('retrieval')}"
            raise UserError(f'the reranker "{name}" needs the package "{package}", which is not installed', hint=hint)
    missing = [file for file in FILES if not (folder / file).is_file()]
    if missing:
        what = "there is no such folder" if not folder.is_dir() else f"it has no {' and no '.join(missing)}"
        raise UserError(f'the reranker "{name}": {what}', hint=f"The folder of a cross-encoder has {', '.join(FILES)}.")
    return Reranker(name, f"{_digest(folder)}/{CODE}", Scoring(name, folder), batch=BATCH)


@dataclass(frozen=True)
class Scoring:
    """Pairs to scores with the weights of one folder."""

    name: str
    folder: Path

    def __call__(self, question: str, texts: Sequence[str]) -> Floats:
        encoder = _encoder(self.name, self.folder)
        pairs = [(sendable(question), sendable(text)) for text in texts]
        found = [(tuple(one.ids), tuple(one.type_ids)) for one in encoder.tokenizer.encode_batch(pairs)]
        distinct = list(dict.fromkeys(found))
        by_length: dict[int, list[int]] = {}
        for place, (ids, _) in enumerate(distinct):
            by_length.setdefault(len(ids), []).append(place)
        scores = np.zeros(len(distinct), np.float32)
        for length, places in by_length.items():
            step = max(1, TOKENS_AT_ONCE // length)
            for start in range(0, len(places), step):
                block = places[start : start + step]
                tokens = np.array([distinct[place][0] for place in block], np.int64)
                parts = np.array([distinct[place][1] for place in block], np.int64)
                first = last_states(encoder.network, tokens, parts)[:, 0]
                scores[block] = encoder.classifier(np.tanh(encoder.pooler(first)))[:, 0]
        numbers = {pair: place for place, pair in enumerate(distinct)}
        return scores[[numbers[pair] for pair in found]]


def _digest(folder: Path) -> str:
    found = hashlib.sha256()
    for name in FILES:
        with (folder / name).open("rb") as file:
            found.update(hashlib.file_digest(file, "sha256").digest())
    return found.hexdigest()[:16]


@cache
def _encoder(name: str, folder: Path) -> _Encoder:
    from safetensors.numpy import load_file
    from tokenizers import Tokenizer

    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=_Config)
        weights = {key: value.astype(np.float32) for key, value in load_file(folder / "model.safetensors").items()}
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    except Exception as error:  # each of the three libraries raises errors of its own
        raise UserError(f'the reranker "{name}" cannot be read: {error}') from error
    if config.model_type != "bert" or config.hidden_act != "gelu":
        kind = config.model_type if config.model_type != "bert" else f"bert with {config.hidden_act}"
        raise UserError(f'the reranker "{name}" is a model of type {kind or "unknown"}, not bert', hint=ELSEWHERE)
    try:
        network = network_from(
            weights, layers=config.num_hidden_layers, heads=config.num_attention_heads, prefix="bert."
        )
        pooler, classifier = (
            Dense(np.ascontiguousarray(weights[f"{part}.weight"].T), weights[f"{part}.bias"])
            for part in ("bert.pooler.dense", "classifier")
        )
    except KeyError as error:
        raise UserError(f'the reranker "{name}" has no weight {error}', hint=ELSEWHERE) from None
    if classifier.weight.shape[1] != 1:
        outputs = classifier.weight.shape[1]
        raise UserError(f'the reranker "{name}" has {outputs} outputs, and one is needed: a score', hint=ELSEWHERE)
    tokenizer.no_padding()
    tokenizer.enable_truncation(min(LONGEST, config.max_position_embeddings))
    return _Encoder(tokenizer, network, pooler, classifier)
