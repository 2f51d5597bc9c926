"""The contract's functions in the Python API, in both profiles."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.answers import number_match, string_match, table_match, tables_match


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_strings_and_numbers_in_both_profiles() -> None:
    assert string_match("It is in Ukraine", ["UK"]).score == 1
    assert string_match("It is in Ukraine", ["UK"], profile="strict").score == 0
    assert string_match("Paris, not Rome", ["Paris"], exclude=["Lyon"]).score == 1
    assert (
        string_match("Paris and Lyon", ["Paris"], exclude=["Lyon"], profile="strict").reason == "extra_match_excluded"
    )
    assert number_match("about 17.5057%", "17.5056918795851%", percentage=True).score == 1
    assert number_match("-3.5", -3.5).score == 0  # the public evaluator reads no signs
    assert number_match("-3.5", -3.5, profile="strict").score == 1


def test_tables_in_both_profiles(tmp_path: Path) -> None:
    gold = write(tmp_path / "g.csv", "a,b\n1,x\n2,y\n")
    scrambled = write(tmp_path / "s.csv", "p,q\n2,x\n1,y\n")
    assert table_match(scrambled, gold, ignore_order=True).score == 1
    assert table_match(scrambled, gold, ignore_order=True, profile="strict").reason == "rows_scrambled"
    assert table_match(scrambled, [gold, scrambled], profile="strict").score == 1
    assert tables_match([gold, scrambled], [gold, scrambled], profile="strict").score == 1
    holes = write(tmp_path / "h.csv", "a,b\n1,\n2,y\n")
    zeros = write(tmp_path / "z.csv", "a,b\n1,0\n2,y\n")
    assert table_match(zeros, holes, profile="strict").score == 0


def test_an_unknown_profile_is_refused() -> None:
    with pytest.raises(ValueError, match="spider2 or strict"):
        string_match("a", "a", profile="loose")  # type: ignore[arg-type]  # wrong on purpose
