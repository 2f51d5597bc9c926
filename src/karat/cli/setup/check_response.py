"""``karat check --response``: what Karat understands from one response of an assistant."""

from __future__ import annotations

import sys
from pathlib import Path

from karat.cli.printing.consoles import stdout
from karat.cli.printing.outputs import write_json_value
from karat.core.problems import UserError
from karat.core.remote.paths import local_path
from karat.verbs import check_response as verb

SHOWN = 4_000
"""Characters of one value that are printed; --json has them all."""


def check_response(
    response: str, suite: str | None, config: Path | None, settings: list[str] | None, json: str | None
) -> None:
    """Print what the suite reads from a response; UserError (exit code 2) when it reads nothing."""
    found = verb.check_response(_read(response), suite, config=config, settings=settings or ())
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        _print(found.suite, found.form, found.understood)


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
        return sys.stdin.buffer.read() if response == "-" else local_path(response).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the response at {response}: {error.strerror}") from error
