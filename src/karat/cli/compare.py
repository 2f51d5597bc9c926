"""``karat compare``: what is better, what is worse, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from karat.core.result import RunResult
    from karat.reports.comparison import Compared
    from karat.store.store import Store


def compare(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="A B [C…]", help="r-0012, 12, latest, or a run's name.", autocompletion=complete_runs),
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
    from karat.core.problems import UserError
    from karat.reports.comparison import as_plain
    from karat.reports.comparison_console import print_comparison

    one_printed(json, markdown)
    if len(runs) < 2:
        raise UserError("compare needs two runs", hint="For example: karat compare r-0001 latest")
    with open_store_for(config, store, create=False) as opened:
        compared = compare_stored(opened, runs, tag or ())
    written = []
    if xlsx is not None:
        from karat.reports.comparison_report import comparison_report
        from karat.reports.xlsx import write_xlsx

        write_xlsx(comparison_report(compared), xlsx)
        written.append(str(xlsx))
    if json is not None:
        write_json_value(as_plain(compared), json)
        written.append(json)
    if markdown is not None:
        from karat.reports.comparison_markdown import comparison_markdown

        write_text(comparison_markdown(compared), markdown)
        written.append(markdown)
    if "-" not in written:
        for number, item in enumerate(compared):
            print_comparison(item, stdout(), saved=written if number == len(compared) - 1 else ())


def compare_stored(store: Store, runs: Sequence[str], tags: Sequence[str]) -> list[Compared]:
    """Each of the runs against the first, with the answers of the cases that changed."""
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.core.usage import USAGE
    from karat.reports.answer_text import answers_of
    from karat.reports.comparison import side_by_side
    from karat.runs.baseline import find_run
    from karat.stats.comparing import compare_runs

    ids = [find_run(store, run) for run in runs]
    if len(set(ids)) < len(ids):
        twice = next(run for run, number in zip(runs, ids, strict=True) if ids.count(number) > 1)
        raise UserError(
            f'"{twice}" is there twice: a run is not compared with itself', hint="karat runs list shows all."
        )
    results = [_with_tags(store.result(number), tags) for number in ids]
    suites = list(dict.fromkeys(result.run.suite for result in results))
    if len(suites) > 1:
        raise UserError(f"the runs are of different suites: {', '.join(suites)}", hint="karat runs list shows all.")
    suite = plugins.load_suite(suites[0])
    first = results[0]
    found = []
    for number, result in zip(ids[1:], results[1:], strict=True):
        known = {item.metric for item in first.summary} & {item.metric for item in result.summary}
        metrics = [*suite.metrics, *(metric for metric in USAGE if metric.name in known)]
        comparison = compare_runs(first, result, metrics)
        wanted = {change.id for change in comparison.cases}
        answers = [answers_of(store.predictions(one), wanted) if wanted else {} for one in (ids[0], number)]
        found.append(side_by_side(first, result, comparison, metrics, *answers))
    return found


def _with_tags(result: RunResult, tags: Sequence[str]) -> RunResult:
    """The run with only the cases that have one of the tags."""
    import msgspec

    from karat.core.problems import UserError, did_you_mean

    if not tags:
        return result
    kept = tuple(case for case in result.cases if set(tags) & set(case.tags))
    if not kept:
        known = {tag for case in result.cases for tag in case.tags}
        raise UserError(
            f"no case of {result.run.id} has the tag {', '.join(tags)}",
            hint=did_you_mean(tags[0], known) if known else "",
        )
    return msgspec.structs.replace(result, cases=kept)


def one_printed(*outputs: str | None) -> None:
    """Two documents on one output would be neither."""
    from karat.core.problems import UserError

    if sum(out == "-" for out in outputs) > 1:
        raise UserError("only one of the outputs can be printed", hint="Give the others a file name.")


def write_text(text: str, out: str) -> None:
    """To a file, replaced in one step, or (``-``) to the terminal as it is."""
    from karat.core.atomic import write_bytes

    data = text.encode("utf-8", "replace")
    if out == "-":
        from karat.cli.terminal import write_out

        write_out(data)
    else:
        write_bytes(Path(out), data)
