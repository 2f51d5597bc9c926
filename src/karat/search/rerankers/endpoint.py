"""``rerank:MODEL@http://localhost:8080/v1``: an endpoint of the common ``/rerank`` form.

The request is ``{"model", "query", "documents"}``; the reply a list of ``{"index", "relevance_score"}`` (or ``score``),
in any order, bare or under ``results`` or ``data``. Without ``@URL`` the address is KARAT_RERANK_URL. The key
KARAT_RERANK_API_KEY goes only to the address in KARAT_RERANK_URL.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from karat.core.problems import UserError, count_of
from karat.search.models.json_request import Posting
from karat.search.models.openai import origin_of, valid_address
from karat.search.models.rows import sendable
from karat.search.rerankers.reranker import Reranker

PREFIX = "rerank:"
URL, KEY = "KARAT_RERANK_URL", "KARAT_RERANK_API_KEY"
BATCH = 100


class _Result(msgspec.Struct):
    index: int
    relevance_score: float | None = None
    score: float | None = None


class _Reply(msgspec.Struct):
    results: list[_Result] | None = None
    data: list[_Result] | None = None


def reranker(name: str, environment: Mapping[str, str] = os.environ) -> Reranker:
    """The reranker behind ``rerank:MODEL[@URL]``. Nothing is called yet; UserError for an invalid address."""
    asked, at, given = name.removeprefix(PREFIX).partition("@http")
    url = (f"http{given}" if at else environment.get(URL, "").strip()).rstrip("/").removesuffix("/rerank")
    if not asked:
        raise UserError(f'"{name}" does not name a model', hint=f'Write "{PREFIX}MODEL@http://localhost:8080/v1".')
    if not url:
        hint = f'export {URL}=…, or write "{PREFIX}{asked}@http://localhost:8080/v1".'
        raise UserError(f'the reranker "{name}" has no address', hint=hint)
    valid_address(url, "the address in the reranker's name" if at else URL, KEY)
    return Reranker(name, url, Scoring(name, asked, url), batch=BATCH)


def key_of(url: str, environment: Mapping[str, str] = os.environ) -> str:
    """The key for an address; none goes to an address other than the configured one."""
    own = environment.get(URL, "").strip()
    key = environment.get(KEY, "").strip() if own and origin_of(own) == origin_of(url) else ""
    if not key.isascii() or not key.isprintable():
        raise UserError(f"{KEY} contains characters that are not allowed in a header")
    return key


@dataclass(frozen=True)
class Scoring:
    """Texts to scores by calls to one endpoint. The key is read when it is needed."""

    name: str
    asked: str
    url: str
    posting: Posting = field(
        default_factory=lambda: Posting(no_key=f"No key was sent. {KEY} goes to the address in {URL}.")
    )

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        # Many servers refuse an empty text, and all take a blank.
        documents = [sendable(text) or " " for text in texts]
        value = {"model": self.asked, "query": sendable(question) or " ", "documents": documents}
        body = self.posting.post(f"{self.url}/rerank", value, key_of(self.url))
        results = self._results(body)
        found = {one.index: one.score if one.relevance_score is None else one.relevance_score for one in results}
        if len(results) != len(texts) or sorted(found) != list(range(len(texts))):
            got = count_of(len(results), "score") if len(results) != len(texts) else "a wrong numbering"
            hint = "It must return a score for every document; a limit on their number (top_n) loses some."
            raise UserError(f"{self.url}/rerank gave {got} for {count_of(len(texts), 'text')}", hint=hint)
        scores = [found[place] for place in range(len(texts))]
        if any(score is None for score in scores):
            raise UserError(f'{self.url}/rerank gave a result without "relevance_score" or "score"')
        return [float(score) for score in scores if score is not None]

    def _results(self, body: bytes) -> list[_Result]:
        try:
            reply = msgspec.json.decode(body, type=list[_Result] | _Reply)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._no_scores(str(error)) from None
        found = reply if isinstance(reply, list) else reply.results if reply.results is not None else reply.data
        if found is None:
            raise self._no_scores('there is neither "results" nor "data" in the reply')
        return found

    def _no_scores(self, why: str) -> UserError:
        hint = 'Expected {"results": [{"index": 0, "relevance_score": 0.9}, …]}. Is this the address of a reranker?'
        return UserError(f"{self.url}/rerank did not answer with scores: {why}", hint=hint)
