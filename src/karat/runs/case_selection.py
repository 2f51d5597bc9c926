"""Which cases to run: all, those with a tag, those named, the first few."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import msgspec

from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.records import AnyCase


class Choice(msgspec.Struct, frozen=True):
    """A choice of cases. Tags: any of them. Ids: a case's id or its name. Limit: the first N of what is left."""

    tags: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    limit: int | None = None


def choose(cases: Sequence[AnyCase], choice: Choice) -> tuple[AnyCase, ...]:
    """The chosen cases, in their order. A tag or id that no case has is the user's mistake."""
    chosen = tuple(cases)
    if choice.tags:
        known = {tag for case in cases for tag in case.tags}
        _require(choice.tags, known, "tag")
        chosen = tuple(case for case in chosen if not known.isdisjoint(case.tags) and set(choice.tags) & set(case.tags))
    if choice.ids:
        named = {case.name for case in cases if case.name}
        _require(choice.ids, {case.id for case in cases}, "case", also=named)
        chosen = tuple(case for case in chosen if case.id in choice.ids or (case.name and case.name in choice.ids))
    if choice.limit is not None:
        if choice.limit < 1:
            raise UserError(f"a limit of {choice.limit} leaves no case", hint="Give a limit of 1 or more.")
        chosen = chosen[: choice.limit]
    if not chosen:
        hint = "Loosen --tag, --case or --limit, or run.tags and run.limit of karat.yaml."
        raise UserError("no case is left to run", hint=hint)
    return chosen


def _require(wanted: Sequence[str], known: set[str], noun: str, also: Collection[str] = ()) -> None:
    for word in wanted:
        if word not in known and word not in also:
            some = f"There are {count_of(len(known), noun)}" + (f", such as {min(known)}." if known else ".")
            raise UserError(
                f'no case has the {noun} "{word}"' if noun == "tag" else f'there is no case "{word}"',
                hint=did_you_mean(word, known.union(also)) or some,
            )
