"""A file that is separated by something else than commas is named as such."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.suites.answers.strict import table_match
from karat.tables.files.separators import other_separator


@pytest.mark.parametrize(("letter", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")])
@pytest.mark.parametrize("decimal", [".", ","])
def test_the_separator_is_named(tmp_path: Path, letter: str, name: str, decimal: str) -> None:
    (tmp_path / "gold.csv").write_text("city,price\nParis,1.5\nRome,2.5\n")
    lines = [letter.join(row) for row in (["city", "price"], ["Paris", f"1{decimal}5"], ["Rome", f"2{decimal}5"])]
    named = [f"sep={letter}"] if decimal == "," else []  # as Excel names it
    (tmp_path / "given.csv").write_text("\n".join([*named, *lines]) + "\n")
    verdict = table_match(str(tmp_path / "given.csv"), str(tmp_path / "gold.csv"), None, True)
    assert (verdict.state, verdict.reason, verdict.evidence["kind"]) == ("wrong", "unreadable_prediction", "separator")
    assert f"given.csv is separated by {name} (2 columns); commas are expected" in verdict.evidence["problem"]


def test_one_column_that_holds_other_separators(tmp_path: Path) -> None:
    """A right answer stays right, and a header alone shows nothing."""
    for name in ("gold.csv", "given.csv"):
        (tmp_path / name).write_text("tags\na;b\nc\n")
    assert table_match(str(tmp_path / "given.csv"), str(tmp_path / "gold.csv"))
    assert other_separator(tmp_path / "given.csv") == ""
    (tmp_path / "both.csv").write_text("a;b\n1;2\n")
    assert table_match(str(tmp_path / "both.csv"), str(tmp_path / "both.csv"))
    (tmp_path / "bare.csv").write_text("a;b\n")
    assert other_separator(tmp_path / "bare.csv") == ""
