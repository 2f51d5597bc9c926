"""A clean environment that holds what a plain install holds, and nothing else: made from what is installed here,
without a network.

Karat is built as a wheel and unpacked into it; the packages that it requires, and theirs, are linked in. Of the extras
only those that are named are.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from collections.abc import Collection
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]


def base_packages(extras: Collection[str] = ()) -> dict[str, Distribution]:
    """Every distribution that a plain install brings, and one with these extras, by its name."""
    found: dict[str, Distribution] = {}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted_here = [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]
    waiting = [(Requirement(text), "") for texts in wanted_here for text in texts]
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


def plain_python(folder: Path, extras: Collection[str] = ()) -> Path:
    """The interpreter of a new environment with a plain install of the project, and of these extras."""
    venv.create(folder / "plain", with_pip=False, symlinks=True)
    (packages,) = (folder / "plain" / "lib").glob("python*/site-packages")
    for own in base_packages(extras).values():
        for file in own.files or ():
            if file.parts[0] == ".." or not file.parts:
                continue
            source, place = Path(str(own.locate_file(file))), packages / Path(*file.parts)
            if source.is_file() and not place.exists() and "__pycache__" not in file.parts:
                place.parent.mkdir(parents=True, exist_ok=True)
                _put(source.resolve(), place)
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = folder.glob("karat-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    return folder / "plain" / "bin" / "python"


def _put(source: Path, place: Path) -> None:
    """A hard link, as installers make them: the sandbox opens the folder of the packages, and not what links in it
    point to."""
    try:
        place.hardlink_to(source)
    except OSError:  # another file system
        shutil.copy(source, place)
