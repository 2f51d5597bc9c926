"""Which cases are variants of one, and so count as one when intervals are made."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.results.result import CaseResult


def clusters_of(cases: Sequence[CaseResult]) -> list[str] | None:
    """The cluster of each case. A case without is its own. None: no case has one."""
    return cluster_names([case.cluster for case in cases], [case.id for case in cases])


def cluster_names(named: Sequence[str], ids: Sequence[str]) -> list[str] | None:
    """The same from the names alone, empty where a case has none."""
    if not any(named):
        return None
    # Two prefixes, so that a case's id is never taken for a cluster's name.
    return [f"cluster {name}" if name else f"case {own}" for name, own in zip(named, ids, strict=True)]
