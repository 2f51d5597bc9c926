"""Reading a built site: what each page shows, links to, and would fetch from elsewhere."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec

FETCHED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data", "embed": "src"}
"""What a browser fetches without being asked, by tag and attribute. A ``link`` is another: see below."""
NOT_FETCHED = {"canonical", "next", "prev", "alternate"}


class Page(msgspec.Struct):
    """One page: the anchors in it, the addresses that it links to, and those it fetches."""

    anchors: set[str] = msgspec.field(default_factory=set)
    links: list[str] = msgspec.field(default_factory=list)
    fetched: list[str] = msgspec.field(default_factory=list)


class Reader(HTMLParser):
    """Collects the addresses of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.page.links.append(given["href"])
        if tag == "link" and not NOT_FETCHED & set(given.get("rel", "").split()):
            self.page.fetched.append(given.get("href", ""))
        if FETCHED.get(tag) in given:
            self.page.fetched.append(given[FETCHED[tag]])


def read(file: Path) -> Page:
    """What is in one page."""
    reader = Reader()
    reader.feed(file.read_text(encoding="utf-8"))
    return reader.page


def broken_links(site: Path) -> list[str]:
    """``page: address`` for each link or picture of the site that leads nowhere, anchors included."""
    pages = {file.resolve(): read(file) for file in site.rglob("*.html")}
    broken = []
    for file, page in pages.items():
        if file.name == "404.html":
            continue  # its addresses begin at the root of a host
        for address in [*page.links, *page.fetched]:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment)
            known = target.exists() and (not anchor or target not in pages or anchor in pages[target].anchors)
            if not known:
                broken.append(f"{file.name}: {address}")
    return broken


def foreign_addresses(site: Path) -> list[str]:
    """``page: address`` for everything that a page would fetch from another host."""
    return [
        f"{file.name}: {address}"
        for file in sorted(site.rglob("*.html"))
        for address in read(file).fetched
        if urlsplit(address).netloc
    ]
