"""Secrets stay out of everything that is written down: messages, bodies, shown addresses, shown configurations.

What is known to be secret (a key from the environment, the user-info of a URL) is replaced wherever it stands. What
only looks like a secret (``user:password@`` in any URL, ``api_key=…`` in a query, a bearer token) is replaced in
messages too.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import msgspec

HIDDEN = "***"
SHORTEST_IN_TEXT = 4
SHORTEST_IN_BODY = 8
"""A shorter one ("test", "EMPTY") is a stand-in for a key; replacing it could change an answer."""

_USER_INFO = re.compile(r"(?<=://)[^/\s?#\"']*@")
_NAMED = re.compile(r"(?i)([?&][^=&\s]*(?:key|token|secret|passw|sig)[^=&\s]*=)[^&\s\"']+")
_SCHEME = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}")
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth(?!or(?!iz))|cookie")


class Secrets:
    """The texts that must not be seen. It has no representation, so that it cannot betray them itself."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        forms = {form for value in values for form in (value, quote(value, safe=""), unquote(value))}
        # Longest first, so that a secret inside another does not leave the rest of the longer one behind.
        self._values = sorted((form for form in forms if len(form) >= SHORTEST_IN_TEXT), key=len, reverse=True)
        self._encoded = [form.encode() for form in self._values if len(form) >= SHORTEST_IN_BODY]

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)})"

    def __bool__(self) -> bool:
        return bool(self._values)

    def text(self, text: str) -> str:
        """The text without secrets, known or suspected."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        return plain(text)

    def body(self, body: bytes) -> bytes:
        """The body without known secrets: a server that echoes the key must not put it into the store."""
        for value in self._encoded:
            if value in body:
                body = body.replace(value, HIDDEN.encode())
        return body


def plain(text: str) -> str:
    """The text without what looks like a secret: user-info in URLs, keys in queries, bearer tokens."""
    text = _USER_INFO.sub(f"{HIDDEN}@", text)
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    return _SCHEME.sub(rf"\1 {HIDDEN}", text)


def is_secret_name(name: str) -> bool:
    """Whether a header or variable of this name usually holds a secret."""
    return _SECRET_NAME.search(name) is not None


def environment_secrets(environment: Mapping[str, str] | None = None) -> list[str]:
    """The values of the environment variables whose names say that they are secret."""
    found = os.environ if environment is None else environment
    return [value for name, value in found.items() if is_secret_name(name) and len(value) >= SHORTEST_IN_BODY]


def url_secrets(url: str) -> list[str]:
    """What a URL holds of secrets: its password, its user-info as a whole, also in the form of a Basic header."""
    holder = urlsplit(url).netloc.rpartition("@")[0]
    if not holder:
        return []
    user, _, password = holder.partition(":")
    pair = f"{unquote(user)}:{unquote(password)}"
    return [holder, password or user, base64.b64encode(pair.encode()).decode()]


def shown_url(url: str) -> str:
    """The address as it may be shown: without user-info, query and fragment."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def shown_config(config: msgspec.Struct) -> dict[str, Any]:
    """A system's configuration as it may be stored and shown: no user-info in URLs, no values of secret headers."""
    shown: dict[str, Any] = _shown(msgspec.to_builtins(config))
    headers = shown.get("headers")
    if isinstance(headers, dict):
        shown["headers"] = {name: HIDDEN if is_secret_name(name) else value for name, value in headers.items()}
    return shown


def plain_secret(config: msgspec.Struct) -> str:
    """The setting that holds a secret in plain text instead of naming a variable, ``${NAME}``; empty when none does."""
    given = msgspec.to_builtins(config)
    for name, value in (given.get("headers") or {}).items():
        if is_secret_name(name) and "${" not in value:
            return f"headers.{name}"
    shown = shown_config(config)
    return next(
        (key for key in given if key != "headers" and "${" not in str(given[key]) and given[key] != shown[key]), ""
    )


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value
