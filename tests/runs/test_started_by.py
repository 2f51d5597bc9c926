"""Who started a run: said by the person, by the build machine, or by the system."""

from __future__ import annotations

import getpass

import pytest

from karat.runs.started_by import started_by


def test_a_name_wins_over_the_build_machine_and_that_over_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("KARAT_WHO", " Ada ")
    assert started_by() == "Ada"
    monkeypatch.setenv("KARAT_WHO", "")
    assert started_by() == "", "nobody, where that is what was asked for"
    monkeypatch.delenv("KARAT_WHO")
    assert started_by() == "ci"
    monkeypatch.setenv("CI", "false")
    monkeypatch.setenv("USER", "grace")
    monkeypatch.setenv("LOGNAME", "grace")
    assert started_by() == "grace"


def test_a_user_without_a_name_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def nameless() -> str:
        raise KeyError("uid not found")

    for name in ("KARAT_WHO", "CI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(getpass, "getuser", nameless)
    assert started_by() == ""
