"""New values for a column that look like its own: within the range of numbers and dates, in the form of its texts."""

from __future__ import annotations

import random
import string
from collections.abc import Collection, Sequence
from datetime import date, datetime, timedelta

from karat.suites.codegen.perturb.profile import Column, parsed, written
from karat.suites.codegen.records import Cell

FEW = 12
"""Whole numbers with so few values, some of them repeated, are codes, ratings or years: new ones are drawn from those
that are there."""
_TRIES = 60
_CLOSED = tuple(
    frozenset(words.split())
    for words in (
        "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun",
        "january february march april may june july august september october november december "
        "jan feb mar apr may jun jul aug sep sept oct nov dec",
        "q1 q2 q3 q4 h1 h2",
        "spring summer autumn fall winter",
        "very low medium middle mid high small large extra minor major critical normal none",
        "xs s m l xl xxl xxxl",
        "yes no y n true false unknown maybe m f male female other x d",
    )
)
"""Sets that have all their members: a copy adds none."""


def closed(values: Collection[object]) -> bool:
    """Whether these texts come from a set whose members everybody knows: weekdays, months, sizes."""
    words = {word for value in values if isinstance(value, str) for word in value.lower().replace("-", " ").split()}
    return bool(words) and any(words <= one for one in _CLOSED)


def redrawn(values: Sequence[object], about: Column, pick: random.Random) -> list[Cell]:
    """A new value for each; nulls stay where they are. What is no number or date is drawn again from the values that
    are there."""
    known = [value for value in values if value is not None]
    if not known:
        return list(values)
    return [None if value is None else drawn(known, about, pick) for value in values]


def drawn(known: Sequence[object], about: Column, pick: random.Random) -> object:
    """One value as the column might have held it."""
    if about.kind == "number" or (about.kind == "whole" and len(set(known)) > min(FEW, 0.8 * len(known))):
        return _number(known, pick)
    if about.kind == "date" or about.kind == "dated":
        return _moment(known, about.form, pick)
    return pick.choice(known)


def _number(known: Sequence[Cell], pick: random.Random) -> object:
    low, high = pick.choice(known), pick.choice(known)
    value = low + (high - low) * pick.random()
    if all(float(one).is_integer() for one in known):
        return type(low)(round(value))
    return round(value, max(decimals(low), decimals(high)))


def decimals(value: float) -> int:
    """The decimals that a number shows."""
    text = repr(float(value))
    return 12 if "e" in text or "n" in text else len(text.partition(".")[2])


def _moment(known: Sequence[Cell], form: str, pick: random.Random) -> object:
    first, second = pick.choice(known), pick.choice(known)
    if not form:
        return between(first, second, pick)
    start, end = parsed(first, form), parsed(second, form)
    return first if start is None or end is None else written(between(start, end, pick), form)


def between(start: Cell, end: Cell, pick: random.Random) -> Cell:
    """A moment between two: whole days between dates and midnights, else whole seconds."""
    span: timedelta = end - start
    if not isinstance(start, datetime) or (start.time() == end.time()):
        return start + timedelta(days=round(span.days * pick.random()))
    return start + timedelta(seconds=round(span.total_seconds() * pick.random()))


def without_repeats(
    values: Sequence[object], known: Sequence[object], about: Column, pick: random.Random
) -> list[Cell]:
    """The same, with another value of the column's range for each one that repeats; beyond it only when the range is
    used up."""
    own = [value for value in known if value is not None]
    taken, seen, made = set(values), set(), []
    for value in values:
        if value is not None and value in seen:
            value = next((one for _ in range(_TRIES) if (one := drawn(own, about, pick)) not in taken), None)
            value = _beyond(taken) if value is None else value
            taken.add(value)
        seen.add(value)
        made.append(value)
    return made


def _beyond(taken: Collection[Cell]) -> object:
    last = max(value for value in taken if value is not None)
    return last + (timedelta(days=1) if isinstance(last, date) else 1)


# -- new keys and categories
# ---------------------------------------------------------------------------------------------


def new_value(like: Cell, about: Column, taken: Collection[Cell], known: Sequence[Cell], pick: random.Random) -> object:
    """A value that is not taken, in the form of another: ``A-17`` may give ``A-52``, ``East`` may give ``Qast``."""
    for wider in range(1, _TRIES):
        value = _fresh(like, about, known, wider, pick)
        if value not in taken:
            return value
    return f"{like} {len(taken)}" if isinstance(like, str) else max(known) + len(taken) + 1


def _fresh(like: Cell, about: Column, known: Sequence[Cell], wider: int, pick: random.Random) -> object:
    if about.kind == "dated":
        moments = [moment for text in (min(known), max(known)) if (moment := parsed(text, about.form)) is not None]
        span = max(abs((moments[-1] - moments[0]).days), 10) * wider
        return written(max(moments) - timedelta(days=pick.randrange(0, 2 * span) - span), about.form)
    if isinstance(like, str):
        return alike(like, pick)
    low, high = min(known), max(known)
    if not about.key and high - low >= 2 * len(set(known)):  # a code, between those that are there
        return low + pick.randrange(int(high - low))
    return low + pick.randrange(int(high - low) + 10 * wider)


def alike(text: str, pick: random.Random) -> str:
    """The same shape: where it has digits only they change, else its first letters."""
    if any(char.isdigit() for char in text):
        return "".join(str(pick.randint(1, 9)) if char.isdigit() else char for char in text)
    changed, made = 0, []
    for char in text:
        letters = string.ascii_uppercase if char.isupper() else string.ascii_lowercase
        changes = char.isalpha() and changed < 3
        changed += changes
        made.append(pick.choice(letters) if changes else char)
    return "".join(made)


def longer(text: str) -> str:
    """One character more at its end, of the same kind: ``bolt M4`` is ``bolt M44``, ``East`` is ``Eastt``."""
    return text + text[-1:] if text[-1:].isalnum() else text + "a"
