"""``karat show``: one case of a stored run, and what is wrong with its answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options import ConfigOption, JsonOption, StoreOption, complete_runs

if TYPE_CHECKING:
    from karat.core.results.result import CaseResult
    from karat.reports.case_view import CaseView
    from karat.store.store import Store


def show(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case: its id, its name, or the start of its id.")],
    run: Annotated[
        str,
        typer.Option(
            "--run", metavar="RUN", help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs
        ),
    ] = "latest",
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Also show the case in this run, and which scores changed.",
            autocompletion=complete_runs,
        ),
    ] = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Show one case: question, expected, given, how they differ, the reason and the scores.

    karat show gdp_france --run r-0012 --against r-0011
    """
    from karat.cli.printing import stdout, write_json_value
    from karat.cli.project import open_store_for
    from karat.core.problems import UserError
    from karat.reports.console.case import print_case
    from karat.runs.baseline import find_run

    with open_store_for(config, store, create=False) as opened:
        run_id = find_run(opened, run)
        view = _view(opened, run_id, case)
        other = None
        if against is not None:
            other_id = find_run(opened, against)
            if other_id == run_id:
                raise UserError(
                    f'"{against}" is the same run, which cannot be compared with itself',
                    hint="karat runs list shows all runs.",
                )
            other = _view(opened, other_id, view.id, exactly=True)
            if other.run.suite != view.run.suite:
                raise UserError(f"the runs are of different suites: {view.run.suite}, {other.run.suite}")
    if json is not None:
        write_json_value({"case": view, "against": other}, json)
    if json != "-":
        print_case(view, stdout(), other)


def _view(store: Store, run_id: int, word: str, *, exactly: bool = False) -> CaseView:
    import msgspec

    from karat.core import plugins
    from karat.reports.case_view import case_view

    result = store.result(run_id)
    found = find_case(result.cases, word, result.run.id, exactly=exactly)
    stored = store.case(run_id, found.id)
    return case_view(
        result.run,
        found,
        msgspec.json.decode(stored) if stored is not None else {},
        store.case_predictions(run_id, [found.id]),
        plugins.load_suite(result.run.suite).metrics_for(result.run.headline),
    )


def find_case(cases: Sequence[CaseResult], word: str, run: str, *, exactly: bool = False) -> CaseResult:
    """The case of that id; else the only one of that name; else the only one whose id begins like this."""
    from karat.core.problems import UserError, count_of, did_you_mean

    exact = [case for case in cases if case.id == word]
    named = [] if exactly else [case for case in cases if case.name == word]
    begun = [] if exactly or not word else [case for case in cases if case.id.startswith(word)]
    for found in (exact, named, begun):
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(case.id for case in found[:5]) + (", …" if len(found) > 5 else "")
            how = "are named" if found is named else "start with"
            raise UserError(f'{count_of(len(found), "case")} of {run} {how} "{word}": {listed}', hint="Give one id.")
    known = {text for case in cases for text in (case.id, case.name) if text}
    hint = did_you_mean(word, known) or f"{run} has {count_of(len(cases), 'case')}; karat runs show {run} lists some."
    raise UserError(f'{run} has no case "{word}"', hint=hint)
