"""Questions that are no longer those that were asked: the stored answers are answers to others."""

from __future__ import annotations

from collections.abc import Iterable

from karat.core.problems import Problem, count_of
from karat.core.records import AnyCase
from karat.core.suite import Suite
from karat.runs.stored_run import stored_cases
from karat.store.store import Store

NAMED = 5


def changed_questions(store: Store, run_id: int, suite: Suite, cases: Iterable[AnyCase]) -> Problem | None:
    """A warning that names the cases whose conversation differs from the one that the run asked; None if there are
    none. A case that had no question then, as recorded answers need none, has not changed."""
    asked = {case.id: _words(case) for case in stored_cases(store, run_id, suite)}
    found = [case.id for case in cases if (before := asked.get(case.id)) and before != _words(case)]
    if not found:
        return None
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    verb = "differs" if len(found) == 1 else "differ"
    return Problem(
        f"{count_of(len(found), 'question')} {verb} from what the run asked: {', '.join(found[:NAMED])}{more}. "
        "Their answers are to the earlier questions, and so are their scores",
        hint="karat run asks the questions as they are now.",
        severity="warning",
    )


def _words(case: AnyCase) -> int:
    """A hash of what is said in the conversation; 0 without any words."""
    said = tuple((turn.role, turn.content) for turn in case.conversation)
    return hash(said) if any(content.strip() for _, content in said) else 0
