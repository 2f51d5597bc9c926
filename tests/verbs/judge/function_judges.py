"""Function judges of known quality, and people who review what they judged."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any  # Any: what a function judge gets and returns

from karat.store import open_store
from karat.verbs.judge.pools import pool_of

CASES = 150


def truly_right(number: int) -> bool:
    """What people say: six in ten of the answers that the rule refuses are right all the same."""
    return random.Random(number).random() < 0.6


def function_judge(sensitivity: float, specificity: float, *, noise: float = 0.0) -> Callable[[dict[str, Any]], Any]:
    """A judge of known quality. ``noise``: how often it says the opposite of itself."""
    draw = random.Random(7)

    def judge(request: dict[str, Any]) -> dict[str, Any]:
        name = str(request["case"])
        if not name[1:].isdigit():
            return {"verdict": "wrong", "reason": "an attack"}
        number = int(name[1:])
        own = random.Random(number + 1000).random()
        right = own < sensitivity if truly_right(number) else own > specificity
        if noise and draw.random() < noise:
            right = not right
        return {"verdict": "right" if right else "wrong", "reason": "as I see it", "confidence": 0.8}

    return judge


def review(count: int, run_id: int = 1) -> list[str]:
    """Review the first cases of the random order, blind."""
    with open_store("sqlite:///.karat/karat.db") as store:
        names = list(pool_of(store, run_id, "").sample.order[:count])
        for name in names:
            store.add_review(run_id, name, "pass" if truly_right(int(name[1:])) else "fail", reviewer="ann", blind=True)
    return names
