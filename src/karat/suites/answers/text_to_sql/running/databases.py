"""Where the database of a question is: a folder, one file, a URL, or a pattern with ``{db}``."""

from __future__ import annotations

import os
import re
from functools import lru_cache
from pathlib import Path

from karat.core.json_types import JsonObject
from karat.core.problems import UserError, did_you_mean

LAYOUTS = tuple(
    layout.format(ending=ending)
    for ending in ("sqlite", "db", "duckdb")
    for layout in ("{{db}}/{{db}}.{ending}", "{{db}}.{ending}")
)
"""Where a folder is looked through for a database, in this order."""
SCHEMES = {"postgresql": "postgresql", "postgres": "postgresql", "mysql": "mysql", "mariadb": "mysql"}
_SAFE = re.compile(r"\w[\w. -]*")
_LFS = b"version https://git-lfs"


def engine_settings(databases: str, name: str) -> JsonObject:
    """The settings of the engine for a database of this name. UserError when there is none."""
    return _settings(databases, name, os.getcwd())  # noqa: PTH109 (for every query; a Path costs more)


@lru_cache(maxsize=4096)
def _settings(databases: str, name: str, _folder: str) -> JsonObject:
    """``_folder``: the working folder, which a relative path is relative to."""
    if not databases:
        hint = "Give --databases: a folder, a file, a URL, or a pattern such as warehouse/{db}.duckdb."
        raise UserError("there are no databases to run the SQL on", hint=hint)
    if "://" in databases:
        return _server(databases, name)
    if "{db}" in databases:
        return _file(Path(databases.replace("{db}", _safe(name))), name)
    place = Path(databases)
    if place.is_dir():
        return _file(_in_folder(place, _safe(name)), name)
    return _file(place)  # for all questions: what is wrong with it is said once, and not for each of their databases


def suite_files(folder: str, name: str) -> tuple[str, ...]:
    """The files of a Spider test suite for one database: every one whose name contains ``.sqlite``."""
    return _suite_files(folder, name, os.getcwd())  # noqa: PTH109 (for every query; a Path costs more)


@lru_cache(maxsize=1024)
def _suite_files(folder: str, name: str, _folder: str) -> tuple[str, ...]:
    place = Path(folder) / _safe(name)
    if not place.is_dir():
        names = sorted(one.name for one in Path(folder).glob("*") if one.is_dir())
        place = next((Path(folder) / one for one in names if one.lower() == name.lower()), place)
    if not place.is_dir():
        near = did_you_mean(name, names)
        raise UserError(f'there is no folder "{name}" in the test suite {folder}', hint=near)
    return tuple(sorted(str(file) for file in place.absolute().iterdir() if ".sqlite" in file.name and file.is_file()))


def _server(address: str, name: str) -> JsonObject:
    scheme = address.partition("://")[0].partition("+")[0].lower()
    if scheme == "duckdb" or scheme == "sqlite":
        return _file(Path(address.partition("://")[2].removeprefix("/").replace("{db}", _safe(name))), name)
    if scheme not in SCHEMES:
        hint = f"{did_you_mean(scheme, SCHEMES)} BigQuery and Snowflake are set in options.engines."
        raise UserError(f"there is no engine for addresses like {scheme}://…", hint=hint)
    return {"engine": SCHEMES[scheme], "url": address.replace("{db}", _safe(name) if "{db}" in address else "")}


def _safe(name: str) -> str:
    """A name that becomes part of a path or of an address."""
    if not name:
        hint = "Add db to the question, or give --databases without {db}: one file for all questions."
        raise UserError("the question does not say which database it is about", hint=hint)
    if not _SAFE.fullmatch(name) or ".." in name:
        raise UserError(f'the database name "{name}" cannot be used in a path', hint="Use letters, digits, _, - and .")
    return name


def _in_folder(folder: Path, name: str) -> Path:
    for layout in LAYOUTS:
        file = folder / layout.replace("{db}", name)
        if file.is_file():
            return file
    lower = {str(file.relative_to(folder)).lower(): file for file in _listed(folder)}
    for layout in LAYOUTS:
        if (found := lower.get(layout.replace("{db}", name).lower())) is not None:
            return found
    names = sorted({file.name if file.is_dir() else file.stem for file in folder.iterdir()})
    near = did_you_mean(name, names)
    tried = folder / LAYOUTS[0].replace("{db}", name)
    raise UserError(f'there is no database "{name}" in {folder}: tried {tried} and its other forms', hint=near)


def _listed(folder: Path) -> list[Path]:
    return [file for pattern in ("*.*", "*/*.*") for file in folder.glob(pattern) if file.is_file()]


def _file(file: Path, name: str = "") -> JsonObject:
    """The engine by what the file begins with."""
    try:
        with file.open("rb") as opened:
            start = opened.read(64)
        size = file.stat().st_size
    except OSError as error:
        near = did_you_mean(file.name, [one.name for one in file.parent.glob("*")]) if file.parent.is_dir() else ""
        what = f'the database "{name}" cannot be read at {file}' if name else f"{file} cannot be read"
        said = f"{what}: {error.strerror}"
        raise UserError(said, hint=near) from None
    if start.startswith(_LFS):
        hint = f"This is a Git LFS pointer of {size} bytes, run git lfs pull."
        raise UserError(f"{file} is not a database", hint=hint)
    if not start:
        raise UserError(f"{file} is empty", hint="An empty file is not a database: copy or download it again.")
    if start[8:12] == b"DUCK":
        return {"engine": "duckdb", "path": str(file.absolute()), "memory_limit": "1GiB"}
    if start.startswith(b"SQLite format 3\x00"):
        return {"engine": "sqlite", "path": str(file.absolute()), "memory_limit": "1GiB"}
    hint = "Karat reads SQLite and DuckDB files; a server is given as a URL."
    raise UserError(f"{file} is neither a SQLite nor a DuckDB file", hint=hint)
