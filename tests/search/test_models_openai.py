"""An OpenAI-compatible endpoint, a real one on this machine: order, batches, failures half-way, and where keys go."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path

import numpy as np
import pytest

from karat.core.problems import UserError
from karat.search.models import load_model, openai
from karat.search.models.json_request import Posting
from karat.search.models.vectors import VectorCache
from karat.search.records import Floats, Model
from tests.search.embeddings_server import Reply, Server, embeddings, serving, vector

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("KARAT_EMBEDDINGS_URL", "KARAT_EMBEDDINGS_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving() as started:
        yield started


def opened(server: Server, *, batch: int = 128, attempts: int = 3) -> Model:
    """As ``load_model`` gives it, but less patient."""
    model = load_model(f"openai:m@{server.url}")
    assert isinstance(model.embed, openai.Embedding)
    embed = replace(model.embed, batch=batch, posting=Posting(attempts=attempts, pause=0.01))
    return replace(model, embed=embed, batch=batch)


def embed(model: Model, texts: list[str]) -> Floats:
    assert model.embed is not None
    return model.embed(texts, "value")


def expected(texts: list[str]) -> Floats:
    rows = np.array([vector(text) for text in texts], np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def test_rows_follow_the_index_not_the_order(server: Server) -> None:
    texts = ["salt", "pepper", "olive oil"]
    assert np.allclose(embed(opened(server), texts), expected(texts), atol=1e-6)
    assert server.asked == [texts]
    assert server.paths == ["/v1/embeddings"]


def test_batches_of_128_by_default(server: Server) -> None:
    texts = [f"text {number}" for number in range(300)]
    assert np.allclose(embed(load_model(f"openai:m@{server.url}/"), texts), expected(texts), atol=1e-6)
    assert [len(asked) for asked in server.asked] == [128, 128, 44]


def test_what_came_before_a_failure_is_kept(server: Server, tmp_path: Path) -> None:
    server.answer = lambda number, texts: embeddings(texts) if number < 3 else (503, {}, {"error": {"message": "busy"}})
    texts = [f"text {number}" for number in range(50)]
    cache = VectorCache(tmp_path)
    with pytest.raises(UserError, match=r"answered 503 .*: busy \(after 3 attempts\)"):
        cache.embed(opened(server, batch=10), texts, "value")
    assert len(server.asked) == 3 + 3
    server.asked.clear()
    server.answer = lambda number, texts: embeddings(texts)
    rows = cache.embed(opened(server, batch=10), texts, "value")
    assert server.asked == [texts[30:40], texts[40:]]
    assert np.allclose(rows, expected(texts), atol=1e-6)
    server.asked.clear()
    assert np.array_equal(cache.embed(opened(server, batch=10), texts, "value"), rows)
    assert server.asked == []


def test_tries_again_when_that_may_help(server: Server) -> None:
    troubles: list[Reply] = [
        (429, {"Retry-After": "0"}, {}),
        (500, {"Retry-After": formatdate(time.time() - 5, usegmt=True)}, b"<html>"),
    ]
    server.answer = lambda number, texts: troubles[number] if number < 2 else embeddings(texts)
    assert embed(opened(server), ["salt"]).shape == (1, 4)
    assert len(server.asked) == 3


def test_waits_as_long_as_the_server_asks(server: Server) -> None:
    server.answer = lambda number, texts: (429, {"Retry-After": "0.4"}, {}) if number == 0 else embeddings(texts)
    began = time.monotonic()
    embed(opened(server), ["salt"])
    assert time.monotonic() - began >= 0.4
    server.asked.clear()
    server.answer = lambda number, texts: (429, {"Retry-After": "86400"}, {"error": "come back tomorrow"})
    with pytest.raises(UserError, match=r"429 .*come back tomorrow"):
        embed(opened(server), ["salt"])
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ((400, {}, {"error": {"message": "too long"}}), "400 Bad Request: too long$"),
        ((401, {}, {"error": {"message": "who are you"}}), "401 Unauthorized: who are you\nNo key was sent"),
        ((404, {}, b"nothing here"), "404 Not Found: nothing here\nIs the address right"),
        ((429, {}, {"error": {"message": "paid up?", "code": "insufficient_quota"}}), "429 .*: paid up"),
        ((301, {"Location": "http://localhost:1/"}, {}), "301 Moved Permanently"),
    ],
)
def test_does_not_try_again_when_it_would_not_help(server: Server, reply: Reply, words: str) -> None:
    server.answer = lambda number, texts: reply
    with pytest.raises(UserError) as raised:
        embed(opened(server), ["salt"])
    assert_words(raised.value, words)
    assert len(server.asked) == 1


def assert_words(error: UserError, words: str) -> None:
    assert re.search(words, f"{error.message}\n{error.hint}", re.MULTILINE), str(error)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"data": [{"index": 0, "embedding": [1.0, 2.0]}]}, "gave 1 vector for 2 texts"),
        (
            {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]},
            "gave a wrong numbering for 2",
        ),
        (
            {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [2.0, 3.0]}]},
            "no vectors of one length",
        ),
        (
            {"data": [{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": ["x"]}]},
            "did not answer with embeddings",
        ),
        ({"answer": 42}, "did not answer with embeddings"),
        (b"<html>hello</html>", "did not answer with embeddings"),
        (
            b'{"data": [{"index":0,"embedding":[1,1e999]},{"index":1,"embedding":[1,1]}]}',
            "did not answer|NaN or an inf",
        ),
        (
            {"data": [{"index": 0, "embedding": [0.0, 1e300]}, {"index": 1, "embedding": [1.0, 1.0]}]},
            "NaN or an infinite",
        ),
    ],
)
def test_wrong_answers(server: Server, value: object, words: str) -> None:
    server.answer = lambda number, texts: (200, {}, value)
    with pytest.raises(UserError, match=words):
        embed(opened(server), ["salt", "pepper"])


def test_another_length_than_before(server: Server, tmp_path: Path) -> None:
    server.answer = lambda number, texts: embeddings(texts, 4 if number == 0 else 5)
    with pytest.raises(UserError, match="length 5, where earlier ones have 4"):
        VectorCache(tmp_path).embed(opened(server, batch=1), ["salt", "pepper"], "value")


def test_answers_without_numbers_are_in_order(server: Server) -> None:
    server.answer = lambda number, texts: (200, {}, {"data": [{"embedding": vector(text)} for text in texts]})
    assert np.allclose(embed(opened(server), ["salt", "pepper"]), expected(["salt", "pepper"]), atol=1e-6)


def test_a_zero_vector_and_an_empty_text(server: Server) -> None:
    server.answer = lambda number, texts: (200, {}, {"data": [{"index": i, "embedding": [0, 0]} for i in range(2)]})
    assert not embed(opened(server), ["", "salt"]).any()
    assert server.asked == [[" ", "salt"]]


def test_prefixes_where_the_model_wants_them(server: Server) -> None:
    model = load_model(f"openai:intfloat/multilingual-e5-large@{server.url}")
    assert model.embed is not None
    model.embed(["salt"], "question")
    model.embed(["salt"], "value")
    assert server.asked == [["query: salt"], ["passage: salt"]]


def test_nobody_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    model = load_model(f"openai:m@http://127.0.0.1:{port}/v1")
    assert isinstance(model.embed, openai.Embedding)
    patient = replace(model.embed, posting=Posting(attempts=2, pause=0.01))
    with pytest.raises(UserError, match=r"no answer from http://127.0.0.1:\d+/v1/embeddings.*after 2 attempts"):
        patient(["salt"], "value")


def test_the_key_is_sent_and_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_EMBEDDINGS_URL", server.url)
    monkeypatch.setenv("KARAT_EMBEDDINGS_API_KEY", KEY)
    model = load_model("openai:m")
    assert embed(model, ["salt"]).shape == (1, 4)
    assert server.keys == [f"Bearer {KEY}"]
    server.answer = lambda number, texts: (401, {}, {"error": {"message": f"wrong key {KEY} given"}})
    with pytest.raises(UserError, match=r"wrong key \*\*\* given") as raised:
        embed(model, ["salt"])
    assert KEY not in repr(model) + str(raised.value) + model.revision
    assert "refused" in raised.value.hint


@pytest.mark.parametrize("shown", [300, 1200, 64 * 1024])
def test_half_a_key_at_the_end_of_what_is_read_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch, shown: int
) -> None:
    monkeypatch.setenv("KARAT_EMBEDDINGS_URL", server.url)
    monkeypatch.setenv("KARAT_EMBEDDINGS_API_KEY", KEY)
    # The blanks are one in the message, so that the place where the text was cut is in it.
    server.answer = lambda number, texts: (400, {}, f"refused: {' ' * (shown - 20)}{KEY} {' ' * shown}".encode())
    with pytest.raises(UserError, match=r"refused: \*\*\*\n"):
        embed(load_model("openai:m"), ["salt"])


def test_keys_go_only_where_they_belong(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    embed(load_model(f"openai:m@{server.url}"), ["salt"])  # an address that anybody may have written
    monkeypatch.setenv("KARAT_EMBEDDINGS_URL", server.url)
    embed(load_model("openai:m"), ["salt"])
    monkeypatch.delenv("KARAT_EMBEDDINGS_URL")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    embed(load_model("openai:m"), ["salt"])
    assert server.keys == [None, None, f"Bearer {KEY}"]


@pytest.mark.parametrize(
    ("name", "environment", "words"),
    [
        ("openai:", {"OPENAI_API_KEY": "k"}, "does not name a model"),
        ("openai:m", {}, "need a key"),
        ("openai:m", {"KARAT_EMBEDDINGS_URL": "localhost:80"}, "KARAT_EMBEDDINGS_URL is not a valid URL"),
        ("openai:m@http://user:hunter2@host/v1", {}, "contains a user, a password"),
        ("openai:m@http://host/v1?key=hunter2", {}, "contains a user, a password or a query"),
        ("openai:m@http://host:99999/v1", {}, "is not a valid URL"),
        ("openai:m", {"OPENAI_API_KEY": "k\nx"}, "characters that are not allowed in a header"),
        ("openai:m@http://host/v1", {"KARAT_EMBEDDINGS_BATCH": "many"}, 'KARAT_EMBEDDINGS_BATCH is "many"'),
    ],
)
def test_settings_that_cannot_be(name: str, environment: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words) as raised:
        openai.model(name, environment)
    assert "hunter2" not in str(raised.value)


def test_another_address_is_another_revision() -> None:
    one, other = (openai.model(f"openai:m@http://{host}/v1", {}) for host in ("a", "b"))
    assert one.revision != other.revision
