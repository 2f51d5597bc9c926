"""Where a term was lost: the stages of an assistant before its final selection, and the term's way through them.

A prediction may list its stages in order, each with what it had selected. Stages of one group run side by side and
count as their union. The selection itself is the last stage, ``final``. Terms compare by id, and only in dimensions
that some stage names. A missed term is lost at the group after the last one that had it; if none had it, at the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any  # Any: a key of a response, whatever it holds

import msgspec

from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.misspelt_keys import refuse_misspelt

FINAL = "final"
Key = tuple[str, str]
"""(dimension, id)"""


class StageTerm(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A term that a stage had, with the score it gave it."""

    id: str
    name: str = ""
    score: float | None = None


class StageDimension(msgspec.Struct, frozen=True, omit_defaults=True):
    """The terms of a stage in one dimension."""

    dimension_name: str
    values: tuple[StageTerm, ...] = ()


class StageEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """An entry of a stage."""

    dataset_id: str = ""
    dimensions: tuple[StageDimension, ...] = ()


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """A step of an assistant, and what it had selected."""

    name: str
    group: str = ""
    indicator_selection: tuple[StageEntry, ...] = ()

    @property
    def place(self) -> str:
        """The group; a stage without one is a group of its own."""
        return self.group or self.name

    def terms(self) -> dict[Key, StageTerm]:
        """Every term; of one given twice the first."""
        found: dict[Key, StageTerm] = {}
        for entry in self.indicator_selection:
            for dimension in entry.dimensions:
                for term in dimension.values:
                    found.setdefault((dimension.dimension_name, term.id), term)
        return found


class StageCount(msgspec.Struct, frozen=True, omit_defaults=True):
    """How much of the target one stage had."""

    stage: str
    """The stage's name."""
    found: int
    """Target terms that the stage had."""
    expected: int
    """Target terms in dimensions that some stage names."""
    candidates: int
    """All terms that the stage had in these dimensions."""
    lost: int = 0
    """Target terms that were lost here."""
    combined: bool = False
    """Whether it sums up the stages listed just before it."""


class LostTerm(msgspec.Struct, frozen=True, omit_defaults=True):
    """A target term that is not in the final selection, where it was lost, and its last score."""

    dimension: str
    """The dimension's name."""
    id: str
    """The code."""
    name: str
    """Its name."""
    stage: str
    """The stage that dropped it."""
    score: float | None = None
    """The last score it had, if stages give scores."""


class StageComparison(msgspec.Struct, frozen=True):
    """All stages of a response beside the target."""

    steps: tuple[StageCount, ...]
    """Each stage, in order."""
    lost: tuple[LostTerm, ...]
    """Target terms that are not in the final selection."""
    not_staged: int = 0
    """Target terms in dimensions that no stage names."""


def read_stages(value: Any) -> tuple[Stage, ...]:
    """The stages of a response. Raises Unreadable."""
    for stage in _objects(value):
        refuse_misspelt(stage, Stage.__struct_fields__, "a stage")
        for entry in _objects(stage.get("indicator_selection")):
            refuse_misspelt(entry, StageEntry.__struct_fields__, "an entry of a stage")
            for dimension in _objects(entry.get("dimensions")):
                refuse_misspelt(dimension, StageDimension.__struct_fields__, "a dimension of a stage")
    try:
        found = msgspec.convert(value, tuple[Stage, ...])
    except msgspec.ValidationError as error:
        raise Unreadable(f"the stages cannot be read: {shape_in_words(error, 'stages')}") from error
    names = [stage.name for stage in found]
    twice = next((name for name in names if names.count(name) > 1 or name == FINAL), None)
    if twice is not None:
        raise Unreadable(f'the stage "{twice}" appears twice: every stage needs a name of its own, and not "{FINAL}"')
    return found


def _objects(items: object) -> list[JsonMapping]:
    return [one for one in items if isinstance(one, Mapping)] if isinstance(items, list) else []


def compare_stages(stages: Sequence[Stage], target: Mapping[Key, str], final: Iterable[Key]) -> StageComparison | None:
    """``target``: (dimension, id) → name; ``final``: what was selected in the end. None: there are no stages."""
    if not stages:
        return None
    held = {stage.name: stage.terms() for stage in stages}
    dimensions = {dimension for terms in held.values() for dimension, _ in terms}
    dimensions |= {
        d.dimension_name for stage in stages for entry in stage.indicator_selection for d in entry.dimensions
    }
    wanted = {key: name for key, name in target.items() if key[0] in dimensions}
    last = {key for key in final if key[0] in dimensions}
    groups: dict[str, list[str]] = {}
    for stage in stages:
        groups.setdefault(stage.place, []).append(stage.name)
    order = [*groups, FINAL]
    terms = {place: {key for name in names for key in held[name]} for place, names in groups.items()} | {FINAL: last}
    lost = [_lost(key, name, order, terms, groups, held) for key, name in wanted.items() if key not in last]
    counts: list[StageCount] = []
    for place in order:
        names = groups.get(place, [])
        several = len(names) > 1
        counts += [_count(name, set(held[name]), wanted) for name in names] if several else []
        here = sum(term.stage == place for term in lost)
        counts.append(_count(place if several or place == FINAL else names[0], terms[place], wanted, here, several))
    return StageComparison(tuple(counts), tuple(lost), len(target) - len(wanted))


def _count(name: str, terms: set[Key], wanted: Mapping[Key, str], lost: int = 0, combined: bool = False) -> StageCount:
    return StageCount(name, sum(key in terms for key in wanted), len(wanted), len(terms), lost, combined)


def _lost(
    key: Key,
    name: str,
    order: Sequence[str],
    terms: Mapping[str, set[Key]],
    groups: Mapping[str, Sequence[str]],
    held: Mapping[str, Mapping[Key, StageTerm]],
) -> LostTerm:
    had = [number for number, place in enumerate(order) if key in terms[place]]
    stage = order[had[-1] + 1] if had else order[0]
    scores = [held[one][key].score for place in order[:-1] for one in groups[place] if key in held[one]]
    return LostTerm(*key, name, stage, next((score for score in reversed(scores) if score is not None), None))
