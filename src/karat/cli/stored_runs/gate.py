"""``karat gate``: may this run pass? The exit code says what the words say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.output_files import text_output
from karat.cli.options.shared import ConfigOption, GateOption, JsonOption, MarkdownOption, StoreOption, complete_runs

if TYPE_CHECKING:
    from karat.stats.gates.verdicts import Verdict


def gate(
    run: Annotated[
        str | None,
        typer.Argument(
            help="A run: r-0012, 12, latest, or its name or tag. [default: the newest run of each suite]",
            autocompletion=complete_runs,
        ),
    ] = None,
    gate: GateOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RUN",
            help="The run that rules compare with, by id or name. [default: baseline in karat.yaml, or the newest run "
            "named baseline]",
            autocompletion=complete_runs,
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit",
            metavar="[OUT]",
            help="Write JUnit XML to this file. Without a file name, or with -, print it instead of the verdict.",
            callback=text_output,
        ),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations for GitHub Actions and write its job summary.")
    ] = False,
    markdown: MarkdownOption = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Check stored runs against the gates in karat.yaml and --gate. Exit code 1 if one fails.

    karat gate --gate "data_query.errors<=0.02" --gate "no_new_failures: {tag: critical}" --baseline r-0012
    """
    from karat.cli.printing.outputs import one_printed
    from karat.stats.gates.verdicts import exit_code
    from karat.verbs import gate as verb

    one_printed(json, markdown, junit)
    verdicts = verb.gate(run, gate or (), baseline=baseline or "", store=store or "", config=config).verdicts
    _write(verdicts, json, markdown, junit)
    _print(verdicts, github=github, silent="-" in (json, markdown, junit))
    raise typer.Exit(exit_code(verdicts))


def _write(verdicts: Sequence[Verdict], json: str | None, markdown: str | None, junit: str | None) -> None:
    import msgspec

    from karat.cli.printing.outputs import write_json_value, write_text
    from karat.reports.junit import junit_xml
    from karat.reports.markdown.gates import gate_markdown

    if json is not None:
        rows = [{**msgspec.structs.asdict(verdict), "passed": verdict.passed} for verdict in verdicts]
        write_json_value({"passed": all(verdict.passed for verdict in verdicts), "gates": rows}, json)
    if markdown is not None:
        write_text(gate_markdown(verdicts), markdown)
    if junit is not None:
        write_text(junit_xml(verdicts).decode(), junit)


def _print(verdicts: Sequence[Verdict], *, github: bool, silent: bool) -> None:
    from karat.cli.printing.consoles import stderr, stdout
    from karat.reports.console.page import plain
    from karat.reports.github import github_annotations, harmless
    from karat.reports.markdown.gates import gate_markdown, headline

    broken = any(not verdict.passed for verdict in verdicts)
    if not silent:
        console = stdout()
        console.print(headline(verdicts), style="bold red" if broken else "bold green", markup=False)
        for verdict in sorted(verdicts, key=lambda verdict: verdict.passed):
            mark, style = ("passed", "green") if verdict.passed else ("failed", "bold red")
            words = harmless(plain(verdict.words))
            where = f"{verdict.run}  " if verdict.run else ""
            console.print(f"  {mark}  ", style=style, markup=False, end="")
            console.print(f"{where}{words}", markup=False, soft_wrap=True)
    if github:
        for line in github_annotations(verdicts):
            (stderr() if silent else stdout()).print(line, markup=False, soft_wrap=True)
        if summary := os.environ.get("GITHUB_STEP_SUMMARY"):
            _append(Path(summary), gate_markdown(verdicts))


def _append(path: Path, text: str) -> None:
    from karat.core.problems import UserError

    try:
        with path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(text + "\n")
    except OSError as error:
        raise UserError(f"cannot write the job summary: {error.strerror}") from error
