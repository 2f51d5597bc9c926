"""Who is asking: a signed cookie, a token against forged forms, and the ticket that is good for one sign-in.

The key is new with each start, so a restart ends all sessions. Nothing here is ever logged.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from threading import Lock

from karat.web.security.attempts import Attempts

SHORTEST_TOKEN = 16


class Sessions:
    """The sessions of one server. ``token`` None: nobody needs to sign in, for only this machine can ask."""

    def __init__(self, port: int, token: str | None) -> None:
        self.cookie = f"karat_{port}"  # cookies do not tell ports apart, so two viewers need two names
        self.closed = token is not None
        self._token = token
        self._key = secrets.token_bytes(32)
        self._ticket = secrets.token_urlsafe(24) if self.closed else None
        self._lock = Lock()
        self.attempts = Attempts()

    @property
    def ticket(self) -> str | None:
        """What is in the link that is printed at the start; None once it was used."""
        return self._ticket

    def start(self) -> str:
        """A new session, as its cookie's value."""
        name = secrets.token_urlsafe(18)
        return f"{name}.{self._sign('session', name)}"

    def valid(self, cookie: str) -> bool:
        """Whether a cookie is one of ours."""
        name, _, mark = cookie.partition(".")
        return bool(name) and _same(mark, self._sign("session", name))

    def form_token(self, cookie: str) -> str:
        """What a form of this session must send along."""
        return self._sign("form", cookie)

    def form_valid(self, cookie: str, given: str) -> bool:
        """Whether a form was made for this session."""
        return bool(cookie) and _same(given, self.form_token(cookie))

    def token_valid(self, given: str) -> bool:
        """Whether this is the server's token."""
        return self._token is not None and _same(given, self._token)

    def use_ticket(self, given: str) -> bool:
        """Whether this is the ticket. It is gone afterwards."""
        with self._lock:
            if self._ticket is None or not _same(given, self._ticket):
                return False
            self._ticket = None
            return True

    def _sign(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"{purpose}\0{text}".encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), right.encode("utf-8", "replace"))
