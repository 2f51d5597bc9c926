"""What is a URL of a file and what is a path; and a URL as it may be shown, without the secrets in it.

Light on purpose: every file that is written, and every path on the command line, comes through here.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from karat.core.problems import UserError, nearest

KINDS = {
    "s3": "s3",
    "s3a": "s3",
    "gs": "gs",
    "gcs": "gs",
    "az": "az",
    "abfs": "az",
    "abfss": "az",
    "https": "web",
    "http": "web",
}
"""Every scheme that is known, and the kind of place that it leads to."""
SHOWN = "s3://, gs://, az://, https://"
HIDDEN = "•••"

# A path object has made one slash of two. One letter before the colon is a drive of Windows.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//?)(?!/)(.*)", re.DOTALL)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SIGNED = re.compile(r"(?i)[?&;](?:sig|[a-z-]*(?:signature|credential|token|secret|password|key)[a-z-]*)=")


class Address(NamedTuple):
    """A URL in its parts: ``s3``, ``s3``, ``bucket/folder/file.yaml``."""

    kind: str
    scheme: str
    rest: str

    @property
    def url(self) -> str:
        """The whole of it, with everything that is needed to open it."""
        return f"{self.scheme}://{self.rest}"

    @property
    def place(self) -> str:
        """The path of the object: what is left without a query."""
        return self.rest.partition("?")[0] if self.kind == "web" or _SIGNED.search(self.rest) else self.rest

    @property
    def bucket(self) -> str:
        """The bucket, container or server."""
        return self.place.partition("/")[0].rpartition("@")[2] if self.kind == "web" else self.place.partition("/")[0]

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.place.rstrip("/").rpartition("/")[2]

    @property
    def parent(self) -> Address:
        """The folder that it is in."""
        return Address(self.kind, self.scheme, self.place.rstrip("/").rpartition("/")[0])

    @property
    def shown(self) -> str:
        """The URL for people, the store and reports: no password, no signature."""
        place = self.place
        host, slash, path = place.partition("/")
        user, at, server = host.rpartition("@")
        if at and (self.kind == "web" or ":" in user):
            place = f"{HIDDEN}@{server}{slash}{path}"
        query = f"?{HIDDEN}" if len(self.place) < len(self.rest) else ""
        return f"{self.scheme}://{place}{query}"

    @property
    def hidden_parts(self) -> list[str]:
        """What :attr:`shown` leaves out: the user-info, its password, the query."""
        holder, at, _ = self.place.partition("/")[0].rpartition("@")
        query = self.rest[len(self.place) + 1 :]
        found = [holder, holder.partition(":")[2], query] if at else [query]
        return [part for part in found if part]


def address_of(given: str | Path) -> Address | None:
    """The address that a text or path stands for; None for a path of this machine. UserError for a scheme that nobody
    knows."""
    text = str(given)
    if ":/" not in text:
        return None
    found = _URL.fullmatch(text)
    if found is None:
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:///", text) and text.partition(":")[0].lower() in KINDS:
            raise UserError(f"{text} names no bucket or server", hint="For example s3://bucket/cases/")
        return None
    scheme, slashes, rest = found[1].lower(), found[2], found[3].partition("#")[0]
    kind = KINDS.get(scheme)
    if kind is None:
        if slashes == "/" or isinstance(given, Path):
            return None
        near = nearest(scheme, KINDS, cutoff=50)
        hint = (
            f'Did you mean "{near[0]}://"?' if near else f"Known: {SHOWN}. A file of this machine is given as a path."
        )
        raise UserError(f'files cannot be reached by "{scheme}://"', hint=hint)
    if slashes == "/" and Path(text).exists():
        return None
    if not rest.strip("/"):
        raise UserError(f"{scheme}:// names no bucket or server", hint=f"For example {scheme}://bucket/cases/")
    address = Address(kind, scheme, rest)
    if kind != "web" and HIDDEN in address.shown:
        raise UserError(
            f"{address.shown} holds credentials, which are not read from a URL of this kind",
            hint="Set them where the store's own tools look for them: see docs/config.md, Files elsewhere.",
        )
    return address


INSIDE = "Download the file, put it next to the one that names it, and give its relative path."


def url_inside(text: str) -> str:
    """A URL with which a file names another one, without its secrets; empty for a path. Such a URL is never
    followed: who wrote the file would decide what this machine fetches."""
    found = _SCHEME.match(text.strip())
    if found is None:
        return ""
    scheme = found[1].lower()
    return Address(KINDS.get(scheme, "web"), scheme, text.strip()[found.end() :]).shown


def is_url(given: object) -> bool:
    """Whether this is the URL of a file."""
    return isinstance(given, str | Path) and address_of(given) is not None
