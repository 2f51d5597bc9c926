"""``karat answers``: a submission folder against gold, both profiles, what flips between them and why the rest failed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.cli import exits
from karat.cli.files import input_path
from karat.cli.options import HtmlOption, JsonOption, SettingsOption, WorkersOption, XlsxOption

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.suites.answers.options import Options


def answers(
    result_dir: Annotated[
        Path, typer.Option("--result_dir", "--result-dir", help="The submission folder.", callback=input_path)
    ],
    gold_dir: Annotated[Path, typer.Option("--gold_dir", "--gold-dir", help="The gold folder.", callback=input_path)],
    profile: Annotated[
        Literal["spider2", "strict"] | None,
        typer.Option(
            "--profile", help="The profile to show first. [default: spider2 for Spider2 gold, otherwise strict]"
        ),
    ] = None,
    nulls: Annotated[
        Literal["equal", "zero"] | None,
        typer.Option(
            "--nulls",
            help="For spider2: null equals only null, or null equals 0. [default: zero for lite and snow gold]",
        ),
    ] = None,
    mode: Annotated[
        Literal["results", "sql"],
        typer.Option("--mode", help="results: score submitted result files; sql: run submitted .sql files."),
    ] = "results",
    others: Annotated[
        list[Path] | None,
        typer.Option(
            "--others",
            help="Another submission folder. If it gives the same answer and gold rejects it, the gold is marked as suspect. Repeatable.",
            callback=input_path,
        ),
    ] = None,
    workers: WorkersOption = None,
    settings: SettingsOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
) -> None:
    """Score a submission folder against gold answers: like the Spider2 suite's evaluate.py, and by stricter rules.

    karat answers --result_dir my-submission --gold_dir gold

    Exit code 3 if lines or files could not be read, or if an answer could not be judged because its database is missing or its
    server does not respond.
    """
    from karat.api import scoring_executor
    from karat.cli.printing import print_problems, stderr, write_outputs
    from karat.cli.showing import nothing_scored
    from karat.cli.verbosity import step
    from karat.core.plugins import load_suite
    from karat.core.problems import UserError
    from karat.runs.project import from_settings
    from karat.runs.runner import score_recorded
    from karat.suites.answers.options import Options

    suite = load_suite("answers")
    given = [*(settings or ()), f"mode={mode}", *([f"nulls={nulls}"] if nulls else [])]
    options = from_settings(Options, given, "--option")
    loaded = suite.load_cases(gold_dir)
    if not loaded.cases:
        said = f"none of the gold in {gold_dir} can be read" if loaded.problems else f"there is no gold in {gold_dir}"
        raise UserError(
            said, hint="To see an example, run: karat init --suite answers FOLDER", problems=loaded.problems
        )
    submitted = suite.read_predictions(result_dir)
    if not options.engines and (mode == "sql" or any(b'"kind":"sql"' in one.response for one in submitted.predictions)):
        options = _with_engines_here(options, gold_dir)
    with step("scored"), scoring_executor(suite, workers) as pool:
        result = score_recorded(
            suite,
            loaded.cases,
            submitted.predictions,
            options,
            problems=(*loaded.problems, *submitted.problems),
            source=str(result_dir),
            executor=pool,
        )
    if profile:
        result = _judged_first_by(result, profile)
    if others:
        from karat.suites.answers.cross_submission import with_suspects
        from karat.suites.answers.predictions import read_submission

        submissions = [read_submission(folder) for folder in others]
        result = with_suspects(result, read_submission(result_dir), submissions)
    written = write_outputs(result, suite, json, xlsx, html)
    print_problems(result.problems, stderr())
    if json != "-":
        first = (*result.run.headline, "spider2")[0]
        known = {case.id for case in loaded.cases}
        unknown = len({prediction.case_id for prediction in submitted.predictions} - known)
        print_answers(result, first, unknown, written)
    failed = _print_errors(result)
    if failed or nothing_scored(result) or any(problem.severity == "error" for problem in result.problems):
        raise typer.Exit(exits.ERRORS)


def _with_engines_here(options: Options, gold_dir: Path) -> Options:
    """The options with the engines of karat.yaml: of the suite with this gold, else of the first one that has engines."""
    from msgspec.structs import replace

    from karat.core.files.project_folder import find_project
    from karat.runs.project import load_project
    from karat.suites.answers.options import Options

    found = find_project()
    if found is None:
        return options
    project = load_project(found)
    suites = [(entry, own) for entry, own in project.suites if isinstance(own, Options) and own.engines]
    suites.sort(key=lambda one: (project.root / one[0].cases).resolve() != gold_dir.resolve())
    if not suites:
        return options
    return replace(options, engines=suites[0][1].engines)


def _judged_first_by(result: RunResult, profile: str) -> RunResult:
    """The result with the profile that was asked for in front, in every file that is written."""
    from msgspec.structs import replace

    from karat.suites.answers.headline import BY_STRICT

    return replace(result, run=replace(result.run, headline=BY_STRICT if profile == "strict" else ()))


def _print_errors(result: RunResult) -> bool:
    """What kept answers from being judged, most frequent first. Whether there is anything of the kind."""
    from karat.cli.printing import stderr
    from karat.core.problems import count_of

    failed = [case for case in result.cases if case.status == "error"]
    for why, count in Counter(case.error for case in failed).most_common(10):
        ids = [case.id for case in failed if case.error == why]
        shown = ", ".join(ids[:3]) + (", …" if count > 3 else "")
        said = f"error: {count_of(count, 'answer')} not judged ({shown}): {why}"
        stderr().print(said, style="bold red", markup=False, highlight=False, soft_wrap=True)
    return bool(failed)


def print_answers(result: RunResult, first: str, unknown: int, written: list[str]) -> None:
    """The figures of both profiles with their denominators, then what flips, then why the rest failed."""
    from karat.cli.printing import stdout
    from karat.cli.verbosity import quiet
    from karat.suites.answers.highlights import highlights

    console = stdout()
    states = Counter(case.status for case in result.cases)
    judged = len(result.cases) - states["not_applicable"]
    submitted = judged - states["missing"]
    answered = submitted - states["error"]  # an answer that could not be judged is not a wrong one
    lines = [
        f"gold {len(result.cases)} · submitted {submitted} · missing {states['missing']} · unknown {unknown}"
        + (f" · errors {states['error']}" if states["error"] else "")
        + (f" · gold unreadable {states['not_applicable']}" if states["not_applicable"] else ""),
        f"                    right    of all gold ({judged})".ljust(56) + f"of submitted ({answered})",
    ]
    for profile in sorted(("spider2", "strict"), key=lambda name: name != first):
        right = sum(case.scores[profile].value == 1.0 for case in result.cases)
        lines.append(f"  {profile:<14} {right:>8}    {_rate(right, judged):<32}{_rate(right, answered)}")
    review = sum(case.details.get("strict", {}).get("state") == "needs_review" for case in result.cases)
    if review:
        right = sum(case.scores["strict"].value == 1.0 for case in result.cases)
        lines.append(
            f"  needs review   {review:>8}    strict would be {(right + review) / max(judged, 1):.1%} if all passed"
        )
    lines += [] if quiet() else highlights(result)
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True, style="bold" if line is lines[0] else None)
    for name in () if quiet() else written:
        console.print(f"saved {name}", markup=False, highlight=False, soft_wrap=True)


def _rate(right: int, count: int) -> str:
    from karat.stats.intervals.estimates import wilson

    if not count:
        return "n/a"
    low, high = wilson(right / count, count)
    return f"{right / count:6.1%}  {100 * low:.1f} – {100 * high:.1f}"
