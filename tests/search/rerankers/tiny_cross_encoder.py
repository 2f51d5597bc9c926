"""The folder of a tiny BERT cross-encoder with weights drawn from a seed, in the layout in which real ones are
published."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "green", "black", "tea", "coffee", "##s", "is", "what", "?", "cosy")
WIDTH, LAYERS, HEADS, INNER, PLACES = 8, 2, 2, 16, 24


def make(folder: Path, *, outputs: int = 1, **config: object) -> Path:
    """Write the three files of a cross-encoder."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "model_type": "bert",
        "architectures": ["BertForSequenceClassification"],
        "vocab_size": len(WORDS),
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "intermediate_size": INNER,
        "max_position_embeddings": PLACES,
        "type_vocab_size": 2,
        "hidden_act": "gelu",
        "num_labels": outputs,
    }
    (folder / "config.json").write_text(json.dumps(settings | config), encoding="utf-8")
    rng = np.random.default_rng(7)

    def drawn(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    sizes = {
        "embeddings.word_embeddings": (len(WORDS), WIDTH),
        "embeddings.position_embeddings": (PLACES, WIDTH),
        "embeddings.token_type_embeddings": (2, WIDTH),
    }
    weights = {f"bert.{name}.weight": drawn(*size) for name, size in sizes.items()}
    dense = {"pooler.dense": (WIDTH, WIDTH)}
    norms = ["embeddings"]
    for layer in range(LAYERS):
        own = f"encoder.layer.{layer}"
        for part in ("self.query", "self.key", "self.value", "output.dense"):
            dense[f"{own}.attention.{part}"] = (WIDTH, WIDTH)
        dense[f"{own}.intermediate.dense"] = (INNER, WIDTH)
        dense[f"{own}.output.dense"] = (WIDTH, INNER)
        norms += [f"{own}.attention.output", f"{own}.output"]
    for name, size in dense.items():
        weights[f"bert.{name}.weight"], weights[f"bert.{name}.bias"] = drawn(*size), drawn(size[0])
    for name in norms:
        weights[f"bert.{name}.LayerNorm.weight"] = 1 + drawn(WIDTH)
        weights[f"bert.{name}.LayerNorm.bias"] = drawn(WIDTH)
    weights["classifier.weight"], weights["classifier.bias"] = drawn(outputs, WIDTH), drawn(outputs)
    save_file(weights, folder / "model.safetensors", {"format": "pt"})
    tokenizer = Tokenizer(WordPiece({word: place for place, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.normalizer = BertNormalizer()
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
