"""Options whose value may be left out: ``--json`` alone prints, as ``--json -`` does.

Typer knows options with a value and options without one, nothing between. So the words of a command line are spelled
out before Typer reads them. Which options these are is said where they are declared, and in the help: their metavar
is in brackets, ``[OUT]``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any  # Any: commands and parameters are classes of Click or of Typer, by its version

import typer
from typer.core import TyperCommand

from karat.cli.options import verbosity

if TYPE_CHECKING:
    from typing import NoReturn

PRINTED = "-"
"""The value of an option that is given without one."""
_RUN = re.compile(r"latest|(r-)?\d+")


class Verb(TyperCommand):
    """A command whose options with a metavar in brackets need no value; it also takes ``--quiet`` and
    ``--verbose``."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        for param in self.params:
            _name_value(param)
        self.params = [*self.params, *verbosity.options()]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        options = [param for param in self.params if param.param_type_name == "option"]
        bare = {name for param in options if (param.metavar or "").startswith("[") for name in param.opts}
        valued = {name for param in options if not _is_flag(param) for name in param.opts}
        words, taken = spell_out(args, bare, valued - bare)
        if not ctx.resilient_parsing and any(param.name in ("run", "runs") for param in self.params):
            _no_run_as_file(taken)
        try:
            return super().parse_args(ctx, words)
        except typer.BadParameter as error:
            _hint_at(error, taken)


def _name_value(param: Any) -> None:
    """What the help calls the value of a parameter: PATH, N, NAME, or its choices; never the name of a Python type."""
    if param.param_type_name == "argument":
        param.metavar = param.metavar or str(param.name).upper()
        param.display_type_rich = lambda ctx: ""  # noqa: ARG005 (the caller's signature)
        return
    kind = str(getattr(getattr(param, "type_descriptor", None), "annotation", "")).lower()
    if param.metavar is None and not _is_flag(param) and "literal" not in kind:
        by_type = next((word for part, word in VALUES.items() if part in kind), "NAME")
        param.metavar = NAMED.get(str(param.name), by_type)


VALUES = {"path": "PATH", "int": "N", "float": "NUMBER"}
"""Words for the values of options, by a part of the name of their type."""
NAMED = {"store": "URL", "base_url": "URL", "response": "PATH", "host": "ADDRESS"}
"""Words for the values of texts that are no names, by the option."""


def accept_bare_options(app: typer.Typer) -> None:
    """Make every command of an app, and of the apps inside it, a :class:`Verb`."""
    for command in app.registered_commands:
        command.cls = Verb
    for group in app.registered_groups:
        if group.typer_instance is not None:
            accept_bare_options(group.typer_instance)


def spell_out(
    words: Sequence[str], bare: Collection[str], valued: Collection[str]
) -> tuple[list[str], list[tuple[str, str]]]:
    """The words with a ``-`` after each option of ``bare`` without a value, and the (option, value) of those that do
    not.

    An option has no value at the end and before another option. ``valued`` are the other options that take a value: the
    word after one of them is its value, whatever it looks like.
    """
    found: list[str] = []
    taken: list[tuple[str, str]] = []
    place = 0
    while place < len(words):
        word = words[place]
        after = words[place + 1] if place + 1 < len(words) else None
        place += 1
        found.append(word)
        if word == "--":
            return [*found, *words[place:]], taken
        if word in bare:
            alone = after is None or (after.startswith("-") and after != PRINTED)
            found.append(PRINTED if alone else str(after))
            taken += [] if alone else [(word, str(after))]
            place += not alone
        elif _waits_for_value(word, valued) and after is not None:
            found.append(after)
            place += 1
    return found, taken


def _waits_for_value(word: str, valued: Collection[str]) -> bool:
    """Whether the value of this word is the next one: ``--tag``, ``-t``, ``-yt``; not ``--tag=x``, ``-tx``."""
    if word.startswith("--") or not word.startswith("-"):
        return word in valued
    takes = [number for number, letter in enumerate(word[1:], 2) if f"-{letter}" in valued]
    return bool(takes) and takes[0] == len(word)


def _is_flag(param: object) -> bool:
    return bool(getattr(param, "is_flag", False) or getattr(param, "count", False))


def _no_run_as_file(taken: Sequence[tuple[str, str]]) -> None:
    """``karat report --json latest`` means the run, and would write a file of that name."""
    from karat.core.problems import UserError

    for option, value in taken:
        if _RUN.fullmatch(value):
            raise UserError(
                f"{option} {value} would write a file named {value}",
                hint=f"To print, put the run first: {value} {option}. To write that file: {option}={value}",
            )


def _hint_at(error: typer.BadParameter, taken: Sequence[tuple[str, str]]) -> NoReturn:
    """A missing argument may have been taken for the value of an option before it."""
    missing = hasattr(error, "param_type") and getattr(error.param, "param_type_name", "") == "argument"
    if missing and taken:
        option, value = taken[-1]
        error.message = (
            f'"{value}" was used as the file name of {option}. To print instead, write {option} - or put {option} last.'
        )
    raise error
