"""Files named on the command line: one that is not there has a near name, and one that cannot be written is told before anything runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from karat.core.remote.address import address_of, is_url


def near_path(path: Path, otherwise: str = "") -> str:
    """The file or folder beside this one that has the nearest name, as a hint."""
    from karat.core.problems import nearest

    try:
        known = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"There is no folder {path.parent} either." if not path.parent.exists() else otherwise
    close = nearest(path.name, known)
    return f'Did you mean "{path.parent / close[0]}"?' if close else otherwise


def read_sheet_bytes(file: Path) -> bytes:
    """The contents of a .sheet file."""
    from karat.core.files.reading import read_bytes
    from karat.core.problems import UserError

    try:
        return read_bytes(file)
    except OSError as error:
        hint = "Give a .sheet file."
        raise UserError(
            f"{file} cannot be read: {error.strerror}", hint=hint if file.exists() else near_path(file, hint)
        ) from None


def input_path(given: Any) -> Any:
    """What is to be read, for an option or argument: a path as it is, a URL as the path of its local copy."""
    import click

    from karat.core.remote.paths import local_input

    context = click.get_current_context(silent=True)
    completing = context is not None and context.resilient_parsing  # nothing is fetched to complete a word
    return given if completing else local_input(given)


@contextmanager
def fetch_progress(url: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on a terminal for what takes longer than a moment to fetch; nothing elsewhere."""
    from karat.cli.printing import notes

    console = notes()
    if not console.is_terminal or console.quiet:
        yield lambda _done, _of: None
        return
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), DownloadColumn())
    with Progress(*columns, TransferSpeedColumn(), console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task(f"fetching {url}", total=None, visible=False)
        began = time.monotonic()

        def watch(done: int, of: int) -> None:
            bar.update(task, completed=done, total=of or None, visible=time.monotonic() - began > 1.0)

        yield watch


def text_output(out: str | None) -> str | None:
    """An output that is a file, or printed: ``-``."""
    if out is not None and out != "-":
        _writable(Path(out))
    return str(Path(out)) if out is not None and is_url(out) else out


def file_output(out: Path | None) -> Path | None:
    """An output that is never printed: ``-`` would be a file of that name."""
    if out is not None:
        if str(out) == "-":
            raise typer.BadParameter("this output cannot be printed; give a file name.")
        _writable(out)
    return out


def _writable(path: Path) -> None:
    address = address_of(path)
    if address is not None:
        from karat.core.remote.sending import check_writable

        check_writable(address)
        return
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder; give a file name.")
    place = next((parent for parent in path.parents if parent.exists()), None)
    if place is not None and not place.is_dir():
        raise typer.BadParameter(f"{place} is a file, not a folder; choose another path.")
    if place is not None and not os.access(place, os.W_OK | os.X_OK):
        raise typer.BadParameter(f"you do not have permission to write to {place}; choose another path.")
