"""``karat report``: the report of a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options import ConfigOption, HtmlOption, JsonOption, StoreOption, XlsxOption, complete_runs


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
    from karat.cli.printing import stdout, write_outputs
    from karat.cli.project import open_store_for
    from karat.core import plugins
    from karat.runs.baseline import find_run

    with open_store_for(config, store, create=False) as opened:
        result = opened.result(find_run(opened, run))
    if xlsx is None and html is None and json is None:
        xlsx = Path(f"{result.run.id}.xlsx")
    suite = plugins.load_suite(result.run.suite)
    for file in write_outputs(result, suite, json, xlsx, html):
        stdout().print(f"wrote {file}", markup=False)
