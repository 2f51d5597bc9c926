"""``openai:MODEL``: an OpenAI-compatible embeddings endpoint; ``openai:MODEL@http://localhost:8080/v1`` for one named
on the spot.

The address is KARAT_EMBEDDINGS_URL, else OPENAI_BASE_URL, else OpenAI's own; the key KARAT_EMBEDDINGS_API_KEY, else
OPENAI_API_KEY. A key goes only to the address it belongs to: OPENAI_API_KEY never to KARAT_EMBEDDINGS_URL, and none to
an address in the model's name, unless that is the configured one. Texts go 128 at a time (KARAT_EMBEDDINGS_BATCH).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import msgspec
import numpy as np

from karat.core.problems import UserError, count_of
from karat.search.models.info import ModelInfo
from karat.search.models.json_request import Posting
from karat.search.models.prefixes import prefixes_of
from karat.search.models.rows import checked_rows, sendable
from karat.search.records import Floats, Model, Role

PREFIX = "openai:"
HOME = "https://api.openai.com/v1"
COST = 10.0
BATCH = 128


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Vector]


def info(environment: Mapping[str, str] = os.environ) -> ModelInfo:
    """What ``karat models`` says of it."""
    what = "an OpenAI-compatible embeddings endpoint; also openai:MODEL@http://localhost:8080/v1"
    ready = any(environment.get(name) for name in ("KARAT_EMBEDDINGS_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"))
    missing = "export KARAT_EMBEDDINGS_URL=… (and KARAT_EMBEDDINGS_API_KEY), or OPENAI_API_KEY"
    return ModelInfo(f"{PREFIX}MODEL", what, ready, "" if ready else missing, None, COST)


def model(name: str, environment: Mapping[str, str] = os.environ) -> Model:
    """The model behind ``openai:MODEL[@URL]``. Nothing is called yet; UserError for an invalid address."""
    asked, url = address(name, environment)
    key_of(url, environment)
    revision = f"{url}/{'|'.join(prefixes_of(asked))}"
    batch = _batch(environment)
    return Model(name, revision, embed=Embedding(name, asked, url, batch), cost=COST, batch=batch)


def names_address(name: str) -> bool:
    """Whether the name itself says where texts are sent."""
    return name.startswith(PREFIX) and "@http" in name


@dataclass(frozen=True)
class Embedding:
    """Texts to rows by calls to one endpoint. The key is read when it is needed, so that it is in no object that may be
    printed or stored."""

    name: str
    asked: str
    url: str
    batch: int = BATCH
    """The vector cache asks for this many at a time, so that the vectors of one call are kept if the next one fails."""
    posting: Posting = field(default_factory=Posting)

    def __call__(self, texts: Sequence[str], role: Role) -> Floats:
        rows = [self._call(texts[start : start + self.batch], role) for start in range(0, len(texts), self.batch)]
        widths = {block.shape[1] for block in rows}
        if len(widths) > 1:
            raise UserError(f"{self.url} gave vectors of lengths {' and '.join(map(str, sorted(widths)))}")
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)

    def _call(self, texts: Sequence[str], role: Role) -> Floats:
        prefixes = prefixes_of(self.asked)
        # Many servers refuse an empty text, and all take a blank.
        put = [prefixes.put(sendable(text), role) or " " for text in texts]
        body = self.posting.post(f"{self.url}/embeddings", {"model": self.asked, "input": put}, key_of(self.url))
        try:
            found = msgspec.json.decode(body, type=_Answer).data
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise UserError(
                f"{self.url}/embeddings did not answer with embeddings: {error}",
                hint="Is this the address of an OpenAI-compatible API? It usually ends in /v1.",
            ) from None
        order = [place if vector.index is None else vector.index for place, vector in enumerate(found)]
        if sorted(order) != list(range(len(texts))):
            got = count_of(len(found), "vector") if len(found) != len(texts) else "a wrong numbering"
            raise UserError(f"{self.url}/embeddings gave {got} for {count_of(len(texts), 'text')}")
        vectors = [found[place].embedding for place in np.argsort(order)]
        return checked_rows(vectors, texts, self.name)


def address(name: str, environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """(the model's name there, the base address without a slash at its end)."""
    asked, at, given = name.removeprefix(PREFIX).partition("@http")
    source = "the address in the model's name" if at else ""
    url = f"http{given}" if at else ""
    for variable in ("KARAT_EMBEDDINGS_URL", "OPENAI_BASE_URL"):
        if not url and environment.get(variable, "").strip():
            url, source = environment[variable].strip(), variable
    url = (url or HOME).rstrip("/").removesuffix("/embeddings")
    if not asked:
        raise UserError(
            f'"{name}" does not name a model', hint='Write "openai:MODEL", such as "openai:text-embedding-3-small".'
        )
    valid_address(url, source, "KARAT_EMBEDDINGS_API_KEY")
    return asked, url


def valid_address(url: str, source: str, key: str) -> None:
    """Raises :class:`UserError` for an invalid address. ``source`` says where it is from, ``key`` which variable
    holds the key for it."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        fine = False
    if not fine or any(char.isspace() for char in url):
        raise UserError(f"{source} is not a valid URL", hint="It must start with http:// or https:// and a host name.")
    if parts.username is not None or parts.query or parts.fragment:
        # It would be shown in reports and kept in file names.
        raise UserError(f"{source} contains a user, a password or a query", hint=f"Give a key in {key} instead.")


def key_of(url: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key that belongs to an address; empty when there is none. OpenAI's own address is never called without
    one."""
    own, openai = environment.get("KARAT_EMBEDDINGS_API_KEY", "").strip(), environment.get("OPENAI_API_KEY", "").strip()
    own_url = environment.get("KARAT_EMBEDDINGS_URL", "").strip()
    openai_url = environment.get("OPENAI_BASE_URL", "").strip() or HOME
    key = ""
    if own_url and origin_of(url) == origin_of(own_url):
        key = own
    elif origin_of(url) == origin_of(openai_url):
        key = openai if own_url else own or openai
    if not key.isascii() or not key.isprintable():
        raise UserError("the key for the embeddings endpoint contains characters that are not allowed in a header")
    if not key and url == HOME:
        raise UserError(
            "OpenAI's embeddings need a key",
            hint="export OPENAI_API_KEY=…, or KARAT_EMBEDDINGS_URL for another endpoint.",
        )
    return key


def origin_of(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def _batch(environment: Mapping[str, str]) -> int:
    text = environment.get("KARAT_EMBEDDINGS_BATCH", "").strip() or str(BATCH)
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise UserError(
            f'KARAT_EMBEDDINGS_BATCH is "{text}"', hint="It is the number of texts in one call, 1 to 10000."
        )
    return int(text)
