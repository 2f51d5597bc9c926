"""How well the code is written, whatever its result.

    quality = 1 − the points lost, at least 0

Points are lost, each with its line and reason:

- 0.05 for each finding of ruff (rules E7, F, B, PD, C4, SIM, PERF, NPY), at most 0.3
- for anti-patterns, at most 0.6: 0.2 for a loop over rows, 0.2 for a frame that grows in a loop, 0.15 for
  ``apply(axis=1)``, 0.15 for a filter inside a loop over keys, 0.15 for a chained assignment, 0.1 for a repeated scan,
  0.05 for ``inplace=True``
- 0.02 for each path through a function above ten (McCabe), at most 0.2
- 0.05 for each line of dead code, at most 0.2; lines that draw are not dead if the question asks for a plot
- 0.05 for each name that is set and never used, at most 0.1

Edge cases: code that cannot be parsed, or has no statement, has 0. If ruff is not installed, its points cannot be lost,
and ``checked`` says so. Lines beyond the limit of a reason are listed with 0 points. Comments (also ``# noqa``) and
strings change nothing.

By hand: ``for _, row in df.iterrows(): total += row["x"]`` loses 0.2 for the loop: 0.8. With ``for i, row``, ruff also
finds that ``i`` is not used: 0.75.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from karat.core.metric import Metric
from karat.core.scores import Score, not_applicable
from karat.suites.codegen.analysis.drawing import drawing_lines
from karat.suites.codegen.analysis.key_loops import key_loop_filters
from karat.suites.codegen.analysis.linting import lint
from karat.suites.codegen.analysis.quality_rules import Loss, anti_patterns, complexity
from karat.suites.codegen.analysis.records import CodeFacts

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison

LINT = 0.05
DEAD = 0.05
UNUSED = 0.05
BOUNDS = {"lint": 0.3, "pattern": 0.6, "complexity": 0.2, "dead": 0.2, "unused": 0.1}


class Quality(msgspec.Struct, frozen=True):
    """The score, and every point that was lost. ``checked`` names what was looked at; without ruff it is not among
    them."""

    score: float | None
    """0 to 1; None if there are no rules for the answer's language."""
    lost: tuple[Loss, ...] = ()
    """Each rule that cost points."""
    checked: tuple[str, ...] = tuple(BOUNDS)
    """What was checked. Without ruff installed, its rules are not among them."""
    reason: str = ""
    """Why there is no score."""


NO_QUALITY = Quality(None, checked=(), reason="quality is not defined for SQL")


def quality_of(code: str, facts: CodeFacts | None = None, *, draws: bool = False) -> Quality:
    """Never raises, whatever the text. ``facts`` say which lines are dead; ``draws``: a picture is asked for, so lines
    that draw are not."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
        if not tree.body:
            return Quality(0.0, reason="there is no code")
        groups = {"pattern": [*anti_patterns(tree), *key_loop_filters(tree)], "complexity": complexity(tree)}
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None) or 1
        return Quality(
            0.0, (Loss(line, f"cannot be parsed: {_short(error)}", 1.0, "syntax"),), reason="cannot be parsed"
        )
    except (RecursionError, MemoryError):
        return Quality(0.0, (Loss(1, "nested too deeply to be read", 1.0, "syntax"),), reason="cannot be parsed")
    groups |= _facts_say(facts, drawing_lines(tree) if draws else frozenset())
    said = lint(code)
    if said is not None:
        groups["lint"] = [Loss(one.line, f"{one.code}: {one.message}", LINT, one.code) for one in said]
    lost = [loss for name, losses in groups.items() for loss in _bounded(losses, BOUNDS[name])]
    score = max(0.0, 1.0 - sum(loss.points for loss in lost))
    lost.sort(key=lambda loss: (loss.line, loss.rule))
    return Quality(
        round(score, 6),
        tuple(lost),
        tuple(name for name in BOUNDS if name in groups),
        "" if said is not None else "ruff is not installed (extra [codegen]); its rules were left out",
    )


def _facts_say(facts: CodeFacts | None, drawn: frozenset[int]) -> dict[str, list[Loss]]:
    if facts is None or facts.syntax_error:
        return {}
    dead = [Loss(line, "does not reach the result", DEAD, "dead") for line in facts.dead_lines if line not in drawn]
    unused = [
        Loss(line, f"`{name}` is set and never used", UNUSED, "unused")
        for name, line in facts.unused_names
        if line not in facts.dead_lines and line not in drawn
    ]
    return {"dead": dead, "unused": unused}


def _bounded(losses: Sequence[Loss], most: float) -> list[Loss]:
    """The losses of one kind, with no more points than the bound."""
    left = most
    found = []
    for loss in losses:
        points = round(min(loss.points, left), 6)
        left -= points
        found.append(msgspec.structs.replace(loss, points=points))
    return found


def _short(error: Exception) -> str:
    return (error.msg if isinstance(error, SyntaxError) else str(error))[:200]


def score(comparison: Comparison) -> Score:
    found = comparison.quality
    return not_applicable(found.reason) if found.score is None else Score(found.score, "scored", found.reason)


metric = Metric(
    "quality", "quality", "1 − points lost to ruff, anti-patterns, complexity, dead code and unused names", score
)
