"""What is secret to a system, and its configuration as it may be shown and stored. How secrets stay out of messages: ``core.secrets``."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

import msgspec

from karat.core.secrets import HIDDEN, SHORTEST_IN_BODY, plain

SENT_AS_TEXT = ("headers", "prompt", "system_prompt", "examples", "messages", "response_format")
"""Settings that are not searched for what only looks like a secret: headers have their own rule, and "basic information" in a prompt is none."""
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth(?!or(?!iz))|cookie")


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
    looked_at = [key for key in given if key not in SENT_AS_TEXT and "${" not in str(given[key])]
    return next((key for key in looked_at if given[key] != shown[key]), "")


def _shown(value: Any) -> Any:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value
