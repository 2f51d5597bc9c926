"""``karat report``: the report of a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options.shared import (
    ConfigOption,
    HtmlOption,
    JsonOption,
    StoreOption,
    SuiteOption,
    XlsxOption,
    complete_runs,
)


def report(
    run: Annotated[
        str, typer.Argument(help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs)
    ] = "latest",
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
    json: JsonOption = None,
    trend: Annotated[
        bool,
        typer.Option(
            "--trend", help="Report on all releases (karat run --release): the newest run of each, oldest first."
        ),
    ] = False,
    suite: SuiteOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Write the report of a stored run: karat report latest --xlsx report.xlsx

    Without --xlsx, --html or --json, it writes RUN.xlsx to the current folder.

    For all releases of a suite:  karat report --trend --suite data_query --xlsx trend.xlsx
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import Outputs
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.report import default_file
    from karat.verbs.runs import stored_result

    if trend or suite is not None:
        _report_trend(trend, suite, json, xlsx, html, store, config)
        return
    with open_store_here(store, config) as opened:
        result = stored_result(opened, run)
    if xlsx is None and html is None and json is None:
        xlsx = default_file(result)
    for file in Outputs(json, xlsx, html).write(result):
        stdout().print(f"wrote {file}", markup=False)


def _report_trend(
    trend: bool,
    suite: str | None,
    json: str | None,
    xlsx: Path | None,
    html: Path | None,
    store: str | None,
    config: Path | None,
) -> None:
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import UserError
    from karat.reports.compare.trend import trend_json
    from karat.verbs.exports.trend import read_trend, write_trend
    from karat.verbs.inputs.projects import open_store_here

    if not trend:
        raise UserError("--suite can be used only with --trend", hint="A run belongs to one suite: leave --suite out.")
    with open_store_here(store, config) as opened:
        found = read_trend(opened, suite)
    if xlsx is None and html is None and json is None:
        xlsx = Path("trend.xlsx")
    if json == "-":
        write_json_value(trend_json(found), json)
    for file in write_trend(found, json=json, xlsx=xlsx, html=html):
        stdout().print(f"wrote {file}", markup=False)
