"""``karat answers``: a submission folder against gold, both profiles, what flips between them and why the rest
failed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from karat.cli import exit_codes
from karat.cli.options.shared import (
    ExecutorOption,
    HtmlOption,
    JsonOption,
    SettingsOption,
    WorkersOption,
    XlsxOption,
)

if TYPE_CHECKING:
    from karat.core.problems import UserError
    from karat.core.results.result import RunResult


def answers(
    result_dir: Annotated[
        Path | None, typer.Option("--result_dir", "--result-dir", help="The submission folder.")
    ] = None,
    gold_dir: Annotated[Path | None, typer.Option("--gold_dir", "--gold-dir", help="The gold folder.")] = None,
    questions: Annotated[
        Path | None,
        typer.Option(
            "--questions",
            help="Questions with gold SQL, which is executed: a file of BIRD, Spider, defog, the IBM toolkit, or your "
            "own YAML, CSV or JSONL. Spider2's question file names the database of each instance.",
        ),
    ] = None,
    predictions: Annotated[
        Path | None,
        typer.Option(
            "--predictions",
            help="Predicted SQL: text with one query per line, BIRD's JSON, JSONL, CSV, or a folder of .sql files. "
            "[default: the field prediction of the questions]",
        ),
    ] = None,
    databases: Annotated[
        str,
        typer.Option(
            "--databases",
            help="Where the databases are: a folder, a file, a URL, or a pattern such as warehouse/{db}.duckdb.",
        ),
    ] = "",
    test_suite: Annotated[
        str, typer.Option("--test-suite", help="Spider's test suite: a folder of SQLite files for each database.")
    ] = "",
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
            help="Another submission folder. If it gives the same answer and gold rejects it, the gold is marked as "
            "suspect. Repeatable.",
        ),
    ] = None,
    counterexamples: Annotated[
        bool,
        typer.Option(
            "--counterexamples",
            help="Look for generated rows that refute passing answers to gold SQL (SQLite only); each is written to "
            "counterexamples/ID.sql.",
        ),
    ] = False,
    rves: Annotated[
        bool,
        typer.Option(
            "--rves",
            help="Run gold and each answer that matches it 100 times for bird_rves and fair_rves. "
            "[--option timing_runs=N for another number]",
        ),
    ] = False,
    transpile: Annotated[
        bool,
        typer.Option(
            "--transpile",
            help="Translate queries that fail because they were written for another kind of database, and say which.",
        ),
    ] = False,
    workers: WorkersOption = None,
    executor: ExecutorOption = None,
    settings: SettingsOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
) -> None:
    """Score a submission folder against gold answers: like the Spider2 suite's evaluate.py, and by stricter rules.

    karat answers --result_dir my-submission --gold_dir gold

    With --questions, gold is SQL, and it is executed as the predictions are:

    karat answers --questions dev.json --predictions predict.txt --databases database/

    Exit code 3 if lines or files could not be read, or if an answer could not be judged because its database is missing
    or its server does not respond.
    """
    from karat.cli.printing.consoles import print_problems, stderr
    from karat.cli.printing.outputs import Outputs
    from karat.cli.printing.results import nothing_scored
    from karat.suites.answers.spider2.questions import gold_beside, is_spider2_questions
    from karat.verbs.answers.submission import score_submission

    about = questions if questions is not None and is_spider2_questions(questions) else None
    if about is not None:  # its gold is result files; it says what is asked and on which database
        result_dir, gold_dir = result_dir or predictions, gold_dir or gold_beside(about)
        mode = "sql" if databases else mode
    elif questions is not None:
        from karat.cli.measure.text_to_sql import answers_in_sql

        refuse_both(result_dir, gold_dir)
        more = [*(settings or ()), *(["counterexamples=true"] if counterexamples else [])]
        more += ["transpile=auto"] if transpile else []
        more = [*(["timing_runs=100"] if rves else []), *more]
        answers_in_sql(questions, predictions, databases, test_suite, more, workers, Outputs(json, xlsx, html))
        return
    if result_dir is None or gold_dir is None:
        raise usage()
    scored = score_submission(
        result_dir,
        gold_dir,
        profile=profile,
        nulls=nulls,
        mode=mode,
        questions=about,
        databases=databases,
        others=others or (),
        settings=settings or (),
        workers=workers,
        executor=executor,
    )
    result = scored.result
    written = Outputs(json, xlsx, html).write(result)
    print_problems(result.problems, stderr())
    if json != "-":
        print_answers(result, (*result.run.headline, "spider2")[0], scored.unknown, written)
    failed = print_errors(result)
    if failed or nothing_scored(result) or any(problem.severity == "error" for problem in result.problems):
        raise typer.Exit(exit_codes.ERRORS)


def usage() -> UserError:
    """What to give."""
    from karat.core.problems import UserError

    hint = "For gold SQL: karat answers --questions dev.json --predictions predict.txt --databases database/"
    return UserError("--result_dir and --gold_dir must be given", hint=hint)


def refuse_both(*folders: Path | None) -> None:
    """Result files and gold SQL are two kinds of gold."""
    from karat.core.problems import UserError

    if any(folder is not None for folder in folders):
        raise UserError(
            "--questions cannot be combined with --result_dir and --gold_dir",
            hint="Gold SQL is scored with --questions, --predictions and --databases.",
        )


def print_errors(result: RunResult) -> bool:
    """What kept answers from being judged, most frequent first. Whether there is anything of the kind."""
    from karat.cli.printing.consoles import stderr
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
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import stdout
    from karat.suites.answers.presentation.highlights import highlights

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
        lines.append(f"  {profile:<14} {right:>8}    {rate(right, judged):<32}{rate(right, answered)}")
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


def rate(right: int, count: int) -> str:
    from karat.stats.intervals.estimates import wilson

    if not count:
        return "n/a"
    low, high = wilson(right / count, count)
    return f"{right / count:6.1%}  {100 * low:.1f} – {100 * high:.1f}"
