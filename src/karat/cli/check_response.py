"""``karat check --response``: what Karat understands from one response of an assistant."""

from __future__ import annotations

import sys
from pathlib import Path

from karat.cli.printing import stdout, write_json_value
from karat.cli.project import overruled, project_here
from karat.core import plugins
from karat.core.problems import UserError, did_you_mean
from karat.core.replies import read_reply
from karat.core.suite import Suite, SuiteOptions, Unreadable

SHOWN = 4_000
"""Characters of one value that are printed; --json has them all."""


def check_response(
    response: str, suite: str | None, config: Path | None, settings: list[str] | None, json: str | None
) -> None:
    """Print what the suite reads from a response; UserError (exit code 2) when it reads nothing."""
    chosen, options = _suite(suite, config, settings)
    if chosen.understand is None:
        raise UserError(f"the suite {chosen.name} does not support --response")
    body = _read(response)
    try:
        form = read_reply(body).form
        found = chosen.understand(body, options)
    except Unreadable as error:
        hint = "docs/responses.md lists the forms that are supported."
        raise UserError(f"{chosen.name} cannot read this response: {error}", hint=hint) from error
    if json is not None:
        write_json_value({"suite": chosen.name, "form": form, "understood": found}, json)
    if json != "-":
        _print(chosen.name, form, found)


def _print(suite: str, form: str, found: object) -> None:
    import msgspec

    console = stdout()
    console.print(f"{suite} reads this as {form}:", style="bold", markup=False)
    values = found.items() if isinstance(found, dict) else ()
    for name, value in values:
        text = value if isinstance(value, str) else msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
        shown = text if len(text) <= SHOWN else f"{text[:SHOWN]}… and {len(text) - SHOWN:,} more characters, see --json"
        console.print(f"{name}:", style="bold", markup=False)
        console.print(shown, markup=False, highlight=False)


def _read(response: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if response == "-" else Path(response).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the response at {response}: {error.strerror}") from error


def _suite(name: str | None, config: Path | None, settings: list[str] | None) -> tuple[Suite, SuiteOptions]:
    """The suite that was named, or the only one of the project; its options of the project file where it stands there."""
    project = project_here(config)
    entries = project.suites if project else ()
    names = list(dict.fromkeys(entry.suite for entry, _ in entries))
    if name is None and len(names) == 1:
        name = names[0]
    if name is None:
        known = plugins.names("karat.suites")
        raise UserError("--response needs --suite", hint=f"One of {', '.join(known)}.")
    if name not in plugins.names("karat.suites"):
        raise UserError(f'there is no suite "{name}"', hint=did_you_mean(name, plugins.names("karat.suites")))
    suite = plugins.load_suite(name)
    options = next((given for entry, given in entries if entry.suite == name), None) or suite.options()
    return suite, overruled(suite, options, settings)
