"""JSON Schema of the public JSON: of the whole result, and of what each suite keeps in ``cases[].details``.

Both come from the structs that are written. They are shipped as ``result.schema.json`` beside this file and
``details.schema.json`` in the suite's package; ``python -m karat.reports.json_schema`` writes them again, and a test
says when that is due. Every key is listed, and keys that are always written are required.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import msgspec
from msgspec import inspect

from karat.core import plugins
from karat.core.files.atomic import write_bytes
from karat.core.json_types import JsonObject
from karat.core.suite import Suite
from karat.core.yaml.json_schema import field_docs
from karat.reports.json_layout import ResultJson

DIALECT = "https://json-schema.org/draft/2020-12/schema"
CLUSTER = {"type": "string", "description": "The same for all variants of one case."}


def result_schema() -> JsonObject:
    """The schema of ``--json``, the same for all suites."""
    return _schema("The JSON result of a Karat run", ResultJson)


def details_schema(suite: Suite) -> JsonObject:
    """The schema of ``cases[].details`` of a suite. A suite whose details are a plain mapping allows any object."""
    title = f"What the suite {suite.name} keeps of a case: cases[].details in the JSON result"
    kind = details_type(suite)
    if kind is None:
        return {"$schema": DIALECT, "title": title, "type": "object"}
    schema = _schema(title, kind)
    own = schema["$defs"][kind.__name__]
    # The runner adds what the case is a variant of, whatever the suite.
    own["properties"]["cluster"] = CLUSTER
    nothing = {"type": "object", "maxProperties": 0, "description": "There was nothing to compare."}
    alone = {
        "type": "object",
        "properties": {"cluster": CLUSTER},
        "required": ["cluster"],
        "additionalProperties": False,
    }
    return {
        **{key: value for key, value in schema.items() if key != "$ref"},
        "anyOf": [{"$ref": schema["$ref"]}, nothing, alone],
    }


def details_type(suite: Suite) -> type[msgspec.Struct] | None:
    """The struct that ``Suite.details`` says it returns."""
    try:
        kind = get_type_hints(suite.details).get("return")
    except NameError:
        return None
    return kind if isinstance(kind, type) and issubclass(kind, msgspec.Struct) else None


def schema_file(suite: Suite) -> Path | None:
    """Where the schema of a suite's details is kept: in the package of their struct."""
    kind = details_type(suite)
    place = import_module(kind.__module__).__file__ if kind is not None else None
    return Path(place).with_name("details.schema.json") if place else None


RESULT_FILE = Path(__file__).with_name("result.schema.json")


def written(schema: JsonObject) -> bytes:
    """A schema as its file has it."""
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"


def _schema(title: str, kind: type[msgspec.Struct]) -> JsonObject:
    (top,), parts = msgspec.json.schema_components([kind], ref_template="#/$defs/{name}")
    structs = _structs(inspect.type_info(kind))
    for name, part in parts.items():
        if "description" in part:
            part["description"] = _unwrapped(part["description"])
        struct = structs.get(name)
        if struct is None:
            continue
        part["required"] = [field.encode_name for field in struct.fields if _is_always_written(struct.cls, field)]
        part["additionalProperties"] = False
        meanings = field_docs(struct.cls)
        for field in struct.fields:
            written_as = part["properties"][field.encode_name]
            written_as.pop("default", None)  # what is not written is unknown, and no reader fills it in
            if meaning := meanings.get(field.name):
                written_as["description"] = meaning
    return {"$schema": DIALECT, "title": title, **top, "$defs": dict(sorted(parts.items()))}


def _unwrapped(docstring: str) -> str:
    """The paragraphs of a docstring but its examples, each on one line: how the source is wrapped does not change the
    schema."""
    paragraphs = (" ".join(paragraph.split()) for paragraph in docstring.replace("``", "`").split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if not paragraph.startswith(">>>"))


def _is_always_written(cls: type[msgspec.Struct], field: inspect.Field) -> bool:
    if field.required:
        return True
    has_default = field.default is not msgspec.NODEFAULT or field.default_factory is not msgspec.NODEFAULT
    return has_default and not cls.__struct_config__.omit_defaults  # no default and not required: it may be unset


def _structs(info: inspect.Type) -> dict[str, inspect.StructType]:
    """All structs that a type is made of, by name."""
    found: dict[str, inspect.StructType] = {}
    waiting = [info]
    while waiting:
        one = waiting.pop()
        if isinstance(one, inspect.StructType):
            if one.cls.__name__ in found:
                continue
            found[one.cls.__name__] = one
            waiting += [field.type for field in one.fields]
        for name in ("item_type", "item_types", "key_type", "value_type", "types", "type"):
            part = getattr(one, name, ())
            waiting += part if isinstance(part, tuple) else [part]
    return found


def main() -> int:
    """Write all schema files again."""
    write_bytes(RESULT_FILE, written(result_schema()))
    for name in plugins.names("karat.suites"):
        suite = plugins.load_suite(name)
        if (file := schema_file(suite)) is not None:
            write_bytes(file, written(details_schema(suite)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
