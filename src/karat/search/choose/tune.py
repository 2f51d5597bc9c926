"""The whole of ``karat tune`` for a sheet: one pass of every model over every field, then the choice and all that is
said about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import UserError
from karat.search.choose.infeasible import ranked_deep_enough
from karat.search.choose.limits import Limits, deepest
from karat.search.choose.reporting.result import Tuning
from karat.search.choose.tuning import tuning_of
from karat.search.records import FieldRanks, Model

if TYPE_CHECKING:
    from karat.search.models.vectors import VectorCache
    from karat.search.ranks.ranking import Spread

Watch = Callable[[str, int, int], None]
"""Called with the field, what is done of it and how much there is."""


class TuneField(msgspec.Struct, frozen=True):
    """A field to choose for: its distinct values, and for each question the values that must be found (none: it does
    not count)."""

    field: str
    values: tuple[str, ...]
    truths: tuple[tuple[str, ...], ...]


def tune(
    questions: Sequence[str],
    fields: Sequence[TuneField],
    models: Sequence[Model],
    limits: Limits,
    *,
    encoding: str = "o200k_base",
    cache: VectorCache | None = None,
    watch: Watch | None = None,
    time_limit: float = 60.0,
    spread: Spread | None = None,
) -> Tuning:
    """The best n and model for each field. ``time_limit`` (seconds) holds for the choice, and again for each thing said
    about it. ``spread`` embeds and ranks elsewhere, see :func:`rank_field`."""
    from karat.search.ranks.ranking import rank_field

    check_fields(questions, fields, models)

    def rank(least: int) -> list[FieldRanks]:
        return [
            rank_field(
                field.field,
                field.values,
                questions,
                [tuple(dict.fromkeys(truths)) for truths in field.truths],
                models,
                depth=max(1, min(least, len(field.values)), deepest(limits, field.values)),
                encoding=encoding,
                cache=cache,
                watch=partial(watch or _silently, field.field),
                spread=spread,
            )
            for field in fields
        ]

    values = {field.field: field.values for field in fields}
    return ranked_deep_enough(
        rank,
        lambda ranks: tuning_of(
            questions, ranks, values=values, limits=limits, encoding=encoding, time_limit=time_limit
        ),
    )


def _silently(field: str, done: int, of: int) -> None:
    """Nobody watches."""


def check_fields(questions: Sequence[str], fields: Sequence[TuneField], models: Sequence[Model]) -> None:
    """What would make every figure meaningless is said before anything is computed."""
    if not models:
        raise UserError("no model to choose from", hint="karat models lists what is ready.")
    if not fields:
        raise UserError(
            "there is no field to choose n and model for", hint='Mark one with !evaluation_field("Table[field]").'
        )
    for field in fields:
        if not field.values:
            raise UserError(f"{field.field} has no values to retrieve")
        if len(field.truths) != len(questions):
            raise ValueError(f"{field.field}: {len(field.truths)} lists of truths for {len(questions)} questions")
    if not any(truths for field in fields for truths in field.truths):
        raise UserError(
            "no question has a value that must be found",
            hint="Fill the columns marked !evaluation_field; several values are separated by ;",
        )
