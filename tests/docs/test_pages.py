"""Every command and every Python block of the pages runs as printed, and nothing that exists goes undocumented."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

import msgspec
import pytest
import typer.main

from karat.cli.main import app
from karat.core import plugins
from karat.runs.project_file.project import ProjectFile, RunOptions, SuiteEntry
from karat.stats.gates.verdicts import Gate
from karat.systems.caller import ERROR_KINDS
from tests.warm import warm_path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
ELSEWHERE = ("plugins.md",)
"""Pages whose commands install packages: they run in a clean environment, in ``tests/e2e/test_plugins.py``."""
BLOCK = re.compile(r"^```(console|python)\n(.*?)^```$", re.M | re.S)
EXIT_CODE = re.compile(r"  # exit code (\d+)")
"""What a page says of a command that does not end with 0: ``karat gate  # exit code 1``."""


def commands(block: str) -> list[str]:
    """The commands of a console block: what follows ``$``, with the lines of its here-document."""
    found: list[str] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(line[2:])
        elif found:
            found[-1] += "\n" + line
    return found


def typed(command: str, folder: Path) -> tuple[subprocess.CompletedProcess[str], Path]:
    """What a command did, and the folder that a reader is in after it: ``cd`` holds for the commands below it."""
    *said, after = (done := run(f"{command}\ncode=$?\npwd\nexit $code", folder)).stdout.splitlines()
    done.stdout = "\n".join(said)
    return done, Path(after)


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": warm_path()},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("page", [page for page in PAGES if page.name not in ELSEWHERE], ids=lambda page: page.name)
def test_commands_and_python_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__docs__"}
    folder = tmp_path
    for kind, block in BLOCK.findall(page.read_text(encoding="utf-8")):
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
        else:
            for command in commands(block):
                expected = EXIT_CODE.search(command.partition("\n")[0])
                done, folder = typed(command, folder)
                assert done.returncode == (int(expected[1]) if expected else 0), (
                    f"{command}\n{done.stdout}{done.stderr}"
                )


def test_the_readmes_commands_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = ROOT / "examples" / "data_query"
    shutil.copytree(example / "cases", tmp_path / "cases")
    shutil.copy(example / "predictions.jsonl", tmp_path / "predictions.jsonl")
    for file in ("shop.sheet", "products.csv"):
        shutil.copy(ROOT / "examples" / "retrieval" / file, tmp_path / file)
    for part in ("gold", "submission"):
        shutil.copytree(ROOT / "examples" / "answers" / part, tmp_path / part)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    folder = tmp_path
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S):
        for line in block.splitlines():
            command = line.partition("#")[0].strip()
            if not command or command.startswith("make "):
                continue
            done = run(
                command, tmp_path if "--predictions" in command or "_dir" in command or "tune" in command else folder
            )
            assert done.returncode in (0, 3), (
                f"{command}\n{done.stdout}{done.stderr}"
            )  # the example holds a failed call
            if "cd my-assistant" in command:
                folder = tmp_path / "my-assistant"
    assert (tmp_path / "report.xlsx").is_file() and (folder / "report.xlsx").is_file()
    monkeypatch.chdir(tmp_path)
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S):
        exec(compile(block, "README.md", "exec"), {})


def test_the_readmes_first_screen_has_both_commands() -> None:
    first = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:12]
    assert any(line.startswith("make demo") for line in first)
    assert any(line.startswith("make test") for line in first)


def all_pages() -> str:
    return "\n".join(page.read_text(encoding="utf-8") for page in PAGES)


def test_every_verb_and_option_is_on_the_page_of_the_command_line() -> None:
    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        parts = getattr(command, "commands", {"": command})
        for part, leaf in parts.items():
            verb = f"karat {name} {part}".strip()
            assert f"`{verb}" in page, verb
            for parameter in leaf.params:
                for option in parameter.opts:
                    if option.startswith("--") and option != "--help":
                        assert f"`{option}" in page, f"{verb} {option}"


def test_every_key_of_the_project_file_is_documented() -> None:
    page = (DOCS / "config.md").read_text(encoding="utf-8")
    for struct, prefix in ((ProjectFile, ""), (SuiteEntry, "suites[]."), (RunOptions, "run."), (Gate, "gates[].")):
        for field in msgspec.structs.fields(struct):
            if field.name in ("run", "gates"):
                continue
            assert f"`{prefix}{field.name}`" in page, field.name


def own(group: str) -> list[str]:
    """What Karat brings itself: what else is installed here is documented elsewhere."""
    return [name for name in plugins.names(group) if plugins.is_own(group, name)]


def test_every_suite_metric_and_option_is_documented() -> None:
    for name in own(plugins.SUITES):
        suite = plugins.load_suite(name)
        page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
        for word in [m.name for m in suite.metrics if not m.package] + [
            f.name for f in msgspec.structs.fields(suite.options)
        ]:
            assert f"`{word}`" in page, word


def test_the_page_of_the_sheet_language_has_the_reference_of_all_functions() -> None:
    from karat.sheet.functions import reference

    assert reference().strip() in (DOCS / "sheet.md").read_text(encoding="utf-8")


def test_every_system_setting_and_error_kind_is_documented() -> None:
    page = (DOCS / "systems.md").read_text(encoding="utf-8")
    for name in own(plugins.SYSTEMS):
        assert f"`{name}`" in page
        for field in msgspec.structs.fields(plugins.load("karat.systems", name).config):
            assert f"`{field.name}`" in page, f"{name}.{field.name}"
    for kind in ERROR_KINDS:
        assert f"`{kind}`" in page, kind


PUBLIC = ("karat", "karat.answers", "karat.engines", "karat.retrieval", "karat.sandbox", "karat.stats")


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_documented(module: str) -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    found = import_module(module)
    assert f"`{module}" in page and found.__doc__
    for name in found.__all__:
        assert f"`{module}.{name}`" in page or f"`{module}.{name}(" in page, f"{module}.{name} is not in docs/python.md"
        thing = getattr(found, name)
        assert not isinstance(thing, type | FunctionType) or thing.__doc__, f"{module}.{name} has no docstring"


def test_every_name_of_the_page_is_public() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    for module, name in re.findall(r"`(karat(?:\.(?:answers|engines|retrieval|sandbox|stats))?)\.(\w+)[`(]", page):
        assert name == "yaml" or name in import_module(module).__all__, f"{module}.{name} is on the page and not public"


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*PAGES, ROOT / "README.md", *DOCS.glob("decisions/*.md")]:
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / link).exists(), f"{page.name}: {link}"


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    example = ROOT / "examples" / "data_query"
    shown = re.search(r"^```text\n(data_query .*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    scored = run(
        f"COLUMNS=80 karat score --suite data_query --cases {example / 'cases'} --predictions "
        f"{example / 'predictions.jsonl'}",
        tmp_path,
    )
    assert shown is not None
    assert set(shown[1].splitlines()) - set(scored.stdout.splitlines()) == set()
