"""Which environment a task runs in, and what is said when it is not there or lacks a package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.records import Case, Prediction, Turn
from karat.core.results.result import CaseResult
from karat.environments import Environment
from karat.runs.scores.scoring import score_cases
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Expected, Task
from karat.suites.codegen.requirements.options_check import check_options
from karat.suites.codegen.running.environments import box_for, environment_of, group
from karat.suites.codegen.steps.compare import compare
from karat.suites.codegen.tasks.check import check_cases
from karat.suites.codegen.tasks.runnable import environment_problems

SHARED = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "codegen2"


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, capture_output=True)
    for place in (folder, folder.parent, folder.parent.parent):
        place.chmod(0o755)
    return Environment(path=str(folder))


def case(name: str, task: Task) -> Case[Task]:
    return Case(name, (Turn(role="user", content="Add the numbers.", target=task),))


def test_the_task_names_it_else_the_option_else_the_set(bare: Environment) -> None:
    old = Environment(packages=("pandas==1.5.3", "numpy"), lock="/nowhere/x.lock")
    known = {"new": Environment(packages=("pandas==3.1",), lock="/nowhere/x.lock"), "old": old, "bare": bare}
    made = Task(made_for="pandas==1.5")
    assert environment_of(made, Options(environments=known)) == "old"
    assert environment_of(made, Options(environments=known, environment="bare")) == "bare"
    assert environment_of(Task(environment="new", made_for="pandas==1.5"), Options(environments=known)) == "new"
    assert environment_of(made, Options(environments={"bare": bare})) == ""
    assert environment_of(Task(), Options(environments=known)) == ""


def test_a_task_runs_where_it_says_and_a_missing_package_is_named(bare: Environment) -> None:
    options = Options(environments={"bare": bare}, performance=False)
    task = Task(tables={}, environment="bare", expected=Expected(value=3))
    right = compare(case("a", task), 0, Prediction("a", response=b"result = 1 + 2"), options)
    assert right.correctness.passed
    assert (right.environment.name, right.environment.ran_with["pandas"]) == ("bare", "")
    wrong = compare(case("a", task), 0, Prediction("a", response=b"import sklearn.svm\nresult = 3"), options)
    assert wrong.last.error == (
        "ModuleNotFoundError: No module named 'sklearn' "
        '(the environment "bare" has no scikit-learn: add scikit-learn to its packages)'
    )
    part = compare(case("a", task), 0, Prediction("a", response=b"import json.no_such\nresult = 3"), options)
    assert part.last.error == (
        "ModuleNotFoundError: No module named 'json.no_such' (the environment \"bare\" has no json.no_such: "
        "json is there; another version of json or another package may have it)"
    )
    own = compare(case("a", Task(expected=Expected(value=3))), 0, Prediction("a", response=b"import no_such"), options)
    assert "install no_such, or name an environment with it" in own.last.error


def test_an_environment_that_is_not_there_is_an_error_before_anything_runs(bare: Environment, tmp_path: Path) -> None:
    unbuilt = Environment(packages=("pandas==1.5.3",)).placed(tmp_path)
    options = Options(environments={"bare": bare, "old": unbuilt})
    with pytest.raises(UserError) as told:
        check_options([case("a", Task(environment="old"))], options)
    assert told.value.message == 'the task "a": the environment "old" is not built'
    assert told.value.hint == "Build it: karat env build old"
    with pytest.raises(UserError, match="no environment"):
        check_options([case("a", Task(environment="bear"))], options)
    with pytest.raises(UserError, match="cannot be combined"):
        check_options([], Options(environment="bare", python="python3", environments=options.environments))
    [found] = check_cases([case("a", Task(environment="bear", expected=Expected(value=1)))], (), options).problems
    assert 'no environment "bear"' in found.message and "bare" in found.hint
    check_options([case("a", Task(environment="bare"))], options)


def test_tasks_of_one_environment_are_scored_together_and_results_keep_their_order(
    bare: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    from karat.runs.scores import scoring

    options = Options(environments={"bare": bare})
    places = {"a": "bare", "b": "", "c": "bare", "d": ""}
    cases = [case(name, Task(environment=place)) for name, place in places.items()]
    assert [group(one, options) for one in cases] == ["bare", "", "bare", ""]
    seen: list[str] = []

    def scored(_suite: object, one: Case[Task], *_more: object) -> CaseResult:
        seen.append(one.id)
        return CaseResult(one.id, "scored", {}, {})

    monkeypatch.setattr(scoring, "score_case", scored)
    results = list(score_cases(load_suite("codegen"), ((one, {}) for one in cases), options))
    assert seen == ["b", "d", "a", "c"]
    assert [result.id for result in results] == ["a", "b", "c", "d"]


def test_the_environment_of_a_task_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "tasks.yaml"
    file.write_text("- {id: a, question: How many?, environment: old, expected: 1}\n")
    [found] = load_cases(file).cases
    task = found.conversation[-1].target
    assert task is not None and task.environment == "old"


def _problems(*numbers: str) -> list[Case[Task]]:
    file = SHARED / "ds1000_pandas_part.jsonl"
    if not file.is_file():
        pytest.skip("the shared data is not here")
    return [one for one in load_cases(file).cases if not numbers or one.id in numbers]


def test_check_says_how_many_references_of_a_set_fail_here() -> None:
    pandas = pytest.importorskip("pandas")
    native = json.loads((SHARED / "ds1000_verdicts.json").read_text())["problems"] if SHARED.is_dir() else {}
    cases = _problems(*list(native)[:6], *[one for one, said in native.items() if said["3.1.1"] != "pass"][:2])
    [found] = environment_problems(cases, Options())
    if pandas.__version__ == "3.1.1":
        assert found.message.startswith("2 of 8 tasks cannot be judged here with pandas 3.1.1: ")
        assert "(the first: " in found.message and "gold_error: " in found.message
    assert found.severity == "warning"


def test_ds1000_references_pass_on_the_version_they_were_made_for(pandas15: Environment) -> None:
    """A few of them; ``python -m benchmarks ds1000_references`` runs all."""
    from karat.suites.codegen.running.references import reference_outcome

    options = Options(environments={"pandas15": pandas15})
    native = json.loads((SHARED / "ds1000_verdicts.json").read_text())["problems"] if SHARED.is_dir() else {}
    failing_elsewhere = [one for one, said in native.items() if said["3.1.1"] != "pass"]
    for one in _problems("15", *failing_elsewhere):
        task = one.conversation[-1].target
        assert task is not None
        box = box_for(task, options)
        assert box.environment == "pandas15"
        assert reference_outcome(box, task).ok
