"""``karat compare``: what is better, what is worse, and whether that is more than chance."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options import (
    ConfigOption,
    JsonOption,
    MarkdownOption,
    StoreOption,
    TagOption,
    XlsxOption,
    complete_runs,
)


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="A B [C…]", help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs
        ),
    ],
    tag: TagOption = None,
    json: JsonOption = None,
    markdown: MarkdownOption = None,
    xlsx: XlsxOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Compare stored runs case by case: karat compare r-0001 latest

    A is the run before, B the run after; with more than two, each is compared with the first.
    """
    from karat.cli.printing import stdout, write_json_value
    from karat.cli.project import open_store_for
    from karat.comparing import compare_stored
    from karat.core.problems import UserError
    from karat.reports.comparison import as_plain
    from karat.reports.console.comparison import print_comparison

    one_printed(json, markdown)
    if len(runs) < 2:
        raise UserError("compare needs two runs", hint="For example: karat compare r-0001 latest")
    with open_store_for(config, store, create=False) as opened:
        compared = compare_stored(opened, runs, tag or ())
    written = []
    if xlsx is not None:
        from karat.reports.comparison_sheets import comparison_report
        from karat.reports.excel.workbook import write_xlsx

        write_xlsx(comparison_report(compared), xlsx)
        written.append(str(xlsx))
    if json is not None:
        write_json_value(as_plain(compared), json)
        written.append(json)
    if markdown is not None:
        from karat.reports.markdown.comparison import comparison_markdown

        write_text(comparison_markdown(compared), markdown)
        written.append(markdown)
    if "-" not in written:
        for number, item in enumerate(compared):
            print_comparison(item, stdout(), saved=written if number == len(compared) - 1 else ())


def one_printed(*outputs: str | None) -> None:
    """Two documents on one output would be neither."""
    from karat.core.problems import UserError

    if sum(out == "-" for out in outputs) > 1:
        raise UserError("only one of the outputs can be printed", hint="Give the others a file name.")


def write_text(text: str, out: str) -> None:
    """To a file, replaced in one step, or (``-``) to the terminal as it is."""
    from karat.core.files.atomic import write_bytes

    data = text.encode("utf-8", "replace")
    if out == "-":
        from karat.cli.terminal import write_out

        write_out(data)
    else:
        write_bytes(Path(out), data)
