"""Answers that an earlier run got to exactly the same question: taken from a cache file instead of asked for again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core.problems import Problem, count_of
from karat.core.run_notes.notes import REUSE, Reuse
from karat.core.system import Request, Response, System, SystemConfig
from karat.systems.reuse.answer_cache import AnswerCache
from karat.systems.reuse.answer_key import answer_keys, cannot_reuse

if TYPE_CHECKING:
    from karat.runs.job import Job
    from karat.store.store import Store

HINT = (
    'Give the system a "version" (such as "${GIT_COMMIT}"), or list the files it consists of under "depends_on": then '
    "answers are reused as long as these are the same."
)


class ReusedAnswers:
    """The cache as the calls of one run see it. It counts what was found in it and what was asked."""

    def __init__(self, cache: AnswerCache, config: SystemConfig) -> None:
        self._cache, self._key = cache, answer_keys(config)
        self._found = self._asked = 0
        self._oldest = self._newest = ""

    def find(self, request: Request) -> Response | None:
        """The answer to exactly this request; None where it must be asked."""
        kept = self._cache.find(self._key(request))
        if kept is None:
            return None
        self._found += 1
        self._oldest = min(self._oldest or kept.given, kept.given)
        self._newest = max(self._newest, kept.given)
        return kept.response

    def keep(self, request: Request, response: Response) -> None:
        """Keep the answer to a request that was just asked."""
        self._asked += 1
        self._cache.keep(self._key(request), response)

    def close(self) -> None:
        """Close the file."""
        self._cache.close()

    def note(self, earlier: Reuse | None) -> Reuse:
        """What became of the calls, together with those of ``earlier`` parts of a run that was resumed."""
        before = earlier or Reuse(self._cache.path.name, 0, 0)
        times = [time for time in (before.oldest, before.newest, self._oldest, self._newest) if time]
        oldest, newest = (min(times), max(times)) if times else ("", "")
        return Reuse(self._cache.path.name, before.reused + self._found, before.asked + self._asked, oldest, newest)

    def problems(self) -> tuple[Problem, ...]:
        """What went wrong with the cache."""
        if not self._cache.failures:
            return ()
        failures = count_of(self._cache.failures, "failure")
        message = f"the cache of answers {self._cache.path} could not be read or written: {failures}"
        return (
            Problem(message, severity="warning", hint="These answers were asked for. The figures are not affected."),
        )


def open_reuse(path: str, config: SystemConfig, system: System) -> tuple[ReusedAnswers | None, tuple[Problem, ...]]:
    """The cache of a run, and what to say where its answers cannot be reused. None without a ``path``, and for answers
    that are at hand anyway."""
    if not path or not system.can_be_asked_again or not system.measures_time:
        return None, ()
    if why := cannot_reuse(config):
        return None, (Problem(why, severity="warning", hint=HINT),)
    return ReusedAnswers(AnswerCache(Path(path)), config), ()


def check_reuse(job: Job) -> None:
    """UserError where the cache file, or a file that its keys depend on, cannot be used. Nothing is stored by then."""
    if job.opened is not None:
        reused, _ = open_reuse(job.reuse, job.config, job.opened)
        if reused is not None:
            reused.close()


def keep_note(store: Store, run_id: int, reused: ReusedAnswers) -> None:
    """Store how many answers of the run were reused."""
    stored = store.notes(run_id).get(REUSE)
    earlier = msgspec.convert(stored, Reuse) if stored else None
    store.add_notes(run_id, {REUSE: msgspec.to_builtins(reused.note(earlier))}, replace=True)
