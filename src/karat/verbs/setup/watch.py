"""``karat watch``: score again when a file changes, and say only what changed.

Files are looked at twice a second (time and size). That needs no further package, works on network drives and in
containers, and is quick enough for the few thousand files of a project.

Recorded answers are scored as ``karat score`` does. Where a live system is asked, the answers of its newest stored run
are scored against the cases as they are now; asking again costs money, so a changed prompt is only pointed out, unless
``asking`` is set.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.problems import Problem, UserError
from karat.core.remote.display_names import as_stored
from karat.core.results.result import RunResult
from karat.core.system import PromptedConfig, RecordedConfig
from karat.verbs.inputs.work import Work, choice_of

if TYPE_CHECKING:
    from karat.store.records import RunRecord

INTERVAL = 0.5
SKIPPED = frozenset((".karat", ".git", "__pycache__", ".venv", "node_modules"))
EPSILON = 1e-12

Snapshot = Mapping[str, tuple[int, int]]
"""File → (time, size)."""


class CaseChange(msgspec.Struct, frozen=True):
    """A case whose result is another: its state and the metrics that moved, before and after."""

    id: str
    before: str
    """Its state before; empty: it was not there."""
    after: str
    metrics: dict[str, tuple[float | None, float | None]] = {}


class Change(msgspec.Struct, frozen=True):
    """What a change of files changed: the means that moved, and the cases."""

    suite: str
    metrics: dict[str, tuple[float | None, float | None]]
    cases: tuple[CaseChange, ...]
    count: int
    """Cases now."""
    notes: tuple[str, ...] = ()
    """Warnings that were not there before."""

    @property
    def is_none(self) -> bool:
        """Whether everything is as it was."""
        return not self.metrics and not self.cases


class Figures(msgspec.Struct, frozen=True):
    """What is compared of a result."""

    means: dict[str, float | None]
    cases: dict[str, tuple[str, dict[str, float | None]]]


def figures_of(result: RunResult) -> Figures:
    """The headline metrics of a result: their means, and their values for every case."""
    metrics = plugins.load_suite(result.run.suite).metrics_for(result.run.headline)
    names = [metric.name for metric in metrics if metric.headline] or [metric.name for metric in metrics][:3]
    means = {one.metric: one.mean for one in result.summary if one.metric in names}
    cases: dict[str, tuple[str, dict[str, float | None]]] = {
        case.id: (case.status, {name: case.scores[name].value if name in case.scores else None for name in names})
        for case in result.cases
    }
    return Figures(means, cases)


def change_between(suite: str, before: Figures | None, after: Figures) -> Change:
    """What is different. ``before`` None: everything is new, and only the means are given."""
    if before is None:
        return Change(suite, {name: (None, mean) for name, mean in after.means.items()}, (), len(after.cases))
    metrics = {
        name: (before.means.get(name), mean)
        for name, mean in after.means.items()
        if _differ(before.means.get(name), mean)
    }
    return Change(suite, metrics, tuple(_case_changes(before, after)), len(after.cases))


def _case_changes(before: Figures, after: Figures) -> Iterator[CaseChange]:
    for name, (state, values) in after.cases.items():
        old_state, old_values = before.cases.get(name, ("", {}))
        moved = {
            metric: (old_values.get(metric), value)
            for metric, value in values.items()
            if _differ(old_values.get(metric), value)
        }
        if state != old_state or moved:
            yield CaseChange(name, old_state, state, moved)
    yield from (CaseChange(name, state, "") for name, (state, _) in before.cases.items() if name not in after.cases)


def _differ(one: float | None, other: float | None) -> bool:
    return one is not other if one is None or other is None else abs(one - other) > EPSILON


# -- files ------------------------------------------------------------------------------------------------------------


def watched_paths(works: Iterable[Work], config: Path | None) -> list[Path]:
    """What a project is made of: its file, cases, recorded answers, prompts, and files that its options name."""
    found = [config] if config is not None else []
    for work in works:
        found.append(work.cases)
        if work.predictions is not None:
            found.append(work.predictions)
        if isinstance(work.config, RecordedConfig):
            found.append(Path(work.config.predictions))
        if isinstance(work.config, PromptedConfig):
            found += [Path(text) for text in (work.config.prompt, work.config.system_prompt) if _is_file(text)]
        found += [Path(text) for text in _texts(msgspec.to_builtins(work.options)) if _is_file(text)]
        if work.cases.is_file():
            found.append(work.cases.parent)  # tables and files that the cases name are beside them
    return list(dict.fromkeys(path.absolute() for path in found))


def _is_file(text: str) -> bool:
    try:
        return bool(text) and "\n" not in text and Path(text).exists()
    except (OSError, ValueError):
        return False


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def snapshot(paths: Iterable[Path]) -> Snapshot:
    """The files under these paths, with time and size. What cannot be looked at is left out."""
    found: dict[str, tuple[int, int]] = {}
    for path in paths:
        for file in _files(path):
            try:
                about = file.stat()
            except OSError:
                continue
            found[str(file)] = (about.st_mtime_ns, about.st_size)
    return found


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        for folder, folders, names in os.walk(path):
            folders[:] = [name for name in folders if name not in SKIPPED]
            yield from (Path(folder, name) for name in names if not name.endswith((".part", ".swp", "~")))


def changed_files(before: Snapshot, after: Snapshot) -> list[str]:
    """Files that are new, gone or different."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


