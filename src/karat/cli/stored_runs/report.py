"""``karat report``: the report of a stored run."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import ConfigOption, HtmlOption, JsonOption, StoreOption, XlsxOption, complete_runs


def report(
    run: Annotated[
        str, typer.Argument(help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs)
    ] = "latest",
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the report of a stored run: karat report latest --xlsx report.xlsx

    Without --xlsx, --html or --json, it writes RUN.xlsx to the current folder.
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import Outputs
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.report import default_file
    from karat.verbs.runs import stored_result

    with open_store_here(store, config) as opened:
        result = stored_result(opened, run)
    if xlsx is None and html is None and json is None:
        xlsx = default_file(result)
    for file in Outputs(json, xlsx, html).write(result):
        stdout().print(f"wrote {file}", markup=False)
