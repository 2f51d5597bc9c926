"""Whether an environment computes at all what it is asked: a few snippets whose results the host knows.

A package may change Python or pandas when it starts, on purpose or not, and then every result of its environment is in
doubt, the reference's too. Numbers and words are new each time, so that no answer can be prepared. A package that tells
these snippets from those of a task is not found this way.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Sequence

import msgspec

from karat.sandbox.records import Limits, Outcome
from karat.sandbox.tables import GivenTable, Shelf

NAP = 0.02
ROWS = 8
Run = Callable[[str, Sequence[GivenTable], Limits], Outcome]


class Unclear(Exception):
    """A snippet did not come to its end in time, which a busy machine may bring about."""


class _Known(msgspec.Struct, frozen=True):
    """A snippet, what it is about, and what it must give."""

    about: str
    code: str
    result: object


def trouble(run: Run, limits: Limits, *, pandas: bool) -> str:
    """What came out wrong; empty where all is right."""
    numbers = random.SystemRandom().sample(range(10**9), ROWS)
    keys = [secrets.choice("abc") for _ in range(ROWS)]
    word = secrets.token_hex(8)
    tables = Shelf().tables({"known": {"key": keys, "amount": numbers}})
    known = [*_plain(keys, numbers, word), *([_of_pandas(keys, numbers)] if pandas else [])]
    for one in known:
        outcome = _ended(run(one.code, tables, limits))
        if not outcome.ok or outcome.result != one.result:
            return f"{one.about} came out {'wrong' if outcome.ok else _words(outcome)}"
    failed = _ended(run(f"raise ValueError({word!r})", tables, limits))
    if failed.status != "error" or failed.error is None or failed.error.message != word:
        return "an error came out as another one" if failed.status == "error" else f"an error came out {_words(failed)}"
    slept = _ended(run(f"import select\nselect.select([], [], [], {NAP})\nresult = 1", tables, limits))
    if not slept.ok or slept.wall < NAP * 0.9:
        return f"a pause of {NAP * 1000:g} ms came out shorter"
    return ""


def _ended(outcome: Outcome) -> Outcome:
    if outcome.status in ("timeout", "server_died"):
        raise Unclear
    return outcome


def _plain(keys: Sequence[str], numbers: Sequence[int], word: str) -> list[_Known]:
    """What every Python can do."""
    values = [numbers[0], word, True, None, {word: 2.5}]
    calculated = (
        "amounts = df['amount']\n"
        "result = [int(sum(amounts)), int(max(amounts)), len(amounts), int(sorted(amounts)[0]), eval('1 == 2'),"
        f" str({numbers[1]})]"
    )
    figures = [sum(numbers), max(numbers), ROWS, min(numbers), False, str(numbers[1])]
    return [
        _Known("a list", f"result = {values!r}", values),
        _Known(
            "a table",
            "result = [int(one) for one in df['amount']] + [str(one) for one in df['key']]",
            [*numbers, *keys],
        ),
        _Known("a calculation", calculated, figures),
    ]


def _of_pandas(keys: Sequence[str], numbers: Sequence[int]) -> _Known:
    sums = {key: sum(number for own, number in zip(keys, numbers, strict=True) if own == key) for key in set(keys)}
    code = (
        f"few = df[df['amount'] < {sorted(numbers)[ROWS // 2]}]\n"
        "result = [df.groupby('key')['amount'].sum().to_dict(), int(df['amount'].sum()), few.shape[0]]"
    )
    return _Known("a calculation with pandas", code, [sums, sum(numbers), ROWS // 2])


def _words(outcome: Outcome) -> str:
    """Without the numbers, which are others each time: the same trouble has the same words."""
    raised = outcome.error
    return f"as {raised.class_}" if raised is not None else f"as {outcome.status}"
