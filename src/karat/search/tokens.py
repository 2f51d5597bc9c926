"""How many OpenAI tokens a text is, offline: both vocabularies are inside ``splintr-rs``."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from karat.core.problems import UserError, did_you_mean
from karat.search.models.rows import sendable
from karat.search.records import Integers

if TYPE_CHECKING:
    from splintr import AnyTokenizer

ENCODINGS = ("o200k_base", "cl100k_base")


def count_tokens(texts: Sequence[str], encoding: str = "o200k_base") -> Integers:
    """The number of tokens of each text. What looks like a special token (``<|endoftext|>``) is text like any other."""
    encode = tokenizer(encoding).encode_ordinary
    return np.fromiter((len(encode(sendable(text))) for text in texts), np.int64, len(texts))


@cache
def tokenizer(encoding: str) -> AnyTokenizer:
    """The tokenizer of an encoding; UserError for one that there is not."""
    if encoding not in ENCODINGS:
        raise UserError(f'there is no token encoding "{encoding}"', hint=did_you_mean(encoding, ENCODINGS))
    from splintr import Tokenizer

    return Tokenizer.from_pretrained(encoding)
