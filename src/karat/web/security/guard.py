"""What is before every route: who may ask, from where, and the headers of every answer.

- ``Host`` must be on the exact list, else a foreign name was pointed at this machine (DNS rebinding).
- ``Origin`` and ``Sec-Fetch-Site`` must be ours, on reads too. A link that a person clicked elsewhere may open a page,
  never data.
- A write must say where it comes from, and be small. Its form token is checked where the form is read (``forms``).
- Behind TLS every cookie is ``Secure``. What a proxy says of that (``X-Forwarded-Proto``) counts only where the person
  who started the viewer says that there is one.
- Wrong tokens are counted, and after a few no token is looked at for a while (``attempts``).
- With a token, every page needs a session, and the JSON API a session or ``Authorization: Bearer``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from karat.web.security.sessions import Sessions

LARGEST_BODY = 64 * 1024
READS = ("GET", "HEAD")
HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, hosts: frozenset[str], sessions: Sessions, *, behind_proxy: bool = False) -> None:
        self.app = app
        self.hosts = hosts
        self.sessions = sessions
        self.behind_proxy = behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":  # there are no websockets here
            await send({"type": "websocket.close", "code": 1008})
            return
        headers = Headers(scope=scope)
        scope.setdefault("state", {})["caller"] = self._caller(scope, headers)
        refusal = self._refusal(scope, headers)
        cookie = "" if refusal else self._session(scope, headers)
        scope["state"]["session"] = cookie
        fresh = cookie if cookie and cookie != self._cookie(headers) else ""

        async def answered(message: Message) -> None:
            if message["type"] == "http.response.start":
                found = MutableHeaders(scope=message)
                policy = scope["state"].get("policy")
                for name, value in HEADERS.items():
                    found[name] = value
                if policy:  # of a page that carries its own scripts, see ``routes.report``
                    found["Content-Security-Policy"] = f"{policy}; frame-ancestors 'none'"
                if fresh:
                    found.append("Set-Cookie", self.cookie_header(fresh))
                if self._encrypted(scope, headers):
                    _only_encrypted(message)
            await send(message)

        with suppress(ClientDisconnect):  # the caller is gone, and nobody is left to tell
            await (refusal or self.app)(scope, receive, answered)

    def _encrypted(self, scope: Scope, headers: Headers) -> bool:
        """Whether the browser's connection is encrypted: ours is, or a proxy that the person trusts says so."""
        said = headers.get("x-forwarded-proto", "").rpartition(",")[2].strip().lower() if self.behind_proxy else ""
        return scope.get("scheme") == "https" or said == "https"

    def _caller(self, scope: Scope, headers: Headers) -> str:
        """Who asks: the address, or the last one that a trusted proxy has seen."""
        said = headers.get("x-forwarded-for", "").rpartition(",")[2].strip() if self.behind_proxy else ""
        return said or (scope.get("client") or ("",))[0]

    def cookie_header(self, value: str) -> str:
        """The session's cookie: not for scripts, not for requests from elsewhere."""
        return f"{self.sessions.cookie}={value}; HttpOnly; SameSite=Strict; Path=/"

    def _refusal(self, scope: Scope, headers: Headers) -> Response | None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _no(421, "This address is not served here. Start karat serve with --allow-host to add it.")
        bearer = headers.get("authorization", "").startswith("Bearer ")
        if bearer:
            caller = scope["state"]["caller"]
            if wait := self.sessions.attempts.wait(caller):
                return _too_many(wait)
            if not self._bearer(headers):
                self.sessions.attempts.failed(caller)
                return _no(401, "This token is not valid.")
        if not self._from_here(scope, headers):
            return _no(403, "This request comes from another site.")
        if scope["method"] not in READS:
            if not (headers.get("origin") or headers.get("sec-fetch-site") == "same-origin" or bearer):
                return _no(403, "A change must come from the viewer's own pages.")
            length = headers.get("content-length", "")
            if not length.isascii() or not length.isdigit() or int(length) > LARGEST_BODY:
                return _no(413, "This review is too long.")
        if self._needs_session(scope) and not self._known(headers):
            if scope["path"].startswith("/api/") or scope["method"] not in READS:
                return _no(401, "Sign in first, or send the token: Authorization: Bearer TOKEN.")
            return RedirectResponse("/login", 303)
        return None

    def _from_here(self, scope: Scope, headers: Headers) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            scheme, mark, place = origin.partition("://")
            if scheme not in ("http", "https") or not mark or place.lower() not in self.hosts:
                return False
        site = headers.get("sec-fetch-site", "none")
        if site in ("same-origin", "none"):
            return True
        clicked = headers.get("sec-fetch-mode") == "navigate" and headers.get("sec-fetch-user") == "?1"
        page = headers.get("sec-fetch-dest") == "document" and not scope["path"].startswith(("/api/", "/export/"))
        return scope["method"] == "GET" and clicked and page

    def _needs_session(self, scope: Scope) -> bool:
        return self.sessions.closed and scope["path"] != "/login" and not scope["path"].startswith("/static/")

    def _known(self, headers: Headers) -> bool:
        return self.sessions.valid(self._cookie(headers)) or self._bearer(headers)

    def _bearer(self, headers: Headers) -> bool:
        kind, _, token = headers.get("authorization", "").partition(" ")
        return kind == "Bearer" and self.sessions.token_valid(token)

    def _session(self, scope: Scope, headers: Headers) -> str:
        """The session that asks; a new one for a page of an open viewer; empty where there is none."""
        cookie = self._cookie(headers)
        if self.sessions.valid(cookie):
            return cookie
        page = scope["method"] == "GET" and not scope["path"].startswith(("/api/", "/export/", "/static/"))
        return self.sessions.start() if page and not self.sessions.closed else ""

    def _cookie(self, headers: Headers) -> str:
        found: SimpleCookie = SimpleCookie()
        try:
            found.load(headers.get("cookie", ""))
        except CookieError:
            return ""
        item = found.get(self.sessions.cookie)
        return item.value if item is not None else ""


def _too_many(wait: float) -> Response:
    """The answer to a token after too many wrong ones; the token is not even looked at."""
    seconds = max(1, math.ceil(wait))
    told = f"Too many wrong tokens. Try again in {seconds} s.\n"
    return PlainTextResponse(told, 429, {"Retry-After": str(seconds)})


def _only_encrypted(message: Message) -> None:
    """Mark every cookie of an answer as one for encrypted connections alone."""
    message["headers"] = [
        (name, value + b"; Secure")
        if name.lower() == b"set-cookie" and b"; secure" not in value.lower()
        else (name, value)
        for name, value in message["headers"]
    ]


def _no(status: int, text: str) -> Response:
    return PlainTextResponse(f"{text}\n", status)