# -- watching ---------------------------------------------------------------------------------------------------------


@dataclass
class Watching:
    """A project that is watched. ``plan`` reads the project anew; ``score`` gives the result of one suite."""

    plan: Callable[[], list[Work]]
    score: Callable[[Work, bool], RunResult | None]
    """(what to score, whether a prompt or setting has changed) → its result; None: there is nothing to score yet."""
    config: Path | None = None
    wait: Callable[[float], None] = time.sleep
    last: dict[str, Figures] = field(default_factory=dict)
    _paths: list[Path] = field(default_factory=list)
    _seen: Snapshot = field(default_factory=dict)
    _warned: dict[str, set[str]] = field(default_factory=dict)
    _broken: dict[str, set[str]] = field(default_factory=dict)
    """What could not be read from the start: it is known, and does not stop the scoring."""

    def begin(self) -> Iterator[Change | UserError]:
        """Score everything once."""
        yield from self._scored(settings=False)

    def next(self) -> Iterator[Change | UserError]:
        """Wait for a change, and for it to be complete; then score again."""
        files = self._wait_for_change()
        settings = any(Path(file) == self.config or file in self._prompts() for file in files)
        yield from self._scored(settings=settings)

    def _wait_for_change(self) -> list[str]:
        while True:
            self.wait(INTERVAL)
            now = snapshot(self._paths)
            if now == self._seen:
                continue
            while True:  # an editor may write several files, or one in several steps
                self.wait(INTERVAL / 2)
                again = snapshot(self._paths)
                if again == now:
                    break
                now = again
            files = changed_files(self._seen, now)
            if files:
                return files

    def _prompts(self) -> set[str]:
        try:
            configs = [work.config for work in self.plan()]
        except UserError:
            return set()
        asked = [config for config in configs if isinstance(config, PromptedConfig)]
        return {str(Path(text).absolute()) for one in asked for text in (one.prompt, one.system_prompt) if text}

    def _scored(self, *, settings: bool) -> Iterator[Change | UserError]:
        """What changed in each suite. A suite that cannot be scored is said to be so, and keeps its last figures."""
        self._seen = snapshot(self._paths)  # before reading: what changes meanwhile is seen next time
        try:
            works = self.plan()
        except UserError as error:
            if not self._paths and self.config is not None:
                self._paths = [self.config.absolute()]
                self._seen = snapshot(self._paths)
            yield error
            return
        paths = watched_paths(works, self.config)
        if paths != self._paths:
            self._paths, self._seen = paths, snapshot(paths)
        for number, work in enumerate(works):
            key = f"{number} {work.suite.name}"
            try:
                result = self.score(work, settings)
            except UserError as error:
                yield error
                continue
            except OSError as error:
                yield UserError(f"{error.filename or work.cases}: {error.strerror or error}")
                continue
            if result is None:
                continue
            broken = [problem for problem in result.problems if problem.severity == "error"]
            known = self._broken.setdefault(key, {problem.message for problem in broken})
            fresh = [problem for problem in broken if problem.message not in known]
            if fresh:  # figures over fewer cases would look like a change of the assistant
                yield UserError("not everything could be read; the last figures stay", problems=fresh)
                continue
            after = figures_of(result)
            said = {problem.message for problem in result.problems if problem.severity == "warning"}
            change = change_between(work.suite.name, self.last.get(key), after)
            yield msgspec.structs.replace(change, notes=tuple(sorted(said - self._warned.get(key, set()))))
            self.last[key], self._warned[key] = after, said


