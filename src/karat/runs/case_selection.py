"""Which cases to run: all, those with a tag, those named, the first few."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from karat.core.problems import UserError, count_of, did_you_mean
from karat.core.records import AnyCase


class Choice(msgspec.Struct, frozen=True):
    """A choice of cases. Tags: any of them. Ids: a case's id or its name. Limit: the first N of what is left."""

    tags: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    limit: int | None = None


class Choosing:
    """A choice on its way through the cases, which come one by one."""

    def __init__(self, choice: Choice) -> None:
        self.choice = choice
        self.taken = 0
        self.left_out: set[str] = set()
        """The ids of the cases that were not taken."""
        self._tags: set[str] = set()
        self._ids: set[str] = set()
        self._names: set[str] = set()

    def chosen(self, cases: Iterable[AnyCase]) -> Iterator[AnyCase]:
        """The chosen cases, in their order. At the end, a tag or id that no case has is the user's mistake."""
        limit = self.choice.limit
        for case in cases:
            if self._fits(case) and (limit is None or self.taken < limit):
                self.taken += 1
                yield case
            else:
                self.left_out.add(case.id)
        self._check()

    def _fits(self, case: AnyCase) -> bool:
        choice, fits = self.choice, True
        if choice.tags:
            self._tags.update(case.tags)
            fits = not set(choice.tags).isdisjoint(case.tags)
        if choice.ids:
            self._ids.add(case.id)
            self._names.update((case.name,) if case.name else ())
            fits = fits and (case.id in choice.ids or (bool(case.name) and case.name in choice.ids))
        return fits

    def _check(self) -> None:
        _require(self.choice.tags, self._tags, "tag")
        _require(self.choice.ids, self._ids, "case", also=self._names)
        if self.choice.limit is not None and self.choice.limit < 1:
            raise UserError(f"a limit of {self.choice.limit} leaves no case", hint="Give a limit of 1 or more.")
        if not self.taken:
            hint = "Loosen --tag, --case or --limit, or run.tags and run.limit of karat.yaml."
            raise UserError("no case is left to run", hint=hint)


def choose(cases: Iterable[AnyCase], choice: Choice) -> tuple[AnyCase, ...]:
    """The chosen cases, in their order. A tag or id that no case has is the user's mistake."""
    return tuple(Choosing(choice).chosen(cases))


def _require(wanted: Sequence[str], known: set[str], noun: str, also: Collection[str] = ()) -> None:
    for word in wanted:
        if word not in known and word not in also:
            some = f"There are {count_of(len(known), noun)}" + (f", such as {min(known)}." if known else ".")
            raise UserError(
                f'no case has the {noun} "{word}"' if noun == "tag" else f'there is no case "{word}"',
                hint=did_you_mean(word, known.union(also)) or some,
            )
