"""Verdicts of gates as annotations of GitHub Actions: lines that the runner shows on the pull request.

Nothing in a text can end its annotation or begin another: line breaks and per cent signs are written as ``%0A`` and
``%25``, and the runner's older sign ``##[``, which it takes anywhere in a line, is split.
"""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.report import visible
from karat.stats.gates.verdicts import Verdict


def github_annotations(verdicts: Sequence[Verdict]) -> list[str]:
    """One line a rule: an error for a broken one, a notice for one that holds."""
    return [
        f"::{'notice' if verdict.passed else 'error'} "
        f"title={_property('karat gate: ' + verdict.rule)}::{_data(verdict.words)}"
        for verdict in verdicts
    ]


def harmless(text: str) -> str:
    """A text in which the runner sees no command of its older kind."""
    return visible(text).replace("##[", "## [")


def _data(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
