"""``karat schema``: JSON Schemas of what people write, so that editors complete keys and mark typos.

They are made from the structs that read the files, with what is installed: suites and systems of plug-ins are in them.
Those of Karat alone are shipped in ``karat/schemas``; ``python -m karat.verbs.setup.schema`` writes them again.

A project keeps a copy in ``.karat/schemas``, and its files name it in their first line (``# yaml-language-server:
$schema=…``). That works without a network and without settings in the editor, and it fits the version and the plug-ins
that the project uses.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import msgspec

from karat.core import plugins
from karat.core.case_files.file_schemas import FileForm
from karat.core.files.atomic import write_bytes
from karat.core.json_types import JsonObject
from karat.core.problems import UnknownName, UserError
from karat.core.suite import Suite
from karat.core.system import SystemType
from karat.core.yaml.json_schema import DIALECT, Schemas
from karat.runs.project_file.project import ProjectFile

SHIPPED = Path(__file__).resolve().parents[2] / "schemas"
FOLDER = Path(".karat") / "schemas"
PROJECT = "karat"
ENDING = ".schema.json"
NOTE = "# yaml-language-server: $schema="


def schemas(*, own: bool = False) -> dict[str, JsonObject]:
    """Name → schema: ``karat`` for karat.yaml, and for every suite ``SUITE.cases`` and ``SUITE.predictions``. ``own``:
    without plug-ins."""
    names = [name for name in plugins.names(plugins.SUITES) if not own or plugins.is_own(plugins.SUITES, name)]
    suites = [suite for name in names if (suite := _loaded(name)) is not None]
    found = {PROJECT: project_schema(suites, own=own)}
    for suite in suites:
        found[f"{suite.name}.cases"] = cases_schema(suite)
        found[f"{suite.name}.predictions"] = predictions_schema(suite)
    return found


def _loaded(name: str) -> Suite | None:
    """A suite; None where the package that brings it cannot be loaded, which other commands report."""
    try:
        return plugins.load_suite(name)
    except UserError:
        return None


def schema_named(name: str) -> JsonObject:
    """One of them."""
    known = schemas()
    if name not in known:
        raise UnknownName(f'there is no schema "{name}"', name, known)
    return known[name]


def written(schema: JsonObject) -> bytes:
    """A schema as its file has it."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def write_schemas(folder: Path, *, own: bool = False) -> list[Path]:
    """Write all schemas into a folder. Files that are the same already are left alone."""
    files = []
    for name, schema in schemas(own=own).items():
        file, data = folder / f"{name}{ENDING}", written(schema)
        if not file.is_file() or file.read_bytes() != data:
            write_bytes(file, data)
        files.append(file)
    return files


def note_for(name: str, file: Path, root: Path) -> str:
    """The first line of a file that tells editors which schema it has."""
    return f"{NOTE}{Path(os.path.relpath(root / FOLDER, file.parent)).as_posix()}/{name}{ENDING}"


# -- karat.yaml -------------------------------------------------------------------------------------------------------


def project_schema(suites: Sequence[Suite], *, own: bool = False) -> JsonObject:
    """The schema of karat.yaml. What a suite or a system may have follows from its name or type."""
    made = Schemas()
    top = made.of(ProjectFile)
    project = made.definitions["ProjectFile"]["properties"]
    project["systems"] |= {"additionalProperties": _system(made, own)}
    made.definitions["SuiteEntry"] = _entry(made, suites)
    return _document("A Karat project: karat.yaml", made, top)


def _system(made: Schemas, own: bool) -> JsonObject:
    """A system: the settings that its type has, and no others."""
    names = [name for name in plugins.names(plugins.SYSTEMS) if not own or plugins.is_own(plugins.SYSTEMS, name)]
    rules: list[JsonObject] = []
    for name in names:
        try:
            kind: SystemType = plugins.load(plugins.SYSTEMS, name)
        except UserError:
            continue  # nothing to complete; other commands say what is wrong with the package
        rules.append(_when("type", name, made.of(kind.config)))
    return {
        "type": "object",
        "description": "A system that is asked: its type, and the settings of that type.",
        "properties": {"type": {"enum": names, "description": "The type of the system."}},
        "required": ["type"],
        "allOf": rules,
    }


def _entry(made: Schemas, suites: Sequence[Suite]) -> JsonObject:
    """An entry of ``suites``: the keys of every suite, its own short keys, and its options."""
    entry = made.definitions["SuiteEntry"]
    usual = entry["properties"]
    every = dict(usual)
    rules: list[JsonObject] = []
    for suite in suites:
        own = made.of(suite.options)
        options = made.definitions[own["$ref"].rpartition("/")[2]]["properties"]
        short = {
            key: usual["cases"] if means == "cases" else options.get(key, {}) for key, means in suite.short_keys.items()
        }
        every |= {key: every.get(key, {}) for key in short}
        ways = ["cases", *(key for key, means in suite.short_keys.items() if means == "cases")]
        rules.append(
            _when(
                "suite",
                suite.name,
                {
                    "properties": {**short, "options": {"anyOf": [own, {"type": "null"}]}},
                    "propertyNames": {"enum": [*usual, *short]},
                    "oneOf": [{"required": [key]} for key in ways],
                },
            )
        )
    names = [suite.name for suite in suites]
    every["suite"] = {"enum": names, "description": usual["suite"].get("description", "The suite.")}
    return {**entry, "properties": every, "required": ["suite"], "allOf": rules}


def _when(key: str, value: str, then: JsonObject) -> JsonObject:
    return {"if": {"properties": {key: {"const": value}}, "required": [key]}, "then": then}


# -- cases and predictions --------------------------------------------------------------------------------------------


def cases_schema(suite: Suite) -> JsonObject:
    """The schema of a document of a case file: one case, a list of them, or a file of the suite's own form."""
    title = f"Cases of the suite {suite.name}"
    return _of_forms(title, suite.case_forms, Schemas())


def predictions_schema(suite: Suite) -> JsonObject:
    """The schema of a line of recorded predictions."""
    title = f"A line of recorded predictions for the suite {suite.name}"
    return _of_forms(title, suite.prediction_forms, Schemas(exact=True), listed=False)


def _of_forms(title: str, forms: Sequence[FileForm], made: Schemas, *, listed: bool = True) -> JsonObject:
    if not forms:
        return {"$schema": DIALECT, "title": title, "type": ["object", "array"] if listed else "object"}
    entries = [(form, made.of(form.kind, open_=form.open)) for form in forms]
    items = [schema for form, schema in entries if not form.alone]
    ways = [schema for _, schema in entries]
    if listed:
        ways.append({"type": "array", "items": items[0] if len(items) == 1 else {"anyOf": items}})
    return _document(title, made, ways[0] if len(ways) == 1 else {"anyOf": ways})


def _document(title: str, made: Schemas, top: JsonObject) -> JsonObject:
    return {"$schema": DIALECT, "title": title, **top, "definitions": dict(sorted(made.definitions.items()))}


if __name__ == "__main__":
    write_schemas(SHIPPED, own=True)
