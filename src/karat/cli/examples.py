"""The example project: inside the package when it is installed, beside ``src`` in a checkout."""

from __future__ import annotations

import shutil
from pathlib import Path

import karat
from karat.core import plugins
from karat.core.problems import UserError, did_you_mean


def suites_with_example() -> list[str]:
    """The suites that have an example project, in the order of their names."""
    return [name for name in plugins.names("karat.suites") if _folder(name) is not None]


def _folder(suite: str) -> Path | None:
    package = Path(karat.__file__).resolve().parent
    places = (package / "examples" / suite, package.parent.parent / "examples" / suite)
    return next((place for place in places if (place / "karat.yaml").is_file()), None)


def copy_example(suite: str, folder: Path) -> list[Path]:
    """Copy the example into a folder; what is there already is never overwritten."""
    source = _folder(suite)
    if source is None:
        raise UserError(f'there is no example for "{suite}"', hint=did_you_mean(suite, suites_with_example()))
    files = sorted(file for file in source.rglob("*") if file.is_file() and not _private(file.relative_to(source)))
    clash = [file.relative_to(source) for file in files if (folder / file.relative_to(source)).exists()]
    if clash:
        raise UserError(f"{folder / clash[0]} is there already", hint="Choose an empty folder: karat init FOLDER")
    copied = []
    for file in files:
        place = folder / file.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)
        copied.append(place)
    return copied


def _private(path: Path) -> bool:
    return any(part.startswith((".", "__")) for part in path.parts)
