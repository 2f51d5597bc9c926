"""Every file in ``changes/`` is one that a release finds, and says something."""

from __future__ import annotations

import tomllib

from tests.conftest import ROOT

CHANGES = ROOT / "changes"


def test_every_fragment_has_a_type_that_the_changelog_knows_and_a_sentence() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    types = {kind["directory"] for kind in settings["type"]}
    for file in sorted(CHANGES.iterdir()):
        if file.name == "README.md":
            continue
        slug, kind, ending = file.name.rsplit(".", 2)
        assert slug and ending == "md" and kind in types, file.name
        text = file.read_text(encoding="utf-8").strip()
        assert text.endswith((".", ")", "`")) and len(text) > 20, file.name


def test_the_changelog_has_the_place_where_releases_are_written() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["towncrier"]
    assert settings["start_string"] in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
