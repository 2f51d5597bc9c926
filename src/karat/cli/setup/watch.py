"""``karat watch``: score again whenever a file changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import (
    CasesOption,
    ConfigOption,
    PredictionsOption,
    SettingsOption,
    StoreOption,
    SuiteOption,
)

if TYPE_CHECKING:
    from rich.console import Console

    from karat.verbs.setup.watch import Change

SHOWN = 20


def watch(
    suite: SuiteOption = None,
    cases: CasesOption = None,
    predictions: PredictionsOption = None,
    run: Annotated[
        bool,
        typer.Option("--run", help="Ask a live system again when its prompt or settings change. This makes calls."),
    ] = False,
    settings: SettingsOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Score again whenever a case, a prompt, a recorded answer or karat.yaml changes, and show only what changed.

    Recorded answers are scored directly. For a live system, the answers of its newest run are scored against the cases
    as they are now; with --run, the system is asked again when its prompt or settings change.

    A file with a mistake is shown, and watching goes on. Ctrl-C ends it.
    """
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.core.files.project_folder import find_project
    from karat.core.problems import UserError
    from karat.verbs.check import suite_of
    from karat.verbs.inputs.work import work_to_do
    from karat.verbs.setup.watch import Watching, scorer

    if cases is not None and suite is None:
        suite = suite_of(cases)
    console = stdout()
    project = config or (None if cases is not None and predictions is not None else find_project())
    watching = Watching(
        plan=lambda: work_to_do(
            "score", config=config, suite=suite, cases=cases, predictions=predictions, settings=settings or ()
        ),
        score=scorer(store, config, asking=run),
        config=project.absolute() if project is not None else None,
    )
    if project is None:
        watching.plan()  # without a project file, a wrong option is a usage error
    try:
        events = watching.begin()
        while True:
            for event in events:
                if isinstance(event, UserError):
                    print_problems(event.problems, console)
                    console.print(event.message, style="bold red", markup=False, soft_wrap=True)
                    if event.hint:
                        console.print(event.hint, markup=False, soft_wrap=True)
                else:
                    _print(event, console)
            console.print("watching; Ctrl-C ends it", style="dim", markup=False)
            events = watching.next()
    except KeyboardInterrupt:
        console.print("\nstopped", markup=False)


def _print(change: Change, console: Console) -> None:
    from karat.core.problems import count_of

    for note in change.notes:
        console.print(f"note: {note}", style="yellow", markup=False, soft_wrap=True)
    if change.is_none:
        console.print(f"{change.suite}: nothing changed in {count_of(change.count, 'case')}", markup=False)
        return
    moved = [f"{name} {_moved(*values)}" for name, values in change.metrics.items()]
    said = "  ".join(moved) or "same figures"
    head = f"{change.suite}: {said} ({count_of(change.count, 'case')})"
    console.print(head, style="bold", markup=False, highlight=False)
    for case in change.cases[:SHOWN]:
        state = case.after if case.before == case.after else f"{case.before or 'new'} → {case.after or 'removed'}"
        values = "  ".join(f"{name} {_moved(*pair)}" for name, pair in case.metrics.items())
        better = [new - old for old, new in case.metrics.values() if old is not None and new is not None]
        style = "green" if better and min(better) > 0 else "red" if better and max(better) < 0 else None
        console.print(f"  {case.id}  {state}  {values}".rstrip(), style=style, markup=False, highlight=False)
    if len(change.cases) > SHOWN:
        console.print(f"  … and {count_of(len(change.cases) - SHOWN, 'more case')}", markup=False)


def _moved(before: float | None, after: float | None) -> str:
    texts = ["n/a" if value is None else f"{value:.3g}" for value in (before, after)]
    return texts[1] if before is None else f"{texts[0]} → {texts[1]}"
