"""The reference pages are what the code says today, and nothing public is missing from them."""

from __future__ import annotations

import re

import pytest

import karat
from karat.core import plugins
from tests.conftest import ROOT
from tools.reference.pages import pages
from tools.reference.schema_tables import Tables

FOLDER = ROOT / "docs" / "reference"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return pages()


def test_the_pages_are_up_to_date(made: dict[str, str]) -> None:
    assert {file.name for file in FOLDER.glob("*.md")} == set(made)
    old = [name for name, text in made.items() if (FOLDER / name).read_text(encoding="utf-8") != text]
    assert not old, f"{', '.join(old)}: out of date. Write them again: make reference"


def test_every_public_name_option_and_suite_is_there(made: dict[str, str]) -> None:
    assert all(f"### karat.{name}\n" in made["python.md"] for name in karat.__all__)
    assert "`--predictions" in made["cli.md"].replace("-p, ", "")
    for name in plugins.names(plugins.SUITES):
        if plugins.is_own(plugins.SUITES, name):
            assert f"## Options of {name}\n" in made["config.md"]
            assert f"## {name}: cases\n" in made["files.md"] and f"## details of {name}\n" in made["json.md"]


def test_every_key_option_and_field_has_a_meaning(made: dict[str, str]) -> None:
    silent: list[str] = []
    for name, text in made.items():
        heading = ""
        for line in text.splitlines():
            heading = line if line.startswith("#") else heading
            if line.startswith("| `") and not line.removesuffix("|").rpartition("| ")[2].strip():
                silent.append(f"{name}, {heading.strip('# ')}: {line}")
    assert not silent, "give each a sentence, below its field or in its help:\n" + "\n".join(silent)


def test_every_public_name_has_a_meaning_of_its_own(made: dict[str, str]) -> None:
    """Constants and type aliases too: not the docstring of `tuple` or `Any`, and not just the type of the value."""
    silent = []
    for entry in re.split(r"^### ", made["python.md"], flags=re.MULTILINE)[1:]:
        name, _, body = entry.partition("\n")
        words = re.sub(r"```.*?```|^\|.*|^## .*", "", body, flags=re.DOTALL | re.MULTILINE).strip()
        if not words or "Built-in" in words or "Special type" in words or words.startswith("A value of type"):
            silent.append(name)
    assert not silent, f"write a docstring below each: {', '.join(silent)}"


def test_pages_do_not_depend_on_the_machine(made: dict[str, str]) -> None:
    for text in made.values():
        assert " at 0x" not in text and str(ROOT) not in text


def test_a_schema_is_shown_in_words() -> None:
    schema = {
        "type": "object",
        "description": "A thing.",
        "required": ["id"],
        "properties": {
            "id": {"type": ["string", "number", "boolean", "null"]},
            "sizes": {"type": ["array", "null"], "items": {"$ref": "#/definitions/Size"}, "description": "a | b"},
            "kind": {"enum": ["x", "y"], "default": "x"},
            "n": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        },
    }
    lines = Tables({"Thing": schema, "Size": {"type": "object"}}, "s: ").table("Thing")
    assert lines == [
        "### s: Thing",
        "",
        "A thing.",
        "",
        "| key | type | default | meaning |",
        "|---|---|---|---|",
        "| `id` | text | required |  |",
        "| `sizes` | list of [Size](#s-size) |  | a \\| b |",
        "| `kind` | `x`, `y` | `x` |  |",
        "| `n` | whole number |  |  |",
        "",
    ]
