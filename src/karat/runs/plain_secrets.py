"""Settings of a run are stored, so that it can be resumed, and shown on reports: a secret in plain text must not be
among them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from yaml.nodes import MappingNode, Node, SequenceNode

from karat.core.problems import Problem, UserError
from karat.core.secrets.settings import Place
from karat.core.system import PLAIN_TEXT_HINT, SystemConfig


def refuse_secrets(settings: msgspec.Struct, what: str) -> None:
    """Raise for a secret that stands in plain text among the settings of a system or the options of a suite."""
    if found := _found(settings):
        message = (
            f"the setting {_shown(found[0])} of {what} contains a secret in plain text, which would be stored "
            "with the run"
        )
        raise UserError(message, hint=hint_for(settings))


def secret_problems(settings: msgspec.Struct, node: Node, file: str) -> Iterable[Problem]:
    """The same as findings in a file. The line is named, but not shown: the secret stands in it."""
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
