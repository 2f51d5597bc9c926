"""How far a command is: a bar on a terminal, else a plain line now and then."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from karat.cli.printing.consoles import notes, stderr
from karat.core.problems import count_of

if TYPE_CHECKING:
    from karat.cli.printing.live import LiveFigures
    from karat.runs.calls.calling import Called
    from karat.runs.runner import Watch
    from karat.search.choose.tune import Watch as Ranked


@contextmanager
def progress(title: str, live: LiveFigures) -> Iterator[Watch]:
    """A progress display for calls: a bar with rate, errors and time left on a terminal, with the figures so far below
    it; else a plain line now and then."""
    console = notes()
    if not console.is_terminal:
        yield _with_finishing(_plain_watch(live))
        return
    from rich.console import RenderableType
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    class Display(Progress):
        """The bar and what is below it."""

        def get_renderables(self) -> Iterable[RenderableType]:
            yield from super().get_renderables()
            yield from live.lines()

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[errors]}", style="red"),
        TextColumn("{task.fields[left]}", style="dim"),
    )
    with Display(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task(title, total=None, rate="", errors="", left="")
        began = time.monotonic()

        def watch(called: Called) -> None:
            rate = called.done / max(time.monotonic() - began, 1e-6)
            bar.update(
                task,
                total=called.total,
                completed=called.done,
                rate=f"{rate:.1f}/s",
                errors=count_of(called.errors, "error") if called.errors else "",
                left=_left(called, rate),
            )

        yield _with_finishing(watch)


def _with_finishing(watch: Watch) -> Watch:
    """Also says once that a run which was asked to stop waits for calls in flight. That is said even if quiet: the
    command does not end although it was told to."""
    said = False

    def both(called: Called) -> None:
        nonlocal said
        if called.finishing and not said:
            said = True
            calls = count_of(called.finishing, "call")
            stderr().print(f"finishing {calls} in flight, Ctrl-C again to stop at once", style="bold yellow")
        watch(called)

    return both


def print_store_waits() -> None:
    """Print what the store says while it cannot be reached."""
    logger = logging.getLogger("karat.store")
    if not any(isinstance(handler, _Waits) for handler in logger.handlers):
        logger.addHandler(_Waits())
        logger.propagate = False


class _Waits(logging.Handler):
    """Prints to standard error."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line for each message."""
        notes().print(record.getMessage(), style="yellow", soft_wrap=True)


def _left(called: Called, rate: float) -> str:
    seconds = (called.total - called.done) / rate if rate else 0.0
    if seconds < 90:
        return f"~{seconds:.0f} s left"
    return f"~{seconds / 60:.0f} min left" if seconds < 5400 else f"~{seconds / 3600:.1f} h left"


def _plain_watch(live: LiveFigures, every: float = 10.0) -> Watch:
    began = last = time.monotonic()

    def watch(called: Called) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every:
            last = now
            rate = called.done / max(now - began, 1e-6)
            text = (
                f"{called.done}/{called.total}  {rate:.1f}/s  {count_of(called.errors, 'error')}  {_left(called, rate)}"
            )
            figure = live.words()
            notes().print(text + (f"  {figure}" if figure else ""), markup=False, soft_wrap=True)

    return watch


@contextmanager
def ranking_progress() -> Iterator[Ranked]:
    """A bar on a terminal while models rank values, with the field it is at; nothing elsewhere."""
    console = notes()
    if not console.is_terminal or console.quiet:
        yield lambda _field, _done, _of: None
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(bar_width=None), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task("ranking", total=None)

        def watch(field: str, done: int, of: int) -> None:
            if done < of:
                bar.update(task, description=f"ranking {field}", total=of, completed=done)
            else:
                bar.update(task, description="choosing", total=None)

        yield watch
