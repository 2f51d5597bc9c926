"""One JSON request to an endpoint of embeddings or of a reranker: tried again when that may help, with an error that
says what happened and no key in it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from karat.core.problems import UserError
from karat.core.secrets.http_logs import mask_logs
from karat.core.secrets.masking import Secrets

if TYPE_CHECKING:
    import httpx

LONGEST_WAIT = 120.0
SHOWN = 300
MAX_ERROR_BODY = 64 * 1024


class _Failed(Exception):
    """An attempt without an answer."""

    def __init__(self, message: str, *, retry: bool, wait: float | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.retry = retry
        self.wait = wait
        self.hint = hint


@dataclass(frozen=True)
class Posting:
    """How often, how long, and how patiently."""

    attempts: int = 6
    pause: float = 0.5
    """Seconds before the second attempt; twice as long before each further one, unless the server says how long."""
    timeout: float = 120.0
    no_key: str = (
        "No key was sent. KARAT_EMBEDDINGS_API_KEY goes to the address in KARAT_EMBEDDINGS_URL, and "
        "OPENAI_API_KEY to OpenAI's."
    )
    """What to say when a server refuses a request that had no key."""

    def post(self, url: str, value: object, key: str) -> bytes:
        """The body of the answer. UserError when there is none after all attempts, or when another one would not
        help."""
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        content = msgspec.json.encode(value)
        secrets = Secrets([key, urlsplit(url).netloc.rpartition("@")[0]])
        mask_logs(secrets)
        for attempt in range(1, self.attempts + 1):
            try:
                return _once(_client(self.timeout), url, content, headers, secrets, "" if key else self.no_key)
            except _Failed as failed:
                wait = self.pause * 2 ** (attempt - 1) if failed.wait is None else failed.wait
                if not failed.retry or attempt == self.attempts or wait > LONGEST_WAIT:
                    tries = f" (after {attempt} attempts)" if attempt > 1 else ""
                    hint = failed.hint or "Everything computed so far is in the cache: run it again later."
                    raise UserError(f"{failed}{tries}", hint=hint) from None
                time.sleep(wait)
        raise AssertionError("there is at least one attempt")


@cache
def _client(timeout: float) -> httpx.Client:
    """One client for all calls: a new one costs more than a call, and its connection stays open for the next."""
    import httpx

    return httpx.Client(timeout=timeout, follow_redirects=False)


def _once(
    client: httpx.Client, url: str, content: bytes, headers: Mapping[str, str], secrets: Secrets, no_key: str
) -> bytes:
    import httpx

    try:
        response = client.post(url, content=content, headers=dict(headers))
    except httpx.HTTPError as error:
        reason = _hidden(str(error) or type(error).__name__, secrets)
        hint = f"Is the server running? Everything computed so far is in the cache. ({type(error).__name__})"
        raise _Failed(f"no answer from {secrets.text(url)}: {reason}", retry=True, hint=hint) from None
    if response.is_success:
        return response.content
    said, code = _words(response.content, secrets)
    status = f"{response.status_code} {response.reason_phrase}".strip()
    message = f"{secrets.text(url)} answered {status}" + (f": {_hidden(said, secrets)}" if said else "")
    # A spent quota answers like a busy server, but waiting does not fix it.
    retry = response.status_code in (408, 429) or response.status_code >= 500
    retry = retry and code != "insufficient_quota"
    hint = ""
    if response.status_code in (401, 403):
        hint = no_key or "The key was refused."
    elif response.status_code == 404:
        hint = "Is the address right (it usually ends in /v1), and does the server have this model?"
    raise _Failed(message, retry=retry, wait=_asked_wait(response.headers.get("Retry-After", "")), hint=hint)


def _words(body: bytes, secrets: Secrets) -> tuple[str, str]:
    """What an error's body says, on one line, and its code."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return secrets.beginning(body, MAX_ERROR_BODY), ""
    found = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(found, dict):
        return str(found), ""
    said = found.get("message") or found.get("detail") or found
    return str(said), str(found.get("code"))


def _hidden(text: str, secrets: Secrets) -> str:
    """One line of it, without the key. The key goes before the cut: half of it would be a leak too."""
    line = " ".join(secrets.text(text).split())
    return f"{line[:SHOWN]}…" if len(line) > SHOWN else line


def _asked_wait(text: str) -> float | None:
    """Seconds that the server asks for, given as a number or a date."""
    text = text.strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError):
            return None
    return max(seconds, 0.0) if seconds == seconds else None
