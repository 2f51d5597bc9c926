"""One option for each field: what a combination is worth, in whole numbers, step by step of the objective.

A question passes when the truths that the options of all fields find for it, taken together, are as many as it needs.
Questions that need as much, and for which every option finds as much, are one group; questions that no combination
passes are left out of the groups.

Where each question either needs all its truths or has them in one field only, the fields can be looked at one by one:
a question passes when every field lets it pass. ``allowed`` then says so, and a search is far quicker.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import lcm
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from karat.search.choose.limits import needed
from karat.search.choose.options import FieldOptions
from karat.search.records import Integers

Step = Literal["passed", "recall", "tokens", "rest"]
"""``rest``: smaller n, then the cheaper model, then the one given first."""
NAMES: dict[Step, str] = {
    "passed": "questions passed",
    "recall": "mean recall",
    "tokens": "tokens",
    "rest": "smaller n and cheaper models",
}
RECALL_PARTS = 1_000_000
"""Recall is counted in parts of a question: a common denominator, or millionths where that is greater. Then differences
below a millionth of one question's recall count as equal."""


@dataclass(frozen=True)
class Program:
    """The figures of every option, and of every group of questions."""

    fields: tuple[FieldOptions, ...]
    starts: Integers
    """The place of each field's first option; one more at the end for their number."""
    recall: Integers
    """[option]: what it adds to the sum of recalls over questions and fields, in ``parts``."""
    parts: int
    tokens: Integers
    rest: Integers
    weights: Integers
    """[group]: its questions."""
    found: tuple[Integers, ...]
    """For each field [option, group]: the truths found for a question of the group."""
    need: Integers
    """[group]: the truths that must be found for a question of the group to pass."""
    allowed: tuple[NDArray[np.bool_], ...] | None
    """For each field [option, group]: whether the field lets the group's questions pass; None where fields can only be
    looked at together."""
    pairs: int
    """Questions times fields, of the questions that have a truth: what ``recall`` is to be divided by, with
    ``parts``."""


@dataclass(frozen=True)
class Solved:
    """A combination (the place of the taken option in each field), and how far it is proven to be the best."""

    taken: tuple[int, ...] | None
    """None: there is no such combination, or (when that is not proven) none was found in time."""
    proven: bool
    gap: float = 0.0
    """By how much the best could be better, in the unit of the first step that is not proven."""
    gap_in: str = ""


def program_of(fields: Sequence[FieldOptions], passes: str = "all") -> Program:
    """The figures of the program for these fields."""
    expected = np.stack([field.expected for field in fields])
    common = lcm(*(int(number) for number in np.unique(expected[expected > 0])))
    parts = min(common, RECALL_PARTS)
    options = [option for field in fields for option in field.options]
    recall = []
    for field, number in zip(fields, expected, strict=True):
        used = number > 0
        if common <= RECALL_PARTS:
            recall.append(field.found[:, used] @ (common // number[used]))
        else:
            recall.append(np.rint(field.found[:, used] @ (parts / number[used])).astype(np.int64))
    models = 2 + max(option.model for option in options)
    dearest = 1 + len(fields) * models  # more than all dearnesses, or all places, of a combination together
    asked = np.asarray((expected > 0).any(axis=0))
    starts = np.cumsum([0, *(len(field.options) for field in fields)])
    groups, weights = _groups(fields, expected[:, asked], asked, passes)
    found = tuple(groups[1 + starts[i] : 1 + starts[i + 1]] for i in range(len(fields)))
    can_pass = np.sum([part.max(axis=0) for part in found], axis=0) >= groups[0]
    found, need = tuple(part[:, can_pass] for part in found), groups[0][can_pass]
    return Program(
        fields=tuple(fields),
        starts=starts,
        recall=np.concatenate(recall).astype(np.int64),
        parts=parts,
        tokens=np.array([option.tokens for option in options]),
        rest=np.array([(option.n * dearest + option.dearness) * dearest + option.model + 1 for option in options]),
        weights=weights[can_pass].astype(np.int64),
        found=found,
        need=need,
        allowed=_one_by_one(found, need),
        pairs=int(asked.sum()) * len(fields),
    )


def _groups(
    fields: Sequence[FieldOptions], expected: Integers, asked: NDArray[np.bool_], passes: str
) -> tuple[Integers, Integers]:
    """(what is needed, above what each option finds, as columns without repetition; how many questions each stands
    for)."""
    need = needed(expected.sum(axis=0), passes)
    columns = np.concatenate([need[None, :], *(field.found[:, asked] for field in fields)])
    if not columns.shape[1]:
        return columns, np.empty(0, np.int64)
    return np.unique(columns, axis=1, return_counts=True)


def _one_by_one(found: tuple[Integers, ...], need: Integers) -> tuple[NDArray[np.bool_], ...] | None:
    """Whether each field lets each group pass, if that can be said of each field alone."""
    most = np.stack([part.max(axis=0) for part in found])
    alone = (most > 0).sum(axis=0) <= 1  # only one field finds anything: it must find all that is needed
    if not (alone | (most.sum(axis=0) == need)).all():  # or all that can be found is needed, in every field
        return None
    own = np.where(alone & (most > 0), need, np.minimum(most, need))
    return tuple(part >= least for part, least in zip(found, own, strict=True))


def value(program: Program, step: Step, taken: Sequence[int]) -> int:
    """What a combination is worth in one step, in whole numbers; more is better."""
    if step == "passed":
        found = np.sum([part[index] for part, index in zip(program.found, taken, strict=True)], axis=0)
        return int(program.weights[found >= program.need].sum())
    places = program.starts[:-1] + np.asarray(taken)
    return int(program.recall[places].sum()) if step == "recall" else -int(column_of(program, step)[places].sum())


def column_of(program: Program, step: Step) -> Integers:
    return {"recall": program.recall, "tokens": program.tokens, "rest": program.rest}[step]


def worth(program: Program, steps: Sequence[Step], taken: Sequence[int]) -> tuple[int, ...]:
    """What a combination is worth in several steps: of two, the greater is better."""
    return tuple(value(program, step, taken) for step in steps)
