"""Copies of remote files by the name that people know them by: the path of a copy reads as its URL, in messages, in
reports and in the store."""

from __future__ import annotations

import re
from pathlib import Path

from karat.core.files.private import FOLDER
from karat.core.remote.address import HIDDEN, KINDS, Address

MARK = f"/{FOLDER}/cache/remote/trees/"
KEY = 32
_copies: dict[str, Path] = {}
"""URL → copy, of those that were met in this process."""
_AS_PATH = re.compile(rf"(?<![\w/.])({'|'.join(KINDS)}):/(?!/)([^\s\"'<>]+)")
"""A URL that was held as a path, which makes one slash of two."""


def shown(text: str) -> str:
    """A text in which copies have their URLs, and URLs that were held as paths both of their slashes and no secrets."""
    if MARK in text:
        text = with_urls(text)
    return _AS_PATH.sub(_shown_url, text) if ":/" in text else text


def with_urls(text: str) -> str:
    """A text with the path of every copy replaced by the URL that it is a copy of."""
    at = text.find(MARK)
    while at >= 0:
        end = at + len(MARK) + KEY
        begin = _begin(text, at, end)
        url = _url(Path(text[begin:end])) if begin is not None else None
        if begin is None or url is None:
            at = text.find(MARK, end)
            continue
        slash = text.find("/", end + 1)
        name = _name(Path(text[begin:end]))
        after = end + 1 + len(name) if name and text.startswith(name, end + 1) else (slash if slash >= 0 else len(text))
        _copies[url] = Path(text[begin:after])
        inner = text[after : after + 1] == "/"
        text = text[:begin] + (url.rstrip("/") if inner else url) + text[after:]
        at = text.find(MARK)
    return text


def copy_of(file: str) -> str:
    """The path of the copy that a URL was shown for; anything else as it is."""
    for url, copy in _copies.items() if ":/" in file else ():
        if file == url:
            return str(copy)
        if file.startswith(f"{url.rstrip('/')}/"):
            return str(copy) + file[len(url.rstrip("/")) :]
    return file


def is_copy(path: str | Path) -> bool:
    """Whether this is a copy of a remote file, or in one."""
    return MARK in str(path)


def as_stored(value: object) -> object:
    """A setting as a run keeps it: for the path of a copy its URL, which can be fetched again. A URL with a secret
    cannot, and is not kept."""
    if not isinstance(value, str) or MARK not in value:
        return value
    url = with_urls(value)
    return value if HIDDEN in url else url


def _begin(text: str, at: int, end: int) -> int | None:
    """Where the path begins whose end is known: at the first slash from which on it is there."""
    start = max(0, at - 4096)
    places = [place for place in range(start, at + 1) if text[place] == "/"]
    return next((place for place in places if Path(text[place:end]).is_dir()), None)


def _url(tree: Path) -> str | None:
    try:
        return tree.parent.with_name("names").joinpath(tree.name).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _name(tree: Path) -> str:
    return next((entry.name for entry in tree.iterdir()), "")


def _shown_url(found: re.Match[str]) -> str:
    return Address(KINDS[found[1]], found[1], found[2]).shown
