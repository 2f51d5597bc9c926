"""``karat gate``: may this run pass? The exit code says what the words say."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.compare import one_printed, write_text
from karat.cli.files import text_output
from karat.cli.options import ConfigOption, GateOption, JsonOption, MarkdownOption, StoreOption, complete_runs

if TYPE_CHECKING:
    from karat.core.result import RunResult
    from karat.runs.project import Project
    from karat.stats.gates import Baselines, Gate, Verdict
    from karat.store import RunRow
    from karat.store.store import Store


def gate(
    run: Annotated[
        str | None,
        typer.Argument(
            help="r-0012, 12, latest, or a run's name. [default: the newest run of each suite]",
            autocompletion=complete_runs,
        ),
    ] = None,
    gate: GateOption = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RUN",
            help="The run, or the name of a run, that rules compare with. [default: baseline of karat.yaml, or the newest run so named]",
            autocompletion=complete_runs,
        ),
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option(
            "--junit",
            metavar="[OUT]",
            help="Write JUnit XML to this file; without one, or with -, print it instead of the verdict.",
            callback=text_output,
        ),
    ] = None,
    github: Annotated[
        bool, typer.Option("--github", help="Print annotations for GitHub Actions, and fill its job summary.")
    ] = False,
    markdown: MarkdownOption = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Judge stored runs by the gates of karat.yaml and of --gate; exit code 1 when one is broken.

    karat gate --gate "data_query.errors<=0.02" --gate "no_new_failures: {tag: critical}" --baseline r-0012
    """
    from karat.cli.project import open_store_for, project_here
    from karat.core.problems import UserError
    from karat.stats.gates import exit_code, parse_gate

    one_printed(json, markdown, junit)
    extra = [parse_gate(rule) for rule in gate or ()]
    project = project_here(config)
    rules = (*(project.gates if project else ()), *extra)
    if not rules:
        hint = 'Put them under "gates:" in karat.yaml, or give --gate "data_query.macro_recall>=0.85".'
        raise UserError("there are no gates to judge", hint=hint)
    with open_store_for(config, store, create=False) as opened:
        verdicts = judge_stored(opened, run, rules, extra, project, baseline or "")
    _write(verdicts, json, markdown, junit)
    _print(verdicts, github=github, silent="-" in (json, markdown, junit))
    raise typer.Exit(exit_code(verdicts))


def judge_stored(
    store: Store, run: str | None, rules: Sequence[Gate], extra: Sequence[Gate], project: Project | None, baseline: str
) -> list[Verdict]:
    """The last word on every rule that concerns the run, or the newest run of each suite. A newest run that is not finished fails them."""
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.runs.baseline import baselines_in, find_run
    from karat.runs.project import gate_problems
    from karat.stats.gates import Verdict, judge, rule_text, settle
    from karat.store import run_name

    suites = list(dict.fromkeys(entry.suite for entry, _ in project.suites)) if project else []
    rows = _newest(store, suites) if run is None else [store.run_row(find_run(store, run))]
    unfinished = [row for row in rows if row.status != "finished" or row.scoring is None]
    results = [store.result(row.id) for row in rows if row not in unfinished]
    problems = gate_problems(extra, list(dict.fromkeys([*suites, *(result.run.suite for result in results)])))
    if problems:
        raise UserError("--gate cannot be used as given", problems=problems)
    if baseline:
        find_run(store, baseline)  # a run that is not there is a mistake of the command line, not of the run
    named = baseline or (project.baseline if project else "")
    verdicts: list[Verdict] = []
    for result in results:
        metrics = plugins.load_suite(result.run.suite).metrics
        found = baselines_in(store, result.run.suite, result.run.id, named)
        verdicts += judge(rules, result, metrics, found)
    for row in unfinished:
        words = f"the run is {row.status} and not scored to its end, so there is nothing to judge; karat run --resume {run_name(row.id)} finishes it"
        verdicts += [
            Verdict(rule_text(rule), "failed", f"{rule_text(rule)}: {words}", row.suite, run_name(row.id))
            for rule in rules
            if rule.suite in ("", row.suite)
        ]
    if run is None:
        judged = {result.run.suite for result in results} | {row.suite for row in unfinished}
        for rule in rules:
            if rule.suite and rule.suite not in judged:
                words = f"{rule_text(rule)}: there is no run of {rule.suite} in the store"
                verdicts.append(Verdict(rule_text(rule), "failed", words, rule.suite))
    if not verdicts:
        raise UserError(
            f"no gate is for {rows[0].suite}, the suite of {run_name(rows[0].id)}",
            hint="karat runs list shows all.",
        )
    return settle(verdicts)


def _newest(store: Store, suites: Sequence[str]) -> list[RunRow]:
    """The newest run of each suite of the project; of the store, without one."""
    wanted: Sequence[str | None] = suites or [None]
    rows = [row for suite in wanted for row in store.runs(1, suite)]
    if not rows:
        store.find_run("latest")  # says that the store has no run
    return rows


def baselines_here(config: Path | None, store: str | None, suite: str, run: str = "") -> Baselines:
    """For ``karat run`` and ``karat score``: what rules compare with. The store is opened only when a rule asks."""
    from karat.cli.project import open_store_for, project_here
    from karat.core.problems import UserError
    from karat.runs.baseline import baselines_in

    def find(word: str) -> RunResult | str:
        project = project_here(config)
        try:
            with open_store_for(config, store, create=False) as opened:
                return baselines_in(opened, suite, run, project.baseline if project else "")(word)
        except UserError as error:
            return error.message

    return find


def _write(verdicts: Sequence[Verdict], json: str | None, markdown: str | None, junit: str | None) -> None:
    import msgspec

    from karat.cli.printing import write_json_value
    from karat.reports.gate_markdown import gate_markdown
    from karat.reports.junit import junit_xml

    if json is not None:
        rows = [{**msgspec.structs.asdict(verdict), "passed": verdict.passed} for verdict in verdicts]
        write_json_value({"passed": all(verdict.passed for verdict in verdicts), "gates": rows}, json)
    if markdown is not None:
        write_text(gate_markdown(verdicts), markdown)
    if junit is not None:
        write_text(junit_xml(verdicts).decode(), junit)


def _print(verdicts: Sequence[Verdict], *, github: bool, silent: bool) -> None:
    from karat.cli.printing import stderr, stdout
    from karat.reports.console import plain
    from karat.reports.gate_markdown import gate_markdown, headline
    from karat.reports.github import github_annotations, harmless

    broken = any(not verdict.passed for verdict in verdicts)
    if not silent:
        console = stdout()
        console.print(headline(verdicts), style="bold red" if broken else "bold green", markup=False)
        for verdict in sorted(verdicts, key=lambda verdict: verdict.passed):
            mark, style = ("passed", "green") if verdict.passed else ("broken", "bold red")
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
