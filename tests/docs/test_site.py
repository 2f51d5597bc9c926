"""The site builds in strict mode, every link and anchor of it leads somewhere, and no page fetches anything from a
host."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.conftest import ROOT
from tests.docs.site_pages import broken_links, foreign_addresses
from tests.e2e import browser

if TYPE_CHECKING:
    from playwright.sync_api import Browser

chromium = browser.chromium
ZENSICAL = Path(sys.executable).parent / "zensical"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site. Built beside the project, so that two builds at once do not meet."""
    if not ZENSICAL.exists():
        pytest.skip("zensical is not installed: make setup")
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    done = subprocess.run([ZENSICAL, "build", "--strict"], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


def listed(nav: object) -> Iterator[str]:
    """All pages of the navigation."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for entry in nav:
            yield from listed(entry)
    elif isinstance(nav, dict):
        yield from listed(list(nav.values()))


def test_every_page_is_in_the_navigation_once() -> None:
    settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    pages = sorted(str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md"))
    assert sorted(listed(settings["nav"])) == pages, "a new page needs a place in nav of zensical.toml"


def test_every_page_is_built(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        name = "index.html" if page.name == "README.md" else f"{page.stem}.html"
        assert (site / page.parent.relative_to(ROOT / "docs") / name).is_file(), page


def test_every_link_picture_and_anchor_leads_somewhere(site: Path) -> None:
    assert broken_links(site) == []


def test_no_page_fetches_anything_from_another_host(site: Path) -> None:
    assert foreign_addresses(site) == []


def test_nothing_but_pages_and_what_they_show_is_published(site: Path) -> None:
    assert not [str(file) for file in site.rglob("*") if file.suffix in (".py", ".md", ".map", ".toml")]


def test_a_page_opened_from_the_folder_asks_no_host_and_finds_words(site: Path, chromium: Browser) -> None:
    with browser.opened(chromium, (site / "index.html").as_uri()) as (page, watched):
        page.locator("button.md-search__button").first.click()
        box = page.get_by_role("combobox", name="Search")
        expect(box).to_be_focused()
        box.press_sequentially("trec_eval")
        page.locator("a[href*='retrieval.html']", has_text="retrieval").first.wait_for(state="attached")
        page.wait_for_function(
            "[...document.querySelectorAll('*')].some(e => e.shadowRoot && e.shadowRoot.querySelector('ol a, li a'))"
        )
        assert [address for address in watched.requests if not address.startswith("file:")] == []
        assert watched.complaints == []


def test_copied_commands_can_be_pasted(site: Path, chromium: Browser) -> None:
    """What the copy button takes of a block: the commands and their here-documents, without the prompts."""
    take = "e => { e.setAttribute('data-md-copying', ''); return e.innerText }"
    with browser.opened(chromium, (site / "tutorial_answers.html").as_uri()) as (page, _):
        copied = page.locator("code", has_text="karat_gold.jsonl").first.evaluate(take).splitlines()
    assert copied[0] == "mkdir -p gold/per_line gold/piers" and copied[-1] == "karat check gold --suite answers"
    assert "EOF" in copied and any(line.startswith('{"instance_id": "trips"') for line in copied)


def test_the_checks_find_what_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<h1 id="top"></h1><a href="b.html#here">x</a><a href="b.html#gone">x</a><a href="c.html">x</a>'
        '<a href="#top">x</a>'
        '<img src="no.png"><script src="https://cdn.example.org/x.js"></script>'
        '<link rel="stylesheet" href="//f.example.org/x.css">'
        '<a href="https://example.org/">a link is not fetched</a>'
    )
    (tmp_path / "b.html").write_text('<h2 id="here"></h2>')
    assert broken_links(tmp_path) == ["a.html: b.html#gone", "a.html: c.html", "a.html: no.png"]
    assert foreign_addresses(tmp_path) == ["a.html: https://cdn.example.org/x.js", "a.html: //f.example.org/x.css"]


def test_every_decision_is_listed_and_says_why_and_what_it_costs() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    for page in sorted(folder.glob("*.md")):
        if page.name != "README.md":
            text = page.read_text(encoding="utf-8")
            title = text.splitlines()[0].removeprefix("# ")
            assert f"[{title}]({page.name})" in index
            assert all(f"**{part}.**" in text for part in ("Decision", "Why", "What it costs")), page.name
