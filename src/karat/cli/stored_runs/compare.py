"""``karat compare``: what is better, what is worse, and whether that is more than chance."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import (
    ConfigOption,
    HtmlOption,
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
    html: HtmlOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Compare stored runs case by case: karat compare r-0001 latest

    A is the run before, B the run after. More than two runs are shown as a matrix with the first as the baseline; then
    each is compared with the first.
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import one_printed, write_json_value, write_text
    from karat.reports.compare.comparison import as_plain
    from karat.reports.console.comparison import print_comparison
    from karat.verbs.compare import compare_all, require_two
    from karat.verbs.inputs.projects import open_store_here

    one_printed(json, markdown)
    require_two(runs)
    with open_store_here(store, config) as opened:
        compared, matrix = compare_all(opened, runs, tag or ())
    written = []
    if xlsx is not None:
        from karat.reports.compare.comparison_sheets import comparison_report
        from karat.reports.excel.workbook import write_xlsx

        write_xlsx(comparison_report(compared), xlsx)
        written.append(str(xlsx))
    if html is not None:
        from karat.reports.html.comparison import write_comparison_html

        write_comparison_html(compared, html, matrix)
        written.append(str(html))
    if json is not None:
        from karat.reports.compare.several import matrix_plain

        write_json_value({**as_plain(compared), **({"matrix": matrix_plain(matrix)} if matrix else {})}, json)
        written.append(json)
    if markdown is not None:
        from karat.reports.markdown.comparison import comparison_markdown

        write_text(comparison_markdown(compared, matrix), markdown)
        written.append(markdown)
    if "-" not in written:
        if matrix is not None:
            from karat.reports.console.several import print_matrix

            print_matrix(matrix, stdout())
        for number, item in enumerate(compared):
            print_comparison(item, stdout(), saved=written if number == len(compared) - 1 else ())
