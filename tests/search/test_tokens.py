"""Token counts against tiktoken itself, with OpenAI's own vocabulary files.

tiktoken downloads them at run time. Here they are written out from splintr's tables, byte for byte: tiktoken checks
their SHA-256 against the published one when it reads them, so what it then counts with is OpenAI's vocabulary and
nothing else.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import numpy as np
import pytest
import tiktoken
import tiktoken.load
from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.problems import UserError
from karat.search.tokens import ENCODINGS, count_tokens

SIZES = {"o200k_base": 199_998, "cl100k_base": 100_256}


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tiktoken.Encoding]:
    from splintr import Tokenizer

    folder = tmp_path_factory.mktemp("vocabularies")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIKTOKEN_CACHE_DIR", str(folder))
        patch.setattr(tiktoken.load, "read_file", _no_network)
        for name, size in SIZES.items():
            tokenizer = Tokenizer.from_pretrained(name)
            lines = (b"%s %d\n" % (base64.b64encode(tokenizer.decode_token_bytes(i)), i) for i in range(size))
            _cached(folder, name).write_bytes(b"".join(lines))
        return {name: tiktoken.get_encoding(name) for name in ENCODINGS}


def _cached(folder: Path, name: str) -> Path:
    """Where tiktoken looks for a vocabulary before it asks the network."""
    address = f"https://openaipublic.blob.core.windows.net/encodings/{name}.tiktoken"
    return folder / hashlib.sha1(address.encode()).hexdigest()


def _no_network(address: str) -> bytes:
    raise AssertionError(f"tiktoken did not accept the vocabulary: it asks for {address}")


VARIED = [
    "",
    " ",
    "Gross domestic product, constant prices",
    "What cheap vegetables do I have?",
    "NGDP_RPCH 001 1:30 3.14159 2024-12-31",
    "<|endoftext|> and <|fim_prefix|> are text here",
    "Ærøskøbing, Łódź, Αθήνα, Київ, القاهرة, 北京市, 東京都, ไทย, हिन्दी",
    "👩‍👩‍👧‍👦 🇪🇺 é é \u200b\ufeff",
    "I'll he's WE'RE they'D\r\n\r\n\t\ttabs   and    spaces  ",
    "x" * 5000,
    " " * 3000,
    "def f(x):\n    return {k: v for k, v in x.items() if k != 'id'}\n",
]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_varied_texts(encoding: str, reference: dict[str, tiktoken.Encoding]) -> None:
    expected = [len(reference[encoding].encode_ordinary(text)) for text in VARIED]
    counted = count_tokens(VARIED, encoding)
    assert counted.tolist() == expected
    assert counted.dtype == np.int64


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=80) | st.text("aA' .\n\r\t1é字<|>_/s", max_size=80))
def test_any_text(text: str, reference: dict[str, tiktoken.Encoding]) -> None:
    for encoding in ENCODINGS:
        assert count_tokens([text], encoding)[0] == len(reference[encoding].encode_ordinary(text)), encoding


def test_by_hand() -> None:
    assert count_tokens(["hello world", "", "<|endoftext|>"]).tolist() == [2, 0, 7]
    assert count_tokens([]).shape == (0,)
    assert count_tokens(["a\ud800b"])[0] == count_tokens(["a?b"])[0]


def test_unknown_encoding() -> None:
    with pytest.raises(UserError, match='no token encoding "o200k"') as raised:
        count_tokens(["x"], "o200k")
    assert "o200k_base" in str(raised.value)
    with pytest.raises(UserError, match="Available: cl100k_base, o200k_base"):
        count_tokens(["x"], "zzz")
