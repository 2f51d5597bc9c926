"""What a judge says of the same cases in two runs, for ``karat compare``: a list of changed verdicts, without a claim.

Only verdicts of one version are comparable. Where each run was judged by another version, there is a warning and no
figure.
"""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

from karat.core.results.judged import JudgeChange, JudgeChanges
from karat.judge.sample import judged_cases
from karat.store.verdicts.judgements import JudgeRecords

if TYPE_CHECKING:
    from karat.store.store import Store

_WORDS = {1.0: "right", 0.0: "wrong"}


def judge_changes(
    store: Store, a: int, b: int, within: Container[str] | None = None
) -> tuple[JudgeChanges | None, str]:
    """(the changed verdicts, a warning): at most one of the two; neither where a run was not judged. ``within``: the
    cases that count; None: all."""
    records = JudgeRecords(store)
    first, second = records.versions_of_run(a), records.versions_of_run(b)
    if not first or not second:
        return None, ""
    version = next((one for one in second if one in first), "")
    if not version:
        return None, (
            f"The runs were judged by different versions: A {first[0]}, B {second[0]}. Their verdicts are not "
            "compared; karat judge compare holds two versions against each other on the same answers."
        )
    before, after = (_said(records, run_id, version, within) for run_id in (a, b))
    both = [case for case in before if case in after]
    changed = tuple(JudgeChange(case, before[case], after[case]) for case in both if before[case] != after[case])
    return JudgeChanges(version, len(both), changed), ""


def _said(records: JudgeRecords, run_id: int, version: str, within: Container[str] | None) -> dict[str, str]:
    found = judged_cases(records.of_run(run_id, version), {})
    return {case.id: _WORDS.get(case.value, "cannot_tell") for case in found if within is None or case.id in within}
