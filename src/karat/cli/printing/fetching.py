"""How far a fetch from a URL is: a bar on a terminal for what takes longer than a moment, nothing elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def fetch_progress(url: str) -> Iterator[Callable[[int, int], None]]:
    """The display of one fetch: it gets the number of bytes so far and in all."""
    from karat.cli.printing.consoles import notes

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