def scorer(store: str | None, config: Path | None, *, asking: bool) -> Callable[[Work, bool], RunResult | None]:
    """How one suite is scored: from its recording, or from the newest run of its live system. ``asking``: the system is
    asked where there is no run yet, and again when a prompt or a setting has changed."""
    from karat.runs.changed_questions import changed_questions
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.inputs.streamed_inputs import gather_cases
    from karat.verbs.run import plan_work, start_run
    from karat.verbs.score import score

    def scored(work: Work, settings: bool) -> RunResult | None:
        choice = choice_of(work)
        rescored = partial(
            score, work.suite.name, work.cases, options=work.options, tags=choice.tags, limit=choice.limit
        )
        recorded = Path(work.config.predictions) if isinstance(work.config, RecordedConfig) else work.predictions
        if recorded is not None:
            return rescored(recorded)
        if work.config is None and work.suite.default_system(work.cases, work.options) is not None:
            return _computed_here(work)
        with open_store_here(store, config, create=True) as opened:
            runs = [row for row in opened.runs(30, work.suite.name) if row.system == (work.system or row.system)]
            settings = settings or bool(runs and settings_differ(opened.run(runs[0].id), work))
            if asking and (settings or not runs):
                return start_run(opened, plan_work(work))
            if not runs:
                message = f"{work.suite.name}: there is no stored run to score yet"
                raise UserError(message, hint="karat run makes one. karat watch --run asks the system itself.")
            result = rescored(opened.predictions(runs[0].id))
            cases = gather_cases(work.suite, work.cases, "", choice).cases
            changed = changed_questions(opened, runs[0].id, work.suite, cases)
        notes = [changed] if changed is not None else []
        if settings:
            note = (
                "a prompt or setting has changed: the answers are of before. karat run asks again, or watch with --run"
            )
            notes.append(Problem(note, severity="warning"))
        return msgspec.structs.replace(result, problems=(*result.problems, *notes))

    return scored


def settings_differ(run: RunRecord, work: Work) -> bool:
    """Whether the system is not the one that the run asked: another prompt, model or address. Settings that an answer
    does not depend on do not count."""
    from karat.systems.prompts.prompt import settled
    from karat.systems.reuse.answer_key import NEUTRAL

    before = run.config.get("system")
    if work.config is None or not isinstance(before, Mapping):
        return False
    now = msgspec.json.decode(msgspec.json.encode(settled(work.config, work.suite, work.options)))
    names = (before.keys() & now.keys()) - (NEUTRAL - {"version"}) - {"response_format"}  # which may follow the cases
    return any(before[name] != as_stored(now[name]) for name in names)


def _computed_here(work: Work) -> RunResult:
    """What the suite answers by itself, without a system: it costs nothing, and is not stored."""
    from karat.store import open_store
    from karat.verbs.run import plan_work, start_run

    with (
        tempfile.TemporaryDirectory(prefix="karat-watch-") as folder,
        open_store(f"sqlite:///{folder}/watch.db", create=True) as own,
    ):
        result = start_run(own, plan_work(work))
        return msgspec.structs.replace(result, cases=tuple(result.cases))
