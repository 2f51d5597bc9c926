"""docs/security.md: each line of its tables has a defence and a test that exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("|") and not line.startswith(("| threat", "|---"))]
SOURCES = ("Model output", "Submissions", "Gold and case files", "Replies of services", "The browser")


def test_each_source_has_its_part() -> None:
    assert [title for title in SOURCES if f"## {title}\n" not in PAGE] == []
    for title in SOURCES:
        part = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
        assert part.count("\n| ") > 3, title


def test_every_line_names_a_defence_and_a_test_that_exists() -> None:
    assert len(ROWS) > 30
    for row in ROWS:
        cells = [cell.strip() for cell in row.strip("|").split(" | ")]
        assert len(cells) == 3 and all(cells), row
        named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", cells[2])
        assert named, row
        for file, name in named:
            tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
            functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
            assert name in functions if name else any(one.startswith("test_") for one in functions), (file, name)


def test_the_page_is_linked() -> None:
    assert "(security.md)" in (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    assert "(docs/security.md)" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
