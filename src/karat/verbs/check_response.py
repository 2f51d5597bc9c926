"""``karat check --response``: what Karat understands from one response of an assistant."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError, did_you_mean
from karat.core.replies import read_reply
from karat.core.suite import Suite, SuiteOptions, Unreadable
from karat.verbs.inputs.projects import project_here
from karat.verbs.inputs.work import overruled


class Understood(msgspec.Struct, frozen=True):
    """The suite, the form of the response, and what the suite reads from it."""

    suite: str
    form: str
    understood: JsonMapping


def check_response(
    body: bytes, suite: str | None = None, *, config: Path | None = None, settings: Sequence[str] = ()
) -> Understood:
    """What the suite reads from a response; UserError when it reads nothing."""
    chosen, options = _suite(suite, config, settings)
    if chosen.understand is None:
        raise UserError(f"the suite {chosen.name} does not support --response")
    try:
        form = read_reply(body).form
        return Understood(chosen.name, form, chosen.understand(body, options))
    except Unreadable as error:
        hint = "docs/responses.md lists the forms that are supported."
        raise UserError(f"{chosen.name} cannot read this response: {error}", hint=hint) from error


def _suite(name: str | None, config: Path | None, settings: Sequence[str]) -> tuple[Suite, SuiteOptions]:
    """The suite that was named, or the only one of the project; its options of the project file where it is
    there."""
    project = project_here(config)
    entries = project.suites if project else ()
    names = list(dict.fromkeys(entry.suite for entry, _ in entries))
    if name is None and len(names) == 1:
        name = names[0]
    if name is None:
        known = plugins.names(plugins.SUITES)
        raise UserError("--response needs --suite", hint=f"One of {', '.join(known)}.")
    if name not in plugins.names(plugins.SUITES):
        raise UserError(f'there is no suite "{name}"', hint=did_you_mean(name, plugins.names(plugins.SUITES)))
    suite = plugins.load_suite(name)
    options = next((given for entry, given in entries if entry.suite == name), None) or suite.options()
    return suite, overruled(suite, options, settings)
