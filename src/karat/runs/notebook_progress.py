"""How far a run is, in a notebook: one line that is replaced as answers come. Nothing outside of notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Protocol

from karat.core.problems import count_of
from karat.runs.calls.calling import Called

EVERY = 0.5
"""Seconds between two updates: a notebook keeps every one that it is sent."""


class Display(Protocol):
    """A piece of output that can be replaced."""

    def update(self, shown: object) -> None:
        """Show this in its place."""


def in_notebook() -> bool:
    """Whether this program runs in a notebook's kernel. Nothing is imported to find out."""
    shell = sys.modules.get("IPython")
    kernel = shell.get_ipython() if shell is not None else None
    return kernel is not None and type(kernel).__name__ == "ZMQInteractiveShell"


def notebook_watch() -> Callable[[Called], None]:
    """A watch that shows the progress of calls where that can be seen."""
    if not in_notebook():
        return lambda _: None
    from IPython.display import HTML, display

    shown: Display = display(HTML(""), display_id=True)
    return showing(shown, HTML)


def showing(
    shown: Display, as_html: Callable[[str], object], clock: Callable[[], float] = time.monotonic
) -> Callable[[Called], None]:
    """Show each state that is new enough, and the last one."""
    began = clock()
    last = float("-inf")

    def watch(called: Called) -> None:
        nonlocal last
        now = clock()
        if now - last < EVERY and called.done < called.total:
            return
        last = now
        shown.update(as_html(progress_html(called.done, called.total, called.errors, now - began)))

    return watch


def progress_html(done: int, total: int, errors: int, seconds: float) -> str:
    """A bar and the same in words."""
    rate = done / max(seconds, 1e-6)
    words = [f"{done:,} of {count_of(total, 'call')}", f"{rate:.1f}/s"]
    words += [f"<b>{count_of(errors, 'error')}</b>"] if errors else []
    if done < total and rate:
        words.append(f"~{(total - done) / rate:.0f} s left")
    return f'<progress value="{done}" max="{max(total, 1)}"></progress> {" · ".join(words)}'
