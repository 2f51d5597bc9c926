"""The pytest plug-in: ``pytest --karat karat.yaml`` runs the cases and gates of a project as tests.

pytest imports this module in every session of every project where Karat is installed. So it imports nothing but pytest,
and everything else is loaded only when ``--karat`` is given.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.testing.project_runs import CaseOutcome, ProjectRuns

RUNS = pytest.StashKey["ProjectRuns"]()
NEEDS = "this test uses a fixture of Karat, which needs the option --karat: pytest --karat karat.yaml"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("karat", "Karat: cases and gates as tests")
    group.addoption("--karat", metavar="FILE", help="Run the cases and gates of this karat.yaml as tests.")
    group.addoption(
        "--karat-run", metavar="RUN", help="Use this stored run (r-0012, latest, a name or tag) and make no calls."
    )
    group.addoption("--karat-store", metavar="STORE", help="Another store than that of the project.")
    group.addoption(
        "--karat-reuse", metavar="FILE", help="Take answers to unchanged questions from this cache, and add new ones."
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "karat: a case or a gate of a Karat project")
    config.addinivalue_line("markers", "karat_gate: a gate of a Karat project")
    given = config.getoption("--karat")
    if given is None:
        others = [name for name in ("--karat-run", "--karat-store", "--karat-reuse") if config.getoption(name)]
        if others:
            raise pytest.UsageError(f"{others[0]} needs --karat FILE")
        return
    from karat.testing.collecting import Collecting
    from karat.testing.project_runs import open_project

    file = (config.invocation_params.dir / given).resolve()
    config.stash[RUNS] = open_project(
        file,
        run=config.getoption("--karat-run") or "",
        store=config.getoption("--karat-store") or "",
        reuse=config.getoption("--karat-reuse") or "",
        session=str(getattr(config, "workerinput", {}).get("testrunuid", "")),
    )
    config.pluginmanager.register(Collecting(config, config.stash[RUNS]), "karat-collecting")
    if not any(Path(str(word).partition("::")[0]).resolve() == file for word in config.args):
        config.args.append(str(file))


def _runs(request: pytest.FixtureRequest) -> ProjectRuns:
    runs = request.config.stash.get(RUNS, None)
    if runs is None:
        pytest.fail(NEEDS, pytrace=False)
    return runs


@pytest.fixture(scope="session")
def karat_run(request: pytest.FixtureRequest) -> RunResult:
    """The result of the run: of the project's suite, or of each of its suites in turn."""
    return _runs(request).result(getattr(request, "param", 0))


@pytest.fixture
def karat_case(request: pytest.FixtureRequest) -> CaseOutcome:
    """Each case of the project in turn: ``case``, ``result``, ``explanation`` and ``verdict``."""
    runs = _runs(request)
    place, case_id = request.param
    return runs.outcome(place, case_id)
