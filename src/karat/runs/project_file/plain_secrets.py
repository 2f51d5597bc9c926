"""Settings of a run are stored, so that it can be resumed, and shown on reports: a secret in plain text must not be
among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec
from yaml.nodes import MappingNode, Node, SequenceNode

from karat.core.problems import Problem, UserError
from karat.core.secrets.settings import Place
from karat.core.system import PLAIN_TEXT_HINT, SystemConfig


def refuse_secrets(settings: msgspec.Struct, what: str) -> None:
    """Raise for a secret that is in plain text among the settings of a system or the options of a suite."""
    if found := _found(settings):
        message = (
            f"the setting {_shown(found[0])} of {what} contains a secret in plain text, which would be stored "
            "with the run"
        )
        raise UserError(message, hint=hint_for(settings))


def refuse_written_out(settings: msgspec.Struct, what: str) -> None:
    """Raise where the value of a secret variable is in the settings, the texts of prompts included."""
    if name := _variable_written_out(settings):
        message = (
            f"a setting of {what} contains the value of the environment variable {name}, "
            "which would be stored with the run"
        )
        raise UserError(
            message,
            hint="Take it out of the prompt, the file or the setting, and make a new key: this one may have been "
            "stored before.",
        )


def _variable_written_out(settings: msgspec.Struct) -> str:
    """The name of that variable; empty when there is none. One that holds a path is no key."""
    from karat.systems.redaction import secret_variables

    texts = list(_texts(msgspec.to_builtins(settings, enc_hook=str)))
    keys = {name: value for name, value in secret_variables().items() if not value.startswith("/")}
    return next((name for name, value in keys.items() if any(value in text for text in texts)), "")


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for pair in value.items():
            yield from _texts(list(pair))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def secret_problems(settings: msgspec.Struct, node: Node, file: str) -> Iterable[Problem]:
    """The same as findings in a file. The line is named, but not shown: the secret is in it."""
    for path in _found(settings):
        mark = _node_at(node, path).start_mark
        message = f"{_shown(path)} contains a secret in plain text"
        line, column = mark.line + 1, mark.column + 1
        yield Problem(message, file=file, line=line, column=column, hint=hint_for(settings), shown=False)


def hint_for(settings: msgspec.Struct) -> str:
    """What to do instead."""
    return settings.secret_hint if isinstance(settings, SystemConfig) else PLAIN_TEXT_HINT


def _found(settings: msgspec.Struct) -> list[Place]:
    from karat.systems.redaction import settings_with_secrets

    return settings_with_secrets(settings)


def _shown(path: Place) -> str:
    return ".".join(map(str, path)) or "itself"


def _node_at(node: Node, path: Place) -> Node:
    """The node of a setting, or the nearest one above it."""
    for step in path:
        parts: dict[str | int, Node] = {}
        if isinstance(node, MappingNode):
            parts = {str(key.value): value for key, value in node.value}
        elif isinstance(node, SequenceNode):
            parts = dict(enumerate(node.value))
        if step not in parts:
            break
        node = parts[step]
    return node
