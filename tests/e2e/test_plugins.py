"""The five packages of ``docs/plugins.md``, made from an empty folder in a clean environment and used from the command
line; and broken ones beside them."""

from __future__ import annotations

import ast
import json
import os
import subprocess
from pathlib import Path

import openpyxl
import pytest

from tests.docs.test_pages import BLOCK, commands
from tests.e2e.pip_without_index import put_commands
from tests.e2e.plain_environment import ROOT, plain_python

PAGE = ROOT / "docs" / "plugins.md"
EXAMPLES = ROOT / "examples" / "plugins"
MODULES = sorted(file for file in EXAMPLES.rglob("*.py"))


class Place:
    """A folder, and the environment whose commands are run in it."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self.folder = folder
        self.bin = bin_folder
        self.printed: dict[str, str] = {}

    def run(self, command: str, *, path: str = "") -> subprocess.CompletedProcess[str]:
        environment = {
            "HOME": str(self.folder),
            "COLUMNS": "120",
            "PATH": f"{self.bin}{os.pathsep}/usr/bin{os.pathsep}/bin",
            **({"PYTHONPATH": path} if path else {}),
        }
        return subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=240
        )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The page, walked through: every command of it ends well."""
    python = plain_python(tmp_path_factory.mktemp("environment"), extras=("answers", "retrieval", "sql"))
    put_commands(python)
    found = Place(tmp_path_factory.mktemp("plugins"), python.parent)
    for kind, block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        assert kind == "console", "Python of the page would run in another environment"
        for command in commands(block):
            done = found.run(command)
            assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
            found.printed[command] = done.stdout + done.stderr
    return found


def test_the_page_makes_the_packages_of_the_examples(place: Place) -> None:
    files = [file for file in EXAMPLES.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert len(files) == 13
    for file in files:
        assert (place.folder / file.relative_to(EXAMPLES)).read_text() == file.read_text(), file


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_a_plugin_imports_only_what_karat_exports(module: Path) -> None:
    import karat

    nodes = [*ast.walk(ast.parse(module.read_text(encoding="utf-8")))]
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("karat")]
    assert froms and all(node.module == "karat" for node in froms)
    assert {alias.name for node in froms for alias in node.names} <= set(karat.__all__)
    assert not [
        a.name for node in nodes if isinstance(node, ast.Import) for a in node.names if a.name.startswith("karat")
    ]


def test_the_suite_runs_from_its_own_example(place: Place) -> None:
    first = place.printed["(cd facts && karat run --xlsx report.xlsx --html report.html)"]
    assert "right                 0.500" in first and "careful               0.750" in first
    assert "said yes, expected no" in place.printed["(cd facts && karat show prices-fell)"]
    assert "yes_no: 4 cases in 1 file · no mistakes" in place.printed["(cd facts && karat check)"]
    book = openpyxl.load_workbook(place.folder / "facts" / "report.xlsx")
    assert book.sheetnames == ["Overview", "Statistics", "Failure groups", "About"]
    rows = [*book["Overview"].iter_rows(values_only=True)]
    assert rows[0][-3:] == ("expected", "given", "what is wrong")
    assert rows[2][-3:] == ("answer: no", "answer: yes", "said yes, expected no")
    assert "said unknown, expected yes" in (place.folder / "facts" / "report.html").read_text(encoding="utf-8")


def test_cases_are_recognised_and_mistakes_have_their_line(place: Place) -> None:
    assert "yes_no: 4 cases" in place.run("karat check facts/cases.yaml").stdout
    (place.folder / "wrong.yaml").write_text("- id: a\n  question: b\n  answer: perhaps\n")
    said = place.run("karat check wrong.yaml --suite yes_no")
    assert said.returncode == 1 and "wrong.yaml:3:11: " in said.stdout and "perhaps" in said.stdout


def test_the_system_answers(place: Place) -> None:
    said = place.printed["(cd facts && karat run)"]
    assert "right                 0.750" in said and "system baseline (rules)" in said
    assert "1 newly right" in place.printed["(cd facts && karat compare r-0001 r-0002)"]


