"""A clean environment that holds what a plain install holds, and nothing else: made from what is installed here, without a network.

Karat is built as a wheel and unpacked into it; the packages that it requires, and theirs, are linked in. No extra is.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def base_packages() -> dict[str, Distribution]:
    """Every distribution that a plain install brings, by its name."""
    found: dict[str, Distribution] = {}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    waiting = [(Requirement(text), "") for text in project["dependencies"]]
    while waiting:
        requirement, extra = waiting.pop()
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        name = requirement.name.lower().replace("_", "-")
        own = distribution(name)
        new = name not in found
        found[name] = own
        for wanted in ("", *requirement.extras):
            if new or wanted:
                waiting += [(Requirement(text), wanted) for text in own.requires or ()]
    return found


def plain_python(folder: Path) -> Path:
    """The interpreter of a new environment with a plain install of the project."""
    venv.create(folder / "plain", with_pip=False, symlinks=True)
    (packages,) = (folder / "plain" / "lib").glob("python*/site-packages")
    for own in base_packages().values():
        for file in own.files or ():
            if file.parts[0] == ".." or not file.parts:
                continue
            source, place = Path(str(own.locate_file(file))), packages / Path(*file.parts)
            if source.is_file() and not place.exists() and "__pycache__" not in file.parts:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.symlink_to(source.resolve())
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("karat-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder / "plain" / "bin" / "python"
