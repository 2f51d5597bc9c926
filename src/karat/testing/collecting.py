"""Collecting: the project file becomes a collector, each of its suites another, each case and each gate a test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase
from karat.core.report import visible
from karat.stats.gates.verdicts import Gate, rule_text
from karat.testing.failure_text import failure_text
from karat.testing.project_runs import CaseOutcome, ProjectRuns, in_words


class Failed(Exception):
    """A test that failed: its first line, and all there is to read."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class FailureRepr(TerminalRepr):
    """A failure without a traceback: there is no code to look at."""

    def __init__(self, text: str, path: str, line: int) -> None:
        self.text = text
        self.reprcrash = ReprFileLocation(path, line, text.partition("\n")[0])

    def toterminal(self, tw: TerminalWriter) -> None:
        tw.line(self.text)


class _Item(pytest.Item):
    """What all tests of a project share."""

    runs: ProjectRuns
    place: tuple[str, int]

    def repr_failure(  # type: ignore[override]  # pytest's own signature is the same with a style that items do not have
        self, excinfo: pytest.ExceptionInfo[BaseException]
    ) -> str | TerminalRepr:
        if isinstance(excinfo.value, Failed):
            return FailureRepr(excinfo.value.text, *self.place)
        if isinstance(excinfo.value, UserError):
            return FailureRepr(in_words(excinfo.value), *self.place)
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[str, int, str]:
        file, line = self.place
        # pytest writes a title that is part of the node id with "::" for every dot, also for the dot in a number
        return file, max(line - 1, 0), f"{self.parent.name if self.parent else ''}: {self.name}"


