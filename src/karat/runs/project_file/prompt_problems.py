"""Prompts in ``karat.yaml``: their mistakes, each at its line of the project file or of the prompt file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.problems import Problem, UserError
from karat.core.suite import Suite
from karat.core.system import PromptedConfig, SystemConfig
from karat.core.yaml.structs import Findings
from karat.systems.prompts.prompt import TEMPLATES, template_problems, template_text


def check_prompts(node: Node, config: SystemConfig, suites: Sequence[Suite], folder: Path, findings: Findings) -> None:
    """Check the templates of a system for every suite that asks it; for none when no suite does."""
    if not isinstance(config, PromptedConfig) or not isinstance(node, MappingNode):
        return
    for key, value in node.value:
        if key.value not in TEMPLATES or not isinstance(value, ScalarNode) or not value.value:
            continue
        found: list[Problem] = []
        for suite in suites:
            try:
                text, file = template_text(key.value, value.value, suite, folder)
                problems = template_problems(key.value, text, suite, file)
            except UserError as error:
                problems = list(error.problems) or [Problem(error.message, hint=error.hint)]
            found += [_placed(problem, value, findings.file) for problem in problems]
        findings.problems += dict.fromkeys(found)


def _placed(problem: Problem, node: ScalarNode, file: str) -> Problem:
    """A problem of a text that is in the project file, at its line there."""
    if problem.file:
        return problem
    first = node.start_mark.line + 1
    # The text of a block begins below its "|"; ">" folds lines, so only the place of the whole is known.
    line = (
        first + problem.line if node.style == "|" else first + max(problem.line - 1, 0) if node.style != ">" else first
    )
    return msgspec.structs.replace(problem, file=file, line=line if problem.line else first)
