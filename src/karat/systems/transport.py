"""One HTTP attempt, and every way it can fail, said in the words of :data:`karat.systems.caller.ERROR_KINDS`.

Shared by the systems that speak HTTP. Bodies are capped, redirects stay at home, and no secret leaves in a message.
"""

from __future__ import annotations

import os
import socket
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from karat.core.problems import UserError
from karat.core.replies.json_texts import refuse_two_values
from karat.core.replies.recorded_stream import merged
from karat.core.secrets.http_logs import mask_logs
from karat.core.secrets.masking import Secrets, plain
from karat.core.suite import Unreadable
from karat.core.system import CallFailed, SystemConfig
from karat.systems.redaction import shown_url, url_secrets

if TYPE_CHECKING:
    import httpx

MAX_BODY = 64 * 1024 * 1024
MAX_ERROR_BODY = 64 * 1024
MAX_REDIRECTS = 5
SNIPPET = 300


class Transport:
    """One HTTP client, to one address, with its headers and its secrets."""

    def __init__(
        self, config: SystemConfig, method: str, url: str, headers: Mapping[str, str], secrets: list[str]
    ) -> None:
        import httpx

        self.secrets = Secrets([*secrets, *url_secrets(url)])
        mask_logs(self.secrets)
        self.place = self._shown(url)
        self._method = method
        self._url = url
        self._client = httpx.AsyncClient(
            # Brotli and zstd may blow up a small chunk without bounds; gzip and deflate cannot.
            headers={"Accept": "application/json", "Accept-Encoding": "gzip, deflate", **headers},
            timeout=config.timeout + 5.0,  # the caller's own limit comes first: it counts for the attempt as a whole
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=config.concurrency),
            follow_redirects=False,
        )

    def _shown(self, url: str) -> str:
        """The address for messages. A server's name is no secret, wherever it comes from; what follows may be one."""
        scheme, _, place = shown_url(url).partition("://")
        server, slash, path = place.partition("/")
        return f"{scheme}://{server}{slash}{self.secrets.text(path)}"

    def __repr__(self) -> str:
        return f"Transport({self._method} {self.place})"

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    @asynccontextmanager
    async def send(
        self, *, json: object = None, params: Mapping[str, str] | None = None
    ) -> AsyncIterator[httpx.Response]:
        """One attempt: a response with status 2xx whose body is still to be read. All else is CallFailed."""
        import httpx

        content = None if json is None else msgspec.json.encode(json)
        headers = {} if content is None else {"Content-Type": "application/json"}
        try:
            url = httpx.URL(self._url)
            for _ in range(MAX_REDIRECTS + 1):
                asked = url.copy_merge_params(params) if params else url
                async with self._client.stream(self._method, asked, content=content, headers=headers) as response:
                    if response.is_redirect:
                        url = self._redirected(response)
                        continue
                    if not response.is_success:
                        raise await self._refused(response)
                    yield response
                    return
            raise CallFailed("client_error", f"{self.place} redirects in a loop")
        except httpx.HTTPError as error:
            raise self._lost(error) from None

    async def read(self, response: httpx.Response, limit: int = MAX_BODY) -> bytes:
        """The whole body, unless it is larger than allowed."""
        parts: list[bytes] = []
        size = 0
        async for part in response.aiter_bytes():
            size += len(part)
            parts.append(part)
            if size > limit:
                body = self.secrets.body(b"".join(parts))[:MAX_ERROR_BODY]
                raise CallFailed(
                    "bad_response", f"{self.place}: the answer is larger than {limit // 2**20} MiB", body=body
                )
        return self.secrets.body(b"".join(parts))

    async def read_json(self, response: httpx.Response) -> bytes:
        """The whole body, which must be JSON, or a stream of it, which is put together."""
        body = (await self.read(response)).removeprefix(b"\xef\xbb\xbf")
        try:
            return self._checked(body)
        except Unreadable as error:
            said = self.secrets.text(f"{self.place}: {error}: {self.snippet(body)}")
            raise CallFailed("bad_response", said, body=self.secrets.body(body)) from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            kind = response.headers.get("Content-Type", "").partition(";")[0].strip()
            what = f"{response.status_code}" + (f" with {kind}" if kind else "")
            why = (
                f"not JSON ({error}): {self.snippet(body)}"
                if body.strip()
                else "an empty body, where JSON was expected"
            )
            raise CallFailed("bad_response", f"{self.place} answered {what}: {why}", body=body) from None

    def _checked(self, body: bytes) -> bytes:
        """A body that is JSON, or the whole one of a stream of it."""
        try:
            refuse_two_values(body, msgspec.json.decode(body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            stream = merged(body.decode("utf-8", errors="replace"))
            if stream is None or not stream.finished:
                raise
            # Again: a key that came in two chunks is whole only now.
            return self.secrets.body(msgspec.json.encode(stream.body))
        return body

    def snippet(self, body: bytes) -> str:
        """The beginning of a body, on one line; the words of its error object when it has one."""
        # More is read than is shown, and secrets are hidden before the cut: half a key is still a leak.
        said = error_text(body).encode("utf-8", "replace") or body
        text = " ".join(self.secrets.beginning(said, MAX_ERROR_BODY).split())
        return f"{text[:SNIPPET]}…" if len(text) > SNIPPET else text

    def _redirected(self, response: httpx.Response) -> httpx.URL:
        """Where a redirect leads, if it may be followed: the same host, and the request stays what it is."""
        target = response.url.join(response.headers.get("Location", ""))
        here = response.url
        same = (target.scheme, target.host, target.port) == (here.scheme, here.host, here.port)
        upgrade = (
            target.host == here.host
            and (here.scheme, target.scheme) == ("http", "https")
            and not here.port
            and not target.port
        )
        keeps = response.status_code in (307, 308) or self._method == "GET"
        if keeps and (same or upgrade):
            return target.copy_with(userinfo=here.userinfo)
        shown = self._shown(str(target))
        why = f"it redirects to {shown}, which is not followed; give the final address"
        raise CallFailed("client_error", f"{self.place} answered {response.status_code}: {why}")

    async def _refused(self, response: httpx.Response) -> CallFailed:
        """The failure that a status stands for."""
        import httpx

        try:
            body = await self.read(response, MAX_BODY)
        except (httpx.HTTPError, CallFailed):
            body = b""  # the status is what counts
        said = self.snippet(body)
        status = f"{response.status_code} {response.reason_phrase}".strip()
        message = f"{self.place} answered {status}" + (f": {said}" if said else "")
        wait = retry_after(response.headers)
        kind, retry = kind_of_status(response.status_code)
        return CallFailed(kind, message, retry=retry, retry_after=wait, body=body)

    def _lost(self, error: httpx.HTTPError) -> CallFailed:
        """The failure that a broken transport stands for."""
        import httpx

        reason = self.secrets.text(_reason(error))
        if isinstance(error, httpx.TimeoutException):
            return CallFailed("timeout", f"{self.place}: {reason}", retry=True)
        if isinstance(error, httpx.DecodingError):
            return CallFailed("bad_response", f"{self.place}: the body does not match its content encoding: {reason}")
        if isinstance(error, httpx.LocalProtocolError | httpx.UnsupportedProtocol):
            return CallFailed("client_error", f"{self.place}: the request cannot be sent: {reason}")
        if isinstance(error, httpx.ConnectError):
            untrusted = _cause(error, ssl.SSLCertVerificationError) is not None
            return CallFailed("connection", f"cannot connect to {self.place}: {reason}", retry=not untrusted)
        return CallFailed(
            "connection", f"{self.place}: the connection was lost before the answer was complete: {reason}", retry=True
        )


def checked_url(url: str, place: str) -> str:
    """The address, if it is one."""
    try:
        parts = urlsplit(url)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        known = False
    if not known or any(char.isspace() for char in url):
        raise UserError(
            f'{place} is not a valid URL: "{plain(url)}"',
            hint="It must start with http:// or https:// and a host name.",
        )
    return url


def kind_of_status(status: int) -> tuple[str, bool]:
    """(kind of error, whether another attempt may help)."""
    if status == 429:
        return "rate_limited", True
    if status == 408 or status >= 500:
        return "server_error", True
    return "client_error", False


def retry_after(headers: Mapping[str, str], now: float | None = None) -> float | None:
    """Seconds that the server asks to wait: a number of seconds or a date; None when it says nothing readable."""
    text = headers.get("Retry-After", "").strip()
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - (time.time() if now is None else now)
        except (ValueError, OverflowError, TypeError):
            return None
    return max(seconds, 0.0) if seconds == seconds else None


def error_text(body: bytes) -> str:
    """What a JSON body says went wrong: ``error.message``, ``error``, ``detail`` or ``message``; empty when it does
    not."""
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return ""
    for key in ("error", "detail", "message"):
        found = value.get(key) if isinstance(value, dict) else None
        if isinstance(found, dict):
            found = found.get("message")
        if isinstance(found, str) and found:
            return found
    return ""


def _cause(error: BaseException | None, kind: type[BaseException]) -> BaseException | None:
    """The innermost exception of a kind behind an error."""
    found = None
    for _ in range(20):
        if error is None:
            break
        found = error if isinstance(error, kind) else found
        error = error.__cause__ or error.__context__
    return found


def _reason(error: BaseException) -> str:
    """Why, in the system's own words where there are some ("Connection refused"), else in the library's."""
    cause = _cause(error, OSError)
    if isinstance(cause, OSError) and cause.strerror:
        # asyncio puts its own words over the system's; name lookup and TLS have errors and words of their own.
        own = isinstance(cause, socket.gaierror | ssl.SSLError) or not cause.errno
        return cause.strerror if own else os.strerror(cause.errno or 0)
    return str(error) or type(error).__name__
