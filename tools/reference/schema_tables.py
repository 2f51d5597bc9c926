"""JSON Schemas as Markdown: one table per struct, with the type, default and meaning of each key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any  # Any: a JSON Schema is a tree of plain values

Schema = Mapping[str, Any]
TEXT = {"string", "number", "boolean", "null"}
"""What a text may be in YAML, where ``1.0`` and ``yes`` are read as they are written."""
WORDS = {
    "string": "text",
    "integer": "whole number",
    "boolean": "true or false",
    "null": "nothing",
    "object": "mapping",
}
MOST_CHOICES = 12


def anchor(heading: str) -> str:
    """The address of a heading, as GitHub and the site make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")


def cell(text: object) -> str:
    """A text that cannot break a table."""
    return " ".join(str(text).replace("|", "\\|").split()).replace("<", "&lt;")


class Tables:
    """The definitions of one schema. ``before``: a word that sets their headings apart from those of other schemas."""

    def __init__(self, definitions: Mapping[str, Schema], before: str = "", level: int = 3) -> None:
        self.definitions = definitions
        self.before = before
        self.level = level

    def heading(self, name: str) -> str:
        """The heading of a struct."""
        return f"{self.before}{name}"

    def type_of(self, schema: Schema) -> str:
        """What may be written, in words."""
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return f"[{name}](#{anchor(self.heading(name))})"
        if "const" in schema:
            return f"`{schema['const']}`"
        if "enum" in schema:
            choices = list(dict.fromkeys(f"`{choice}`" for choice in schema["enum"]))
            return ", ".join(choices[:MOST_CHOICES]) + (", …" if len(choices) > MOST_CHOICES else "")
        for union in ("anyOf", "oneOf", "allOf"):
            if union in schema:
                parts = [part for part in schema[union] if part != {"type": "null"} and "pattern" not in part]
                return " or ".join(dict.fromkeys(self.type_of(part) for part in parts)) or "nothing"
        return self._plain(schema)

    def _plain(self, schema: Schema) -> str:
        kinds = schema.get("type", [])
        kinds = {kinds} if isinstance(kinds, str) else set(kinds)
        if not kinds:
            return "any value"
        if kinds == TEXT:
            return "text"
        if "array" in kinds:
            return f"list of {self.type_of(schema['items'])}" if schema.get("items") else "list"
        if "object" in kinds and isinstance(schema.get("additionalProperties"), dict):
            return f"mapping to {self.type_of(schema['additionalProperties'])}"
        if len(kinds) > 1:
            kinds = kinds - {"null"}
        if kinds >= {"integer", "string"} or kinds >= {"number", "string"}:
            kinds = kinds - {"string"}  # a number in quotes is a number too
        return " or ".join(sorted(WORDS.get(kind, kind) for kind in kinds))

    def table(self, name: str) -> list[str]:
        """The heading, the sentence and the keys of one struct."""
        schema = self.definitions[name]
        required = set(schema.get("required", ()))
        lines = [f"{'#' * self.level} {self.heading(name)}", ""]
        text = schema.get("description", "").split("\n\n>>>")[0].split(">>>")[0].strip()
        lines += [text.replace("<", "&lt;"), ""] if text and not text.startswith(f"{name}(") else []
        rows = schema.get("properties", {})
        if not rows:
            return lines
        lines += ["| key | type | default | meaning |", "|---|---|---|---|"]
        for key, part in rows.items():
            given = "required" if key in required else f"`{cell(part['default'])}`" if "default" in part else ""
            lines.append(f"| `{key}` | {self.type_of(part)} | {given} | {cell(part.get('description', ''))} |")
        return [*lines, ""]

    def all(self, first: str = "") -> list[str]:
        """All structs, this one first, the others by name."""
        names = sorted(self.definitions, key=lambda name: (name != first, name))
        return [line for name in names for line in self.table(name)]
