"""What a suite tells a model that has no prompt of its own: a default prompt, hints for templates, the form of an
answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any  # Any: the options of a suite, which reads its own class of them

from karat.core.json_types import Json, JsonMapping
from karat.core.records import AnyCase


@dataclass(frozen=True)
class Hint:
    """A variable of prompt templates that only the suite can fill.

    >>> import karat
    >>> hint = karat.Hint("the tags of the case", lambda case, options: list(case.tags))
    >>> hint.of(karat.Case("ships", (), tags=("count",)), None)
    ['count']
    """

    summary: str
    of: Callable[[AnyCase, Any], Json]
    """(case, options) → plain JSON values of a bounded size. It must not give away the expected answer. May raise
    UserError."""


@dataclass(frozen=True)
class Prompting:
    """The default prompt of a suite, and what templates can use.

    >>> import karat
    >>> tags = karat.Hint("the tags of the case", lambda case, options: list(case.tags))
    >>> karat.Prompting(default="{{ question }} ({{ tags }})", hints={"tags": tags}).default
    '{{ question }} ({{ tags }})'
    """

    default: str = "{{ question }}\n"
    """The template that ``prompt: default`` stands for."""
    hints: Mapping[str, Hint] = field(default_factory=dict)
    """Variable name → hint."""
    answer_schema: Callable[[Sequence[AnyCase], Any], JsonMapping] | None = None
    """(cases, options) → the JSON schema of an answer to each of the cases that the suite reads, for ``response_format:
    suite``."""
    own_system_message: bool = False
    """The system messages of the cases are written by the suite, not by the author of the case: a ``system_prompt``
    takes their place."""