def test_the_metric_is_in_the_terminal_and_in_the_report(place: Place) -> None:
    assert "RBP@0.5 " in place.printed["(cd shop && karat run --xlsx report.xlsx)"]
    book = openpyxl.load_workbook(place.folder / "shop" / "report.xlsx")
    rows = [*book["Plug-in metrics"].iter_rows(values_only=True)]
    assert ("RBP@0.5", "karat-rbp") in {(row[0], row[2]) for row in rows}
    assert "Metrics of plug-ins" in {row[0] for row in book["Statistics"].iter_rows(values_only=True)}
    assert "retrieval.RBP@0.5 is" in place.printed['(cd shop && karat gate --gate "retrieval.RBP@0.5>=0.2")']
    named = place.run('cd shop && karat gate --gate "retrieval.RBP(p=0.5)>=0.2" --gate "retrieval.R@10>=0.2"')
    assert named.returncode == 0 and "retrieval.recall_at_10 is" in named.stdout, named.stderr
    near = place.run('cd shop && karat gate --gate "retrieval.RBP@0.7>=0.2"')
    assert near.returncode == 2 and 'Did you mean "RBP@0.8"?' in near.stderr


def test_the_model_is_listed_and_ranks(place: Place) -> None:
    assert "trigrams" in place.printed["karat models"]
    tuned = place.printed["(cd shop && karat tune shop.sheet --models bm25,trigrams --budget-tokens 60)"]
    assert "trigrams" in tuned


def test_the_engine_runs_the_sql_of_answers(place: Place) -> None:
    result = json.loads((place.folder / "ferries" / "result.json").read_text())
    (run,) = result if isinstance(result, list) else [result]
    assert {case["id"]: case["scores"]["strict"] for case in run["cases"]} == {"seats": 1.0, "code": 1.0}
    wrong = place.run(
        "cd ferries && sed 's/csv_folder/csv_foldr/' karat.yaml > wrong.yaml && karat run --config wrong.yaml"
    )
    assert wrong.returncode == 2 and 'Did you mean "csv_folder"?' in wrong.stderr


def test_doctor_lists_every_plugin_with_its_package(place: Place) -> None:
    said = place.printed["karat doctor"]
    for what, package in {
        "suite yes_no": "karat-yes-no",
        "metric retrieval.RBP": "karat-rbp",
        "system rules": "karat-rules",
        "model trigrams": "karat-trigrams",
        "engine csv_folder": "karat-csv-folder",
    }.items():
        assert any(f"✓ {what} " in line and f"of the package {package})" in line for line in said.splitlines()), what


