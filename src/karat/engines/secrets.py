"""Passwords and keys of engines: where they come from, and settings as they may be shown. How they stay out of
messages: ``core.secrets.masking``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urlsplit

import msgspec

from karat.core.files.json import BadJson, decode_as
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import UserError, nearest
from karat.core.secrets.masking import HIDDEN

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|passcode|^pwd$")
_credentials = msgspec.json.Decoder(JsonObject)
_PLACE = re.compile(r"[\w.:/-]*")


def filled(text: str, place: str) -> tuple[str, list[str]]:
    """The text with every ``${NAME}`` filled in from the environment, and the values, which are secret."""
    values: list[str] = []

    def fill(match: re.Match[str]) -> str:
        name = match[1].strip()
        value = os.environ.get(name, "")
        if not value:
            state = "is empty" if name in os.environ else "is not set"
            close = nearest(name, os.environ, cutoff=75.0)
            hint = f"Set it: export {name}=…" + (f' Did you mean "{close[0]}"?' if close else "")
            raise UserError(f"the environment variable {name}, which {place} needs, {state}", hint=hint)
        values.append(value)
        # In a URL a password may hold any character; it is quoted here so that nobody has to quote it in the shell.
        return quote(value, safe="") if "://" in text and not text.startswith("${") else value

    return _VARIABLE.sub(fill, text), values


def url_secrets(url: str) -> list[str]:
    """What a URL holds of secrets: its password and the values of its options that are named like one."""
    rest = url.partition("://")[2]
    holder = rest.rpartition("@")[0] or urlsplit(url).netloc.rpartition("@")[0]
    found = [holder.partition(":")[2]] if ":" in holder else []
    for option in url.partition("?")[2].split("&"):
        name, _, value = option.partition("=")
        if _SECRET_NAME.search(name):
            found.append(value)
    return found


def shown_url(url: str) -> str:
    """Scheme, host and path of a URL; ``***`` for what may be a secret."""
    scheme, _, rest = url.partition("://")
    place = rest.rpartition("@")[2].partition("?")[0]
    return f"{scheme}://{place if _PLACE.fullmatch(place) else HIDDEN}"


def shown_settings(settings: Mapping[str, object]) -> JsonObject:
    """Settings as they may be shown and stored."""
    shown: JsonObject = {}
    for name, value in settings.items():
        if isinstance(value, str) and _SECRET_NAME.search(name):
            shown[name] = value if _VARIABLE.fullmatch(value) or not value else HIDDEN
        elif isinstance(value, str) and "://" in value:
            shown[name] = shown_url(value)
        else:
            shown[name] = value
    return shown


def credential_file(named: str, usual: str, folder: Path) -> tuple[JsonObject | None, Path | None]:
    """The credentials in the file that the settings name, else in the usual file of the working folder, else none."""
    path = folder / (named or usual)
    if not path.is_file():
        if named:
            raise UserError(
                f"the credential file {named} does not exist",
                hint=f"Put it there, or leave the setting out and put {usual} into the working folder.",
            )
        return None, None
    try:
        found = decode_as(read_bytes(path), _credentials)
    except (OSError, BadJson):
        # What the parser says may quote the file.
        raise UserError(
            f"the credential file {path.name} cannot be read as a JSON object", hint="Download it again."
        ) from None
    return found, path


def credential_secrets(credentials: Mapping[str, object]) -> list[str]:
    """The values in a credential file whose names say that they are secret."""
    return [value for name, value in credentials.items() if isinstance(value, str) and _SECRET_NAME.search(name)]
