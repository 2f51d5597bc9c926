"""What is secret to a system, and its configuration as it may be shown and stored. How secrets stay out of messages:
``core.secrets.masking``."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import msgspec

from karat.core.json_types import Json, JsonObject
from karat.core.secrets.masking import HIDDEN, SHORTEST_IN_BODY, plain
from karat.core.secrets.settings import Place, is_secret_setting, plain_secrets

PROMPTS = {("prompt",), ("system_prompt",), ("examples",), ("messages",), ("response_format",)}
"""Settings that are texts for a model: "basic information" in a prompt is no secret."""
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|auth(?!or(?!iz))|cookie|(?:^|[_-])pass$")
_FOLDERS = ("PWD", "OLDPWD")
"""Variables of every shell: where it is, and no password."""
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://([^\s/]+|[^\s:/]+:\S+)@[^\s@]*")


def is_secret_name(name: str) -> bool:
    """Whether a header or variable of this name usually holds a secret."""
    return _SECRET_NAME.search(name) is not None or (is_secret_setting(name) and name not in _FOLDERS)


def secret_variables(environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment variables whose names say that they are secret, with values long enough to be."""
    found = os.environ if environment is None else environment
    return {name: value for name, value in found.items() if is_secret_name(name) and len(value) >= SHORTEST_IN_BODY}


def environment_secrets(environment: Mapping[str, str] | None = None) -> list[str]:
    """The values of those variables, and the password in any variable that holds an address."""
    found = os.environ if environment is None else environment
    addresses = [match[1] for value in found.values() if (match := _ADDRESS.fullmatch(value.strip()))]
    passwords = [holder.partition(":")[2] or holder for holder in addresses]
    return [*secret_variables(found).values(), *(one for one in passwords if len(one) >= SHORTEST_IN_BODY)]


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


def shown_config(config: msgspec.Struct) -> JsonObject:
    """A system's configuration as it may be stored and shown: no user-info in URLs, no secret in any setting."""
    given = msgspec.to_builtins(config)
    shown: JsonObject = _shown(given)
    headers = shown.get("headers")
    if isinstance(headers, dict):
        shown["headers"] = {name: HIDDEN if is_secret_name(name) else value for name, value in headers.items()}
    for path in plain_secrets(given):
        _hide(shown, path)
    return shown


def _hide(holder: Json, path: Place) -> None:
    for step in path[:-1]:
        holder = holder[step]
    # A URL is hidden in part already; what is whole still may hold the secret.
    if holder[path[-1]] == "" or not str(holder[path[-1]]).count(HIDDEN):
        holder[path[-1]] = HIDDEN


def settings_with_secrets(config: msgspec.Struct) -> list[Place]:
    """The settings that hold a secret in plain text instead of naming a variable, ``${NAME}``."""
    given = msgspec.to_builtins(config)
    found = [place for place in plain_secrets(given) if place[:1] not in PROMPTS]
    for name, value in (given.get("headers") or {}).items():
        if is_secret_name(name) and value and "${" not in value and ("headers", name) not in found:
            found.append(("headers", name))
    return found


def _shown(value: object) -> Json:
    if isinstance(value, str):
        return plain(value)
    if isinstance(value, dict):
        return {key: _shown(item) for key, item in value.items()}
    return [_shown(item) for item in value] if isinstance(value, list) else value
