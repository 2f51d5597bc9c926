"""``karat``: the program, and what happens to a mistake. Its commands are in :mod:`karat.cli.commands`.

What each exit code means is in :mod:`karat.cli.exit_codes`.
"""

from __future__ import annotations

import errno
import gc
import sys

import typer

from karat.cli import exit_codes
from karat.cli.commands import Karat
from karat.cli.exit_codes import reporting_crashes
from karat.cli.options import verbosity
from karat.cli.printing.fetching import fetch_progress
from karat.cli.printing.plugin_warnings import show_plugin_warnings
from karat.core.installed.extras import why_missing
from karat.core.problems import UserError
from karat.core.remote.fetch_limits import display_with

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
        errno.EIO,
        errno.ESTALE,
        errno.ENOTCONN,
        errno.ETIMEDOUT,
        errno.ENXIO,
    )
)
"""Errors of the file system itself. One that no other code has handled still gets a plain message; any other error is a
bug."""

COLLECT_AFTER = 20_000
"""New objects between two looks for cycles. Python's 700 would look hundreds of times while modules are loaded."""

app = typer.Typer(
    name="karat",
    cls=Karat,
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


def main() -> None:
    """Run the verb that was asked for, and end with the exit code that says how it went."""
    with reporting_crashes():
        sys.exit(_run())


def _run() -> int:
    """Run the command; returns the exit code, which is 2 for a usage error."""
    show_plugin_warnings()
    display_with(fetch_progress)
    gc.set_threshold(COLLECT_AFTER)
    try:
        app()
    except UserError as error:
        _tell(error)
    except ModuleNotFoundError as error:  # an extra that nobody asked for before it was needed
        said = why_missing(error)
        if said is None:
            raise
        _tell(UserError(said))
    except OSError as error:
        if error.errno not in OF_THE_MACHINE:
            raise
        _tell(_of_the_machine(error))
    return exit_codes.MISTAKE


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
