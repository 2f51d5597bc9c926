"""The terminal: one console for results, one for everything else, and a progress line that also works without a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

    from karat.core.problems import Problem
    from karat.core.results.result import RunResult
    from karat.core.suite import Suite
    from karat.runs.calling import Called
    from karat.runs.runner import Watch

SHOWN_PROBLEMS = 20


@cache
def stdout() -> Console:
    from karat.cli.terminal import Terminal

    return Terminal()


@cache
def stderr() -> Console:
    from karat.cli.terminal import Terminal

    return Terminal(stderr=True)


def notes() -> Console:
    """Where remarks go that are neither figures nor errors: standard error, and nowhere with ``--quiet``."""
    from karat.cli.terminal import Terminal
    from karat.cli.verbosity import quiet

    return Terminal(stderr=True, silent=True) if quiet() else stderr()


def print_problems(problems: Sequence[Problem], console: Console, *, most: int = SHOWN_PROBLEMS) -> None:
    """Each problem with its line and caret; past a screenful, how many more there are."""
    from karat.cli.verbosity import quiet, verbose
    from karat.core.problems import count_of, problem_text

    if quiet():
        problems = [problem for problem in problems if problem.severity == "error"]
    most = len(problems) if verbose() else most
    for problem in problems[:most]:
        head, *rest = problem_text(problem).split("\n")
        console.print(head, style="yellow" if problem.severity == "warning" else "red", markup=False, soft_wrap=True)
        for line in rest:
            console.print(line, markup=False, soft_wrap=True, style="dim" if line.startswith("    ") else None)
    if len(problems) > most:
        console.print(
            f"… and {count_of(len(problems) - most, 'more problem')}: karat check lists them all", markup=False
        )


def write_outputs(
    result: RunResult, suite: Suite, json_out: str | None, xlsx_out: Path | None, html_out: Path | None = None
) -> list[str]:
    """Write what was asked for; returns the names of the files."""
    written: list[str] = []
    if xlsx_out is not None or html_out is not None:
        from karat.reports.full_report import whole_report

        report = whole_report(result, suite)
        if xlsx_out is not None:
            from karat.reports.excel.workbook import write_xlsx

            write_xlsx(report, xlsx_out)
            written.append(str(xlsx_out))
        if html_out is not None:
            from karat.reports.html.report import write_html
            from karat.stats.intervals.estimates import estimate

            write_html(result, report, suite.metrics_for(result.run.headline), estimate, html_out)
            written.append(str(html_out))
    if json_out is not None:
        from karat.cli.terminal import write_out
        from karat.reports.json import result_json, write_json

        if json_out == "-":
            write_out(result_json(result) + b"\n")
        else:
            write_json(result, Path(json_out))
            written.append(json_out)
    return written


def write_json_value(value: Any, out: str) -> None:
    """Any plain value as indented JSON, to a file or (``-``) to the terminal."""
    import msgspec

    from karat.core.files.atomic import write_bytes

    data = msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
    if out == "-":
        from karat.cli.terminal import write_out

        write_out(data)
    else:
        write_bytes(Path(out), data)


@contextmanager
def progress(title: str) -> Iterator[tuple[Watch, object]]:
    """A progress display for calls: a bar with rate, errors and time left on a terminal, else a plain line now and then."""
    console = notes()
    if not console.is_terminal:
        yield _plain_watch(), None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[errors]}", style="red"),
        TextColumn("{task.fields[left]}", style="dim"),
    )
    with Progress(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task(title, total=None, rate="", errors="", left="")
        began = time.monotonic()

        def watch(called: Called) -> None:
            rate = called.done / max(time.monotonic() - began, 1e-6)
            bar.update(
                task,
                total=called.total,
                completed=called.done,
                rate=f"{rate:.1f}/s",
                errors=f"{called.errors} errors" if called.errors else "",
                left=_left(called, rate),
            )

        yield watch, bar


def _left(called: Called, rate: float) -> str:
    seconds = (called.total - called.done) / rate if rate else 0.0
    if seconds < 90:
        return f"~{seconds:.0f} s left"
    return f"~{seconds / 60:.0f} min left" if seconds < 5400 else f"~{seconds / 3600:.1f} h left"


def _plain_watch(every: float = 10.0) -> Watch:
    began = last = time.monotonic()

    def watch(called: Called) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every:
            last = now
            rate = called.done / max(now - began, 1e-6)
            text = f"{called.done}/{called.total}  {rate:.1f}/s  {called.errors} errors  {_left(called, rate)}"
            notes().print(text, markup=False)

    return watch
