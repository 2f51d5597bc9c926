"""``--quiet`` and ``--verbose``: options of every verb, before or after its name.

Quiet prints the final figures and errors, nothing else. Verbose adds every case that is not right, every problem, and
how long each step took.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import Literal

import typer
import typer.main
from typer.core import TyperOption

Level = Literal["quiet", "normal", "verbose"]

QUIET_HELP = "Print only the final figures and errors."
VERBOSE_HELP = "Also print every case that is not right, every problem, and how long each step took."

_level: Level = "normal"


def quiet() -> bool:
    """Whether only final figures and errors are wanted."""
    return _level == "quiet"


def verbose() -> bool:
    """Whether more than usual is wanted."""
    return _level == "verbose"


def begin(is_quiet: bool, is_verbose: bool) -> None:
    """What was said before the verb: ``karat --quiet run``."""
    global _level
    _level = "normal"
    choose("quiet", is_quiet)
    choose("verbose", is_verbose)


def choose(level: Level, on: bool) -> None:
    """Take a level where it is asked for; the two do not go together."""
    global _level
    if not on:
        return
    if _level not in ("normal", level):
        raise typer.BadParameter("--quiet and --verbose cannot be combined.")
    _level = level
    if level == "verbose":
        _log_steps()


def _log_steps() -> None:
    """Print what verbs log about their steps."""
    logger = logging.getLogger("karat.steps")
    logger.setLevel(logging.INFO)
    if not any(isinstance(handler, Steps) for handler in logger.handlers):
        logger.addHandler(Steps())
        logger.propagate = False


class Steps(logging.Handler):
    """Prints to standard error, where ``--verbose`` is on."""

    def emit(self, record: logging.LogRecord) -> None:
        """One line for each step."""
        if verbose():
            from karat.cli.printing.consoles import stderr

            stderr().print(record.getMessage(), style="dim")


@cache
def options() -> list[TyperOption]:
    """The two options, for any command."""
    only = typer.Typer(add_completion=False)
    only.command()(_both)
    params = typer.main.get_command(only).params
    return [one for one in params if isinstance(one, TyperOption) and one.name in ("quiet", "verbose")]


def _both(
    quiet: bool = typer.Option(
        False, "--quiet", "-q", help=QUIET_HELP, expose_value=False, callback=lambda on: choose("quiet", on)
    ),
    verbose: bool = typer.Option(
        False, "--verbose", "-v", help=VERBOSE_HELP, expose_value=False, callback=lambda on: choose("verbose", on)
    ),
) -> None:
    """Only its options are used."""
