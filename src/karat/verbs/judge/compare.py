"""``karat judge compare``: two versions of a judge on the same answers."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.core.results.result import Estimate
from karat.judge.sample import JudgedCase
from karat.stats.agreement import agreement, confusion
from karat.stats.compare.significance.mcnemar import coin_p
from karat.store.verdicts.judgements import JudgeRecords
from karat.verbs.inputs.projects import open_store_here
from karat.verbs.judge.pools import pool_of, version_named


class Changed(msgspec.Struct, frozen=True):
    """A case on which two versions differ."""

    run: int
    case: str
    first: float
    second: float
    people: float | None


class ComparedJudges(msgspec.Struct, frozen=True):
    """Two versions on the answers that both have judged."""

    first: str
    second: str
    cases: int
    to_right: int
    """Not right by the first, right by the second."""
    to_wrong: int
    p: float
    """McNemar's exact test: whether changes go one way more than chance would have it."""
    first_agreement: Estimate
    """With people, on the answers that people reviewed."""
    second_agreement: Estimate
    changed: tuple[Changed, ...]


def compare_judges(
    first: str, second: str, *, store: str | Path = "", config: str | Path | None = None
) -> ComparedJudges:
    """Hold two versions of a judge against each other, and against people where there are reviews."""
    with open_store_here(store, config) as kept:
        records = JudgeRecords(kept)
        for version in (first, second):
            version_named(records, version)
        runs = sorted(set(records.runs_of_version(first)) & set(records.runs_of_version(second)))
        pairs: list[tuple[int, JudgedCase, JudgedCase, float | None]] = []
        for run_id in runs:
            one, other = (pool_of(kept, run_id, version) for version in (first, second))
            people = {case.id: value for case, value in one.sample.reviewed}
            later = {case.id: case for case in other.cases}
            pairs += [(run_id, a, later[a.id], people.get(a.id)) for a in one.cases if a.id in later]
        if not pairs:
            raise UserError(
                f"{first} and {second} have judged no answer in common",
                hint="karat judge RUN with the other settings asks about the same answers.",
            )
        to_right = sum(a.value < 1 and b.value == 1 for _, a, b, _ in pairs)
        to_wrong = sum(a.value == 1 and b.value < 1 for _, a, b, _ in pairs)
        reviewed = [(a, b, value == 1) for _, a, b, value in pairs if value is not None]
        return ComparedJudges(
            first,
            second,
            len(pairs),
            to_right,
            to_wrong,
            coin_p(to_right, to_right + to_wrong),
            agreement(confusion((a.value == 1, people) for a, _, people in reviewed)),
            agreement(confusion((b.value == 1, people) for _, b, people in reviewed)),
            tuple(Changed(run, a.id, a.value, b.value, people) for run, a, b, people in pairs if a.value != b.value),
        )