BROKEN = {
    "karat.suites": {
        "no_import": "import nothing_of_this_name",
        "no_suite": "found = 42",
        "other_name": "from karat import *\nfrom karat_yes_no import suite as found",
        "answers": "found = 42",
        "quits": "raise SystemExit(3)",
    },
    "karat.systems": {"no_system": "found = 'text'", "yes_no": "import nothing_of_this_name"},
    "karat.metrics": {
        "retrieval.no_metric": "found = len",
        "retrieval.taken": "from karat import Metric\nfound = Metric('recall', 'r', 'r', len)",
        "retrievel.typo": "found = ()",
        "yes_no.raises": "from karat import Metric\nfound = Metric('raises', 'raises', 'always fails', lambda "
                         "comparison: 1 / 0)",
        "yes_no.large": "from karat import Metric, scored\nfound = Metric('large', 'large', 'a share of 7', lambda "
                        "comparison: scored(7))",
    },
    "karat.models": {"no_model": "found = 42", "bad_model": "def found(): raise RuntimeError('oh "
                                                            "no')", "bm25": "found = 42"},
    "karat.engines": {"no_engine": "found = 42", "sqlite": "found = 42"},
}  # fmt: skip


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder on the path with a package of plug-ins that are wrong in every way."""
    folder = tmp_path_factory.mktemp("broken")
    lines = []
    for group, points in BROKEN.items():
        lines.append(f"[{group}]")
        for number, (name, code) in enumerate(points.items()):
            module = f"{group.replace('.', '_')}_{number}"
            (folder / f"{module}.py").write_text(code + "\n")
            lines.append(f"{name} = {module}:found")
    about = folder / "broken_things-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-things\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    return str(folder)


def test_doctor_names_what_is_broken_with_its_package(place: Place, broken: str) -> None:
    done = place.run("karat doctor --json -", path=broken)
    assert done.returncode == 1 and "Traceback" not in done.stderr, done.stderr
    found = {(item["what"], item["state"]): item["note"] for item in json.loads(done.stdout)}
    told = {what: note for (what, state), note in found.items() if state == "broken"}
    for what, part in {
        "suite no_import": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
        "suite no_suite": "is of type int, not Suite",
        "suite other_name": 'calls itself "yes_no"',
        "suite answers": "Karat's own is used",
        "suite quits": "SystemExit: 3",
        "system no_system": "is of type str, not SystemType",
        "metric retrieval.no_metric": "not Metric",
        "metric retrieval.taken": 'has the name "recall"',
        "metric retrievel.typo": 'Did you mean "retrieval"?',
        "model no_model": "does not give a model",
        "model bad_model": "RuntimeError: oh no",
        "model bm25": "Karat's own is used",
        "engine no_engine": "is of type int, not EngineType",
        "engine sqlite": "Karat's own is used",
    }.items():
        assert part in told[what] and '"broken-things"' in told[what], (what, told[what])
    assert found["suite answers", "ok"] and found["suite yes_no", "ok"]


def test_other_commands_go_on_beside_broken_plugins(place: Place, broken: str) -> None:
    for command in (
        "karat init --suite data_query broken-dq && cd broken-dq && karat run && karat check cases && karat runs list "
        "&& karat compare r-0001 r-0001 || [ $? = 3 ]",
        "karat models",
        "karat init --show-prompt",
        "cd ferries && karat run && karat report latest --xlsx again.xlsx",
    ):
        done = place.run(command, path=broken)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr and "a bug in karat" not in done.stderr
    asked = place.run("karat init --suite no_import somewhere", path=broken)
    assert (
        asked.returncode == 2
        and 'the suite "no_import" of the package "broken-things" cannot be loaded' in asked.stderr
    )
    assert "pip uninstall broken-things" in asked.stderr
    warned = place.run("cd shop && karat run", path=broken)
    assert warned.returncode == 0, warned.stderr
    assert 'warning: the metric "retrieval.taken" of the package "broken-things" has the name "recall"' in warned.stderr
    assert "RBP@0.5 " in warned.stdout


def test_a_metric_that_fails_is_an_error_and_not_a_figure(place: Place, broken: str) -> None:
    done = place.run("cd facts && karat run --json failing.json", path=broken)
    assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
    assert "the metric raises of the package broken-things failed: ZeroDivisionError: division by zero" in done.stderr
    assert "4 of 4 answers" in done.stderr and "a share is from 0 to 1" in done.stderr
    result = json.loads((place.folder / "facts" / "failing.json").read_text())
    (run,) = result if isinstance(result, list) else [result]
    scores = run["cases"][0]["scores"]
    assert scores["right"] == 1.0 and scores["raises"] is None and scores["large"] is None
    assert {item["metric"]: item["n"] for item in run["summary"]} == {"right": 4, "careful": 4, "raises": 0, "large": 0}


def test_two_packages_with_one_name_exclude_each_other(place: Place, tmp_path: Path) -> None:
    about = tmp_path / "second_rules-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: second-rules\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[karat.systems]\nrules = karat_rules:system\n")
    done = place.run("cd facts && karat run", path=str(tmp_path))
    assert done.returncode == 2
    assert 'the packages "karat-rules" and "second-rules" all have a system "rules"' in done.stderr
    assert place.run("cd ferries && karat check", path=str(tmp_path)).returncode == 2
    assert place.run("karat runs list --config shop/karat.yaml", path=str(tmp_path)).returncode == 0
