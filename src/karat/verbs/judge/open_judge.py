"""The judge of a project, ready to be asked: its settings, its rubric, its version."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar  # Any: a coroutine that is only awaited

import msgspec

from karat.core import plugins
from karat.core.files.reading import read_text
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError, did_you_mean
from karat.core.suite import Suite
from karat.core.system import System
from karat.judge.asking import now
from karat.judge.judge_client import Judge
from karat.judge.protocol import RUBRIC
from karat.judge.settings import JudgeSettings
from karat.judge.version import parameters, prepared, version_of
from karat.runs.project_file.project import Project
from karat.store.verdicts.judgements import JudgeRecords, JudgeVersion
from karat.verbs.inputs.systems import named_system, settle_system

if TYPE_CHECKING:
    from karat.store.store import Store

Found = TypeVar("Found")
GivenJudge = str | JsonMapping | Callable[..., object] | JudgeSettings
"""The name of a system, its settings, a Python function, or ``judge:`` as a project has it."""


class OpenJudge(msgspec.Struct):
    """The settings of a judge, and the judge itself for each rubric."""

    settings: JudgeSettings
    root: Path
    project: Project | None
    function: Callable[..., object] | None = None

    def for_suite(self, suite: Suite, rubric: str | None = None) -> Judge:
        """The judge as it is asked about answers of this suite; ``rubric``: with this one instead of its own."""
        from karat.systems.function import open_callable

        by_tag: dict[str, str] = {}
        if rubric is None:
            rubric, by_tag = self._rubrics(suite)

        system: System | None = None
        if self.function is not None:
            config, _ = settle_system(self.function, None, suite, (), suite.options())
            system = open_callable(self.function)
        else:
            config = named_system(self.settings.system, (), self.project)
        config = prepared(config)
        return Judge(
            version_of(config, whole_rubric(rubric, by_tag)),
            config,
            suite,
            rubric,
            self.settings.repeats,
            self.settings.budget,
            system,
            by_tag,
        )

    def _rubrics(self, suite: Suite) -> tuple[str, dict[str, str]]:
        """(what is right, tag → what is right there). One judge has them all: another text for one tag is another
        version."""
        given = self.settings.rubric
        usual = suite.rubric.strip() or RUBRIC
        if isinstance(given, str):
            return (self._text(given) if given else usual), {}
        suites = set(plugins.names(plugins.SUITES))
        own = self._text(given[suite.name]) if suite.name in given else usual
        return own, {name: self._text(file) for name, file in given.items() if name not in suites}

    def _text(self, file: str) -> str:
        path = self.root / file
        if not path.is_file():
            near = (
                did_you_mean(path.name, [one.name for one in path.parent.glob("*.md")]) if path.parent.is_dir() else ""
            )
            raise UserError(
                f"there is no rubric {file}",
                hint=near or "judge.rubric is the path of a text file, relative to karat.yaml.",
            )
        text = read_text(path).strip()
        if not text:
            raise UserError(f"the rubric {file} is empty", hint="Write into it what makes an answer right.")
        return text


def open_judge_here(judge: GivenJudge | None, project: Project | None) -> OpenJudge:
    """The judge that was given, or the project's."""
    root = project.root if project is not None else Path.cwd()
    own = project.judge if project is not None else None
    if isinstance(judge, JudgeSettings):
        return OpenJudge(judge, root, project)
    if callable(judge):
        base = own or JudgeSettings("function")
        return OpenJudge(base, root, project, judge)
    if isinstance(judge, Mapping):
        raise UserError("a judge is the name of a system, a Python function, or JudgeSettings")
    if judge:
        base = own or JudgeSettings(judge)
        return OpenJudge(msgspec.structs.replace(base, system=judge), root, project)
    if own is None:
        raise UserError(
            "no judge is set up here",
            hint="Add judge: {system: NAME} to karat.yaml, or give --system NAME. karat.yaml: docs/judge.md.",
        )
    return OpenJudge(own, root, project)


def remember(store: Store, judge: Judge) -> JudgeVersion:
    """Keep the version with its rubric, so that it can be looked up later."""
    given = JudgeVersion(judge.version, parameters(judge.config), whole_rubric(judge.rubric, judge.by_tag))
    return JudgeRecords(store).add_version(given, now())


def whole_rubric(rubric: str, by_tag: Mapping[str, str]) -> str:
    """The judge's whole rubric as one text, with the parts for tags."""
    parts = [f"For answers tagged {tag}:\n{text}" for tag, text in sorted(by_tag.items())]
    return "\n\n".join([rubric, *parts])


def rubric_hash(text: str) -> str:
    """The first digits of a rubric's hash."""
    return hashlib.sha256(text.encode()).hexdigest()[:4]


def finished(work: Coroutine[Any, Any, Found]) -> Found:
    """What asking comes to; also inside a notebook, whose own loop is running already."""
    from karat.runs.calls.system_calls import run_async

    kept: list[Found] = []

    async def go() -> None:
        kept.append(await work)

    run_async(go())
    return kept[0]
