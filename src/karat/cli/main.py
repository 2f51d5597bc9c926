"""``karat``: the verbs, and what happens to a mistake.

What each exit code means is in :mod:`karat.cli.exits`.
"""

from __future__ import annotations

import errno
import gc
import sys

import typer

from karat.cli import exits
from karat.cli.cases.app import app as cases_app
from karat.cli.exits import crashes_told
from karat.cli.measure import answers, fill, models, run, score, sheet, tune
from karat.cli.options import verbosity
from karat.cli.options.bare_options import accept_bare_options
from karat.cli.options.one_command import only_the_command
from karat.cli.printing.fetching import fetch_progress
from karat.cli.printing.plugin_warnings import show_plugin_warnings
from karat.cli.setup import check, demo, doctor, env, explain, imports, init, schema, structures, watch
from karat.cli.stored_runs import comment, compare, export, gate, judge, report, runs, serve, show, store
from karat.core.problems import UserError
from karat.core.remote.room import display_with

OF_THE_MACHINE = frozenset(
    (
        errno.EACCES,
        errno.EPERM,
        errno.EROFS,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.ENOTDIR,
        errno.EISDIR,
        errno.ENAMETOOLONG,
    )
)
"""Errors of the file system itself. One that no other code has handled still gets a plain message; any other error is a
bug."""

COLLECT_AFTER = 20_000
"""New objects between two looks for cycles. Python's 700 would look hundreds of times while modules are loaded."""

app = typer.Typer(
    name="karat",
    help="Measure a data assistant: how good it is, why it fails, and whether your latest change made it better.",
    epilog="New to karat? karat demo runs the examples; karat init starts a project. Exit codes: 0 success, 1 a gate "
    "or check failed, "
    "2 usage error, 3 finished with errors, 70 a bug in karat, 130 interrupted.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def karat(
    version: bool = typer.Option(  # noqa: ARG001 (its callback prints and exits)
        False, "--version", help="Print the version and exit.", is_eager=True, callback=lambda v: _version(v)
    ),
    quiet: bool = typer.Option(False, "--quiet", "-q", help=verbosity.QUIET_HELP),
    verbose: bool = typer.Option(False, "--verbose", "-v", help=verbosity.VERBOSE_HELP),
) -> None:
    """Measure a data assistant: how good it is, why it fails, and whether your latest change made it better."""
    verbosity.begin(quiet, verbose)


def _version(wanted: bool) -> None:
    if wanted:
        import karat

        typer.echo(f"karat {karat.__version__}")
        raise typer.Exit


app.command("demo", short_help="Run the example projects.")(demo.demo)
app.command("init", short_help="Start a new project.")(init.init)
app.command("check", short_help="Find all mistakes in the case files.")(check.check)
app.add_typer(cases_app, name="cases")
app.command("schema", short_help="Print or write the JSON Schemas of Karat's files.")(schema.schema)
app.command("structures", short_help="List what SDMX structure files contain.")(structures.structures)
app.command("run", short_help="Run the cases against a system and score its answers.")(run.run)
app.command("score", short_help="Score recorded or stored answers without calling a system.")(score.score)
app.command("watch", short_help="Score again whenever a file changes.")(watch.watch)
app.command("fill", short_help="Make a test suite for a database from its gold SQL.")(fill.fill)
app.command("answers", short_help="Score a submission folder against gold answers.")(answers.answers)
app.command("tune", short_help="Choose the best n and model for each field of a sheet.")(tune.tune)
app.add_typer(sheet.app, name="sheet")
app.command("models", short_help="List the embedding models and what to install.")(models.models)
app.add_typer(runs.app, name="runs")
app.add_typer(store.app, name="store")
app.command("show", short_help="Show one case: expected, given, and how they differ.")(show.show)
app.command("compare", short_help="Compare stored runs case by case.")(compare.compare)
app.command("gate", short_help="Check a run against its gates; exit code 1 if one fails.")(gate.gate)
app.add_typer(judge.app, name="judge")
app.command("comment", short_help="Post the newest runs on a pull request, or update the comment.")(comment.comment)
app.command("report", short_help="Write the report of a stored run: Excel, HTML, JSON.")(report.report)
app.command("explain", short_help="Explain a metric or a failure reason.")(explain.explain)
app.command("import", short_help="Turn a spreadsheet or another tool's file into cases.")(imports.import_)
app.command("export", short_help="Write answers, scores and reviews of a run to files.")(export.export)
app.command("serve", short_help="Browse, compare and review runs in a browser.")(serve.serve)
app.command("doctor", short_help="Show what works on this machine and what to install.")(doctor.doctor)
app.add_typer(env.app, name="env")
accept_bare_options(app)  # after every verb is there


def main() -> None:
    """Run the verb that was asked for, and end with the exit code that says how it went."""
    with crashes_told():
        sys.exit(_run())


def _run() -> int:
    """Run the command; returns the exit code, which is 2 for a usage error."""
    show_plugin_warnings()
    display_with(fetch_progress)
    gc.set_threshold(COLLECT_AFTER)
    try:
        only_the_command(app, sys.argv[1:])()
    except UserError as error:
        _tell(error)
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            raise
        _tell(_of_the_machine(error))
    return exits.MISTAKE


def _of_the_machine(error: OSError) -> UserError:
    where = f"{error.filename}: " if error.filename else ""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    hint = (
        "Free some disk space, or choose another path."
        if full
        else "Check the path and its permissions, or choose another path."
    )
    return UserError(f"{where}{error.strerror}", hint=hint)


def _tell(error: UserError) -> None:
    from karat.cli.printing.consoles import print_problems, stderr

    console = stderr()
    print_problems(error.problems, console)
    console.print(f"karat: {error.message}", style="bold red", markup=False, highlight=False, soft_wrap=True)
    if error.hint:
        console.print(error.hint, markup=False, highlight=False, soft_wrap=True)
