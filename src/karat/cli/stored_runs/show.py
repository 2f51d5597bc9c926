"""``karat show``: one case of a stored run, and what is wrong with its answer."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import ConfigOption, JsonOption, StoreOption, complete_runs


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
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.reports.console.case import print_case
    from karat.verbs import show as verb

    shown = verb.show(case, run, against=against, store=store or "", config=config)
    if json is not None:
        write_json_value(shown, json)
    if json != "-":
        print_case(shown.case, stdout(), shown.against)
