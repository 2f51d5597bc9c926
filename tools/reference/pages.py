"""The pages of ``docs/reference/``: name → text."""

from __future__ import annotations

from importlib import import_module

from karat.core import plugins
from karat.core.yaml.json_schema import Schemas
from karat.reports.json_schema import details_schema, result_schema
from karat.runs.project_file.project import ProjectFile
from karat.verbs.setup.schema import cases_schema, predictions_schema
from tools.reference.command_line import command_line
from tools.reference.python_names import python_names
from tools.reference.schema_tables import Tables

NOTE = "<!-- Made from the code by `make reference`; do not edit it. -->"
PUBLIC = ("karat", "karat.answers", "karat.engines", "karat.retrieval", "karat.sandbox", "karat.stats")


def pages() -> dict[str, str]:
    """Every page, as it should be."""
    made = {
        "config.md": config(),
        "cli.md": command_line(),
        "python.md": python_names([import_module(name) for name in PUBLIC]),
        "json.md": json_output(),
        "files.md": file_formats(),
    }
    return {name: "\n".join([lines[0], "", NOTE, *lines[1:]]).rstrip() + "\n" for name, lines in made.items()}


def own(group: str) -> list[str]:
    """The plug-ins that come with Karat."""
    return [name for name in plugins.names(group) if plugins.is_own(group, name)]


def config() -> list[str]:
    """karat.yaml: the project, the options of each suite, the settings of each type of system."""
    lines = [
        "# Reference: karat.yaml",
        "",
        "Every key with its type and default. [karat.yaml](../config.md) explains them.",
    ]
    lines += ["", "## The project file", ""]
    schemas = Schemas()
    schemas.of(ProjectFile)
    lines += Tables(schemas.definitions).all("ProjectFile")
    for name in own(plugins.SUITES):
        schemas = Schemas()
        schemas.of(plugins.load_suite(name).options)
        lines += [
            f"## Options of {name}",
            "",
            f"Keys of `options` in an entry of `suites`. See [{name}](../{name}.md).",
            "",
        ]
        lines += Tables(schemas.definitions, f"{name}: ").all("Options")
    for name in own(plugins.SYSTEMS):
        schemas = Schemas()
        kind = plugins.load(plugins.SYSTEMS, name).config
        schemas.of(kind)
        lines += [f"## Systems of type {name}", "", "Keys of an entry of `systems`. See [systems](../systems.md).", ""]
        lines += Tables(schemas.definitions, f"{name}: ").all(kind.__name__)
    return lines


def json_output() -> list[str]:
    """``--json``: the result, and the details of each suite."""
    lines = [
        "# Reference: JSON output",
        "",
        "What `--json` writes. [The JSON layout](../cli.md#the-json-layout) explains it.",
    ]
    lines += [
        "The schemas come with Karat: `karat/reports/result.schema.json`, and `details.schema.json` of each suite.",
        "",
    ]
    lines += ["## The result", "", *Tables(result_schema()["$defs"]).all("ResultJson")]
    for name in own(plugins.SUITES):
        schema = details_schema(plugins.load_suite(name))
        lines += [f"## details of {name}", "", "`cases[].details`; empty if there was nothing to compare.", ""]
        lines += Tables(schema.get("$defs", {}), f"{name}: ").all("Details")
    return lines


def file_formats() -> list[str]:
    """Case files and recorded answers of each suite."""
    lines = ["# Reference: file formats", "", "Cases (YAML, JSON or JSONL) and recorded answers (JSONL) of each suite."]
    lines += [
        "`karat schema` writes the same as JSON Schemas for editors. [Responses](../responses.md) lists everything"
    ]
    lines += ["else that an assistant may return.", ""]
    for name in own(plugins.SUITES):
        suite = plugins.load_suite(name)
        for what, schema in (("cases", cases_schema(suite)), ("recorded answers", predictions_schema(suite))):
            lines += [f"## {name}: {what}", ""]
            tables = Tables(schema.get("definitions", {}), f"{name} {what}: ")
            top = {key: part for key, part in schema.items() if key in ("$ref", "anyOf", "type", "items")}
            lines += [f"A file holds: {tables.type_of(top)}.", "", *tables.all()]
    return lines
