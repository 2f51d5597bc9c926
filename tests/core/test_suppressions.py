"""Every ``noqa`` and ``type: ignore`` names its rule and its reason, on its line and in one form; ``Any`` has a reason.

``Any`` switches the type checker off. A module that uses it says why where it imports it (``# Any: why``), in words of
its own, or uses it only in aliases with a docstring, whose names then say what the value is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks")
SUPPRESSES = re.compile(r"#\s*(?:ruff:\s*|flake8:\s*|mypy:\s*)?(?:noqa|type:\s*ignore|ignore-errors)", re.IGNORECASE)
WITH_REASON = re.compile(
    r"# noqa: [A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)* \(.*\w.*\)|# type: ignore\[[a-z-]+(?:, [a-z-]+)*\]  # .*\w.*"
)

WHY_ANY = re.compile(r"# Any: (.+)")
FEWEST_WORDS = 4


def without_reason(source: str) -> Iterator[int]:
    """The lines whose comment suppresses a rule and does not say which, or why."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        suppresses = token.type == tokenize.COMMENT and SUPPRESSES.match(token.string)
        if suppresses and not WITH_REASON.fullmatch(token.string):
            yield token.start[0]


def own_files(folder: str) -> list[Path]:
    """The modules of a folder, without the packages that benchmarks install there to compare with."""
    return [file for file in sorted((ROOT / folder).rglob("*.py")) if ".cache" not in file.parts]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_suppression_has_a_reason(folder: str) -> None:
    files = own_files(folder)
    assert files
    found = [
        f"{file.relative_to(ROOT)}:{line}"
        for file in files
        for line in without_reason(file.read_text(encoding="utf-8"))
    ]
    assert not found, "write # noqa: S603 (why), or # type: ignore[arg-type]  # why"


@pytest.mark.parametrize(
    ("comment", "fine"),
    [
        ("# noqa: S603 (our own interpreter)", True),
        ("# noqa: SIM115, PTH123 (nothing to keep open)", True),
        ("# type: ignore[arg-type]  # wrong on purpose", True),
        ("# an ordinary comment", True),
        ("# noqa", False),
        ("# noqa: S603", False),
        ("# noqa: S603 ()", False),
        ("# noqa: S603 - our own interpreter", False),
        ("# type: ignore", False),
        ("# type: ignore[arg-type]", False),
        ("# type: ignore  # wrong on purpose", False),
        ("# ruff: noqa", False),
        ("# mypy: ignore-errors", False),
    ],
)
def test_the_form_of_a_reason(comment: str, fine: bool) -> None:
    assert list(without_reason(f"value = 1  {comment}\n")) == ([] if fine else [1])


def test_a_text_that_looks_like_one_is_none() -> None:
    assert not list(without_reason('value = "# noqa"\n'))


# -- Any --------------------------------------------------------------------------------------------------------------


def imports_of_any(tree: ast.Module) -> list[ast.ImportFrom]:
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and node.module in ("typing", "typing_extensions")
        and any(name.name == "Any" for name in node.names)
    ]


def reason_for_any(source: str) -> str:
    """What a module says where it imports ``Any``; empty when it says nothing."""
    lines = source.splitlines()
    for node in imports_of_any(ast.parse(source)):
        for line in lines[node.lineno - 1 : node.end_lineno]:
            if found := WHY_ANY.search(line):
                return found[1].strip()
    return ""


def uses_of_any(source: str) -> Iterator[int]:
    """The lines that use ``Any`` outside an alias with a docstring."""
    tree = ast.parse(source)
    explained: set[int] = set()
    for node in ast.walk(tree):
        for alias, docs in zip(body := getattr(node, "body", []), body[1:], strict=False) if is_block(node) else ():
            if isinstance(alias, ast.Assign | ast.AnnAssign) and alias.value is not None and is_docstring(docs):
                explained |= {id(part) for part in ast.walk(alias.value)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id="Any") | ast.Attribute(value=ast.Name(id="typing" | "typing_extensions"), attr="Any"):
                if id(node) not in explained:
                    yield node.lineno


def is_block(node: ast.AST) -> bool:
    """A module, or what it says under a condition: there an assignment makes an alias."""
    return isinstance(node, ast.Module | ast.If)


def is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def test_every_module_says_why_it_uses_any() -> None:
    files = sorted((ROOT / "src").rglob("*.py"))
    assert files
    found, reasons = [], defaultdict(list)
    for file in files:
        source, name = file.read_text(encoding="utf-8"), str(file.relative_to(ROOT))
        if "Any" not in source:
            continue
        reason = reason_for_any(source)
        if reason:
            reasons[reason.lower()].append(name)
        if len(reason.split()) < FEWEST_WORDS:
            found += [f"{name}:{line}" for line in uses_of_any(source)]
    assert not found, "write from typing import Any  # Any: why, or name it: an alias with a docstring"
    assert not {reason: names for reason, names in reasons.items() if len(names) > 1}, "say what is so in each module"


ALIAS = "from typing import Any, TypeAlias\n\nValue: TypeAlias = Any\n"


@pytest.mark.parametrize(
    ("source", "reason", "lines"),
    [
        ("from typing import Any  # Any: rows of a driver without types\n\nrow: Any\n", True, [3]),
        ("from typing import (\n    Any,  # Any: rows of a driver without types\n    Literal,\n)\n", True, []),
        ("from typing import Any  # rows\n\nrow: Any\n", False, [3]),
        ("from typing import Any\n\n\ndef read(row: list[Any]) -> Any: ...\n", False, [4, 4]),
        (f'{ALIAS}"""What a formula gives."""\n', False, []),
        (ALIAS, False, [3]),
        (f'{ALIAS}"""What a formula gives."""\nother: list[Any] = []\n', False, [5]),
        ('from typing import Any\n\nrow: list[Any] = []\n"""An annotation is no alias."""\n', False, [3]),
        ("import typing\n\nrow: typing.Any\n", False, [3]),
        ('text = "Any"  # Any: a word of a text\n', False, []),
    ],
)
def test_what_counts_as_a_reason_for_any(source: str, reason: bool, lines: list[int]) -> None:
    assert bool(reason_for_any(source)) == reason
    assert list(uses_of_any(source)) == lines
