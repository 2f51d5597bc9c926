"""Every ``noqa`` and ``type: ignore`` names its rule and its reason, on its line and in one form."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "tests", "benchmarks")
SUPPRESSES = re.compile(r"#\s*(?:ruff:\s*|flake8:\s*|mypy:\s*)?(?:noqa|type:\s*ignore|ignore-errors)", re.IGNORECASE)
WITH_REASON = re.compile(
    r"# noqa: [A-Z]+[0-9]+(?:, [A-Z]+[0-9]+)* \(.*\w.*\)|# type: ignore\[[a-z-]+(?:, [a-z-]+)*\]  # .*\w.*"
)


def without_reason(source: str) -> Iterator[int]:
    """The lines whose comment suppresses a rule and does not say which, or why."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        suppresses = token.type == tokenize.COMMENT and SUPPRESSES.match(token.string)
        if suppresses and not WITH_REASON.fullmatch(token.string):
            yield token.start[0]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_suppression_has_a_reason(folder: str) -> None:
    files = sorted((ROOT / folder).rglob("*.py"))
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