class CaseItem(_Item):
    """One case."""

    def __init__(self, *, runs: ProjectRuns, suite: int, case: AnyCase, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs, self.suite, self.case = runs, suite, case
        self.place = (case.source.file or str(runs.file), case.source.line)
        self.add_marker("karat")
        mark_tags(self, case.tags)

    def runtest(self) -> None:
        outcome = self.runs.outcome(self.suite, self.case.id)
        self.user_properties.append(("karat_run", outcome.run))
        settle(self.runs, self.suite, outcome)


def settle(runs: ProjectRuns, suite: int, outcome: CaseOutcome) -> None:
    """Pass, fail or skip, as the verdict says."""
    if outcome.verdict.state == "failed":
        raise Failed(failure_text(runs, suite, outcome))
    if outcome.verdict.state == "no_verdict":
        raise pytest.skip.Exception(outcome.verdict.reason, _use_item_location=True)


class GateItem(_Item):
    """One gate."""

    def __init__(self, *, runs: ProjectRuns, gate: Gate, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs, self.gate = runs, gate
        self.place = (str(runs.file), 0)
        self.add_marker("karat")
        self.add_marker("karat_gate")

    def runtest(self) -> None:
        verdicts = self.runs.verdicts(self.gate)
        broken = [verdict for verdict in verdicts if not verdict.passed]
        if broken:
            lines = [line for verdict in broken for line in (verdict.words, *(f"- {case}" for case in verdict.cases))]
            raise Failed("gate failed: " + "\n".join(visible(line) for line in lines))
        if not verdicts:
            raise Failed(f"gate failed: {rule_text(self.gate)}: no suite of this project could be checked")


class FilesItem(_Item):
    """Whether all files of a suite could be read: a case that cannot be read would be missing from the tests."""

    def __init__(self, *, runs: ProjectRuns, suite: int, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs, self.suite = runs, suite
        self.place = (str(runs.file), 0)
        self.add_marker("karat")

    def runtest(self) -> None:
        suite = self.runs.suites[self.suite]
        later = self.runs.result(self.suite).problems if suite.selected != set() else ()  # no case is asked for this
        errors: list[Problem] = []
        for problem in (*suite.problems, *later):
            if problem.severity == "error" and problem not in errors:
                errors.append(problem)
        if errors:
            raise Failed(in_words(UserError(f"{suite.name}: some files cannot be read", problems=errors)))


class ProjectFile(pytest.File):
    """The project file."""

    runs: ProjectRuns

    def collect(self) -> Iterable[pytest.Collector]:
        for place, suite in enumerate(self.runs.suites):
            yield SuiteNode.from_parent(self, name=suite.name, runs=self.runs, suite=place)
        yield FilesNode.from_parent(self, name="files", runs=self.runs)
        if self.runs.gates:
            yield GatesNode.from_parent(self, name="gates", runs=self.runs)


class SuiteNode(pytest.Collector):
    """The cases of one suite."""

    def __init__(self, *, runs: ProjectRuns, suite: int, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs, self.suite = runs, suite

    def collect(self) -> Iterator[pytest.Item]:
        for case in self.runs.suites[self.suite].cases:
            yield CaseItem.from_parent(self, name=node_name(case.id), runs=self.runs, suite=self.suite, case=case)


class FilesNode(pytest.Collector):
    """One test per suite: whether its files can be read."""

    def __init__(self, *, runs: ProjectRuns, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs = runs

    def collect(self) -> Iterator[pytest.Item]:
        for place, suite in enumerate(self.runs.suites):
            yield FilesItem.from_parent(self, name=node_name(suite.name), runs=self.runs, suite=place)


class GatesNode(pytest.Collector):
    """The gates of the project."""

    def __init__(self, *, runs: ProjectRuns, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]  # name and parent, from pytest
        self.runs = runs

    def collect(self) -> Iterator[pytest.Item]:
        names = {one.work.suite.name for one in self.runs.suites}
        for gate in self.runs.gates:
            if not gate.suite or gate.suite in names:  # with --karat-run, only gates on the suite of that run
                yield GateItem.from_parent(self, name=node_name(rule_text(gate)), runs=self.runs, gate=gate)


def node_name(text: str) -> str:
    """A name on one line, that can be part of a node id."""
    return " ".join(visible(text).split()).replace("::", ":·:") or "unnamed"


def mark_tags(item: pytest.Item, tags: Sequence[str]) -> None:
    """A marker for each tag that can be the name of one (``-m europe``), and all tags for ``-k``."""
    item.extra_keyword_matches.update(tags)
    for tag in tags:
        if tag.isidentifier():
            item.config.addinivalue_line("markers", f"{tag}: cases with this tag")
            item.add_marker(tag)
        item.add_marker(pytest.mark.karat(tag=tag))


class Collecting:
    """The hooks of a session with ``--karat``."""

    def __init__(self, config: pytest.Config, runs: ProjectRuns) -> None:
        self._runs = runs
        known = {tag for suite in runs.suites for case in suite.cases for tag in case.tags if tag.isidentifier()}
        for tag in sorted(known):
            config.addinivalue_line("markers", f"{tag}: cases with this tag")

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
        if file_path.resolve() != self._runs.file:
            return None
        node: ProjectFile = ProjectFile.from_parent(parent, path=file_path)
        node.runs = self._runs
        return node

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        if "karat_case" in metafunc.fixturenames:
            params = [
                pytest.param(
                    (place, case.id),
                    id=node_name(case.id),
                    marks=[getattr(pytest.mark, t) for t in case.tags if t.isidentifier()],
                )
                for place, suite in enumerate(self._runs.suites)
                for case in suite.cases
            ]
            metafunc.parametrize("karat_case", params, indirect=True)
        if "karat_run" in metafunc.fixturenames and len(self._runs.suites) > 1:
            names = [suite.name for suite in self._runs.suites]
            metafunc.parametrize("karat_run", range(len(names)), ids=names, indirect=True, scope="session")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Only the cases of selected tests are asked, unless a test needs the run as a whole."""
        needed: dict[int, set[str]] = {place: set() for place in range(len(self._runs.suites))}
        whole = False
        for item in items:
            if isinstance(item, CaseItem):
                needed[item.suite].add(item.case.id)
            elif isinstance(item, GateItem) or "karat_run" in getattr(item, "fixturenames", ()):
                whole = True
            elif "karat_case" in getattr(item, "fixturenames", ()):
                place, case_id = item.callspec.params["karat_case"]  # type: ignore[attr-defined]  # a test with parameters
                needed[place].add(case_id)
        for place, suite in enumerate(self._runs.suites):
            ids = {case.id for case in suite.cases}
            suite.selected = None if whole or needed[place] == ids else needed[place]
