"""The architecture page and the contributor's guide name every package, and nothing that does not exist."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "karat"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
GUIDES = (ARCHITECTURE, ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", ROOT / "README.md")
SUITES = sorted(folder.parent.name for folder in SOURCE.glob("suites/*/__init__.py"))
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"(?:[\w.-]+/)+(?:[\w.-]+\.\w+)?|\w+\.(?:py|toml|json|lock)")
"""Folders end with a slash; files have an extension."""
WRITTEN_BY_USERS = {".karat/", "report.json"}


def named_paths(line: str) -> list[str]:
    """The files and folders in a line, as they are written there."""
    return [name for name in CODE.findall(line) if PATH.fullmatch(name) and name not in WRITTEN_BY_USERS]


def places(name: str, line: str, page: Path) -> list[Path]:
    """What a path means: from the root, from ``src/karat``, from the page, or from the package whose row it is in. X
    stands for every suite."""
    if "suites/X/" in name:
        return [SOURCE / name.replace("/X/", f"/{suite}/") for suite in SUITES]
    row = re.match(r"\| `([\w/]+/)` \|", line)
    bases = [ROOT, SOURCE, page.parent, *([SOURCE / row[1]] if row else [])]
    return [next((base / name for base in reversed(bases) if (base / name).exists()), SOURCE / name)]


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_path_that_is_named_exists(page: Path) -> None:
    lines = page.read_text(encoding="utf-8").splitlines()
    missing = {
        name for line in lines for name in named_paths(line) for at in places(name, line, page) if not at.exists()
    }
    assert not missing


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_every_module_that_is_named_exists(page: Path) -> None:
    groups = {
        "karat.suites",
        "karat.metrics",
        "karat.systems",
        "karat.models",
        "karat.engines",
        "karat.yaml",
        "karat.db",
    }
    named = {
        name for name in CODE.findall(page.read_text(encoding="utf-8")) if re.fullmatch(r"karat(\.[a-z_]+)+", name)
    }
    assert not {name for name in named - groups if find_spec(name) is None and not _is_attribute(name)}


def _is_attribute(name: str) -> bool:
    module, _, attribute = name.rpartition(".")
    return hasattr(__import__(module, fromlist=[attribute]), attribute)


def test_the_architecture_names_every_package() -> None:
    lines = ARCHITECTURE.read_text(encoding="utf-8").splitlines()
    named = {
        place.resolve() for line in lines for name in named_paths(line) for place in places(name, line, ARCHITECTURE)
    }
    packages = {init.parent for init in SOURCE.rglob("__init__.py")} - {SOURCE}
    assert not sorted(str(package.relative_to(SOURCE)) for package in packages - named)


def test_packages_import_only_what_the_table_says() -> None:
    wrong = {}
    table = re.findall(r"^\| `(\w+)/` \| .* \| ([\w, ]+) \|$", ARCHITECTURE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(table) == len([folder for folder in SOURCE.iterdir() if (folder / "__init__.py").is_file()])
    for package, allowed in table:
        texts = [file.read_text(encoding="utf-8") for file in (SOURCE / package).rglob("*.py")]
        imported = {
            name for text in texts for name in re.findall(r"^\s*(?:from|import) karat\.(\w+)", text, re.MULTILINE)
        }
        if allowed not in {"all of the above", "everything"}:
            wrong[package] = imported - {package} - set(allowed.split(", "))
    assert not {package: names for package, names in wrong.items() if names}


def test_the_picture_names_files_that_exist_and_is_what_its_script_draws() -> None:
    names: dict[str, object] = {"__name__": "walk", "__file__": str(ROOT / "docs/pictures/walk.py")}
    exec(compile((ROOT / "docs/pictures/walk.py").read_text("utf-8"), "walk.py", "exec"), names)
    steps = names["STEPS"]
    assert isinstance(steps, tuple)
    drawn = [f"{package}/{file}" for _, package, file, _, _ in steps]
    drawn += ["cli/measure/run.py", "verbs/run.py", "runs/runner.py"]
    assert not {path for path in drawn for at in places(path, "", ARCHITECTURE) if not at.exists()}
    svg = names["svg"]
    assert callable(svg)
    assert (ROOT / "docs/pictures/walk.svg").read_text("utf-8") == svg()
