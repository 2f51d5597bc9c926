"""Makes the pictures of the README again, from the runs of the demo: ``.venv/bin/python docs/pictures/make.py``.

Needs what the browser tests need (playwright, chromium). The picture of the workbook needs LibreOffice and poppler too
(soffice, pdftoppm); without them it is left as it is, and that is said.
"""

# ruff: noqa: S603, S607, T201  (a script that runs programs of this machine and says what it made)
from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = Path(__file__).resolve().parent
KARAT = str(Path(sys.executable).parent / "karat")
WIDTH = 1200
COLUMNS = 104
"""Of the terminal."""
SOME_FAILED = 3
"""The exit code of a run in which a call failed, as one does in the demo."""
LARGEST = 150_000
"""Bytes; a README is read on the road too."""


def main() -> None:
    """All pictures, one after the other."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("there is no chromium here: apt-get install chromium")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        karat(folder, "demo", "demo")
        terminal(folder / "demo" / "data_query")
        with sync_playwright() as running:
            browser = running.chromium.launch(executable_path=chromium)
            report(browser, folder / "demo" / "data_query")
            plots(browser, folder / "demo" / "retrieval")
            viewer(browser, folder / "demo" / "data_query")
            browser.close()
        workbook(folder / "demo" / "answers")
    for picture in sorted(PICTURES.glob("*.[ps][nv]g")):
        size = picture.stat().st_size
        print(f"{picture.name:14} {size / 1000:6.1f} kB{'  too large' if size > LARGEST else ''}")


def karat(folder: Path, *arguments: str) -> str:
    """What a command writes, in the colours of a terminal."""
    settings = {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color", "USER": "you", "LOGNAME": "you"}
    command = [KARAT, *arguments]
    done = subprocess.run(command, cwd=folder, env=os.environ | settings, capture_output=True, text=True, check=False)
    if done.returncode not in (0, SOME_FAILED):
        sys.exit(f"karat {' '.join(arguments)}: {done.stderr}")
    return done.stdout


# -- the terminal -----------------------------------------------------------------------------------------------------


def terminal(project: Path) -> None:
    """``karat run`` as it looks when it is done. The letters are the reader's own: no font is fetched."""
    from rich.console import Console
    from rich.terminal_theme import TerminalTheme
    from rich.text import Text

    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.assemble(("$ ", "green"), ("karat run", "bold")))
    console.print(Text.from_ansi(karat(project, "run").rstrip()))
    named = [(29, 37, 48), (255, 123, 114), (126, 201, 153), (226, 192, 103), (127, 177, 234), (203, 151, 216)]
    named += [(114, 201, 190), (201, 209, 217)]
    theme = TerminalTheme((22, 25, 29), (230, 233, 237), named)
    drawn = console.export_svg(title="karat run", theme=theme, unique_id="karat")
    drawn = re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL)
    (PICTURES / "terminal.svg").write_text(drawn.replace("Fira Code", "ui-monospace, Menlo, Consolas"), "utf-8")


# -- pages ------------------------------------------------------------------------------------------------------------


@contextmanager
def page_at(browser: Browser, address: str, height: int) -> Iterator[Page]:
    """A page of the pictures' width, with its plots drawn."""
    with browser.new_context(viewport={"width": WIDTH, "height": height}, color_scheme="light") as fresh:
        page = fresh.new_page()
        page.goto(address)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(500)
        yield page


def report(browser: Browser, project: Path) -> None:
    """The HTML report, from its top."""
    karat(project, "report", "latest", "--html", "report.html")
    with page_at(browser, (project / "report.html").as_uri(), 1060) as page:
        page.screenshot(path=PICTURES / "report.png")


def plots(browser: Browser, project: Path) -> None:
    """What the report of a search draws: recall against n, and what more tokens would buy."""
    karat(project, "report", "latest", "--html", "report.html")
    with page_at(browser, (project / "report.html").as_uri(), 1000) as page:
        shown = [
            page.locator("details.sheet", has=page.get_by_role("heading", name=name, exact=True))
            for name in ("Curves", "Pareto")
        ]
        # Only the plots: the tables below them are long.
        tables = "details.sheet .scroll, details.sheet .scroll ~ p, details.sheet h3:not(figcaption h3)"
        page.evaluate("(found) => document.querySelectorAll(found).forEach((one) => one.remove())", tables)
        boxes = [found.bounding_box() for found in shown]
        if any(box is None for box in boxes):
            sys.exit("the report of the demo's search has no curves")
        top, bottom = (box for box in boxes if box is not None)
        clip = {
            "x": 0.0,
            "y": top["y"] - 16,
            "width": float(WIDTH),
            "height": bottom["y"] + bottom["height"] - top["y"] + 32,
        }
        page.screenshot(path=PICTURES / "curves.png", clip=clip, full_page=True)  # type: ignore[arg-type]


def viewer(browser: Browser, project: Path) -> None:
    """A run and a case of it in ``karat serve``."""
    command = [KARAT, "serve", "--port", "0"]
    serving = subprocess.Popen(
        command, cwd=project, env=os.environ | {"PYTHONUNBUFFERED": "1"}, stdout=subprocess.PIPE, text=True
    )
    try:
        lines = serving.stdout or io.StringIO()
        address = next(found[0] for line in lines if (found := re.search(r"http://\S+", line)))
        with page_at(browser, address, 870) as page:
            with page.expect_navigation(wait_until="networkidle"):
                page.get_by_role("link", name="r-0001").first.click()
            page.screenshot(path=PICTURES / "viewer.png")
            page.set_viewport_size({"width": WIDTH, "height": 800})
            with page.expect_navigation(wait_until="networkidle"):
                page.get_by_role("row").filter(has_text="debt_italy_greece").get_by_role("link").first.click()
            page.screenshot(path=PICTURES / "case.png")
    finally:
        serving.terminate()
        serving.wait(timeout=10)


# -- the workbook -----------------------------------------------------------------------------------------------------


def workbook(project: Path) -> None:
    """The first sheet of the Excel report, as LibreOffice prints it."""
    if not (shutil.which("soffice") and shutil.which("pdftoppm")):
        print("excel.png is left as it is: soffice or pdftoppm is not here")
        return
    from karat.core import plugins
    from karat.reports.excel.workbook import write_xlsx
    from karat.reports.full_report import whole_report
    from karat.store import open_store

    with open_store(str(project / ".karat" / "karat.db")) as store:
        result = store.result(store.find_run("latest"))
    whole = whole_report(result, plugins.load_suite("answers"))
    write_xlsx(msgspec.structs.replace(whole, sheets=whole.sheets[:1]), project / "excel.xlsx")
    profile = (project / "profile").as_uri()
    convert = ["soffice", f"-env:UserInstallation={profile}", "--headless", "--convert-to", "pdf", "excel.xlsx"]
    subprocess.run(convert, cwd=project, check=True, capture_output=True)
    size = ["-r", "120", "-f", "1", "-l", "1", "-x", "40", "-y", "50", "-W", "1330", "-H", "560"]
    subprocess.run(["pdftoppm", *size, "-png", "-singlefile", "excel.pdf", PICTURES / "excel"], cwd=project, check=True)


if __name__ == "__main__":
    main()
