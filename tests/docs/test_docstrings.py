"""The examples in the docstrings of the public functions run, in an empty folder."""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import karat


@pytest.mark.parametrize(
    "module",
    [
        "karat.verbs.check",
        "karat.verbs.compare",
        "karat.verbs.gate",
        "karat.verbs.report",
        "karat.verbs.run",
        "karat.verbs.runs",
        "karat.verbs.score",
        "karat.verbs.show",
        "karat.verbs.tune",
    ],
)
def test_the_examples_of_a_module_run(module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = doctest.testmod(import_module(module))
    assert done.attempted > 0
    assert done.failed == 0


def test_every_public_verb_has_an_example() -> None:
    for name in ("score", "run", "load_run", "check", "compare", "gate", "show", "report", "tune"):
        assert ">>> " in (getattr(karat, name).__doc__ or ""), name


def test_everything_that_is_exported_is_there() -> None:
    for name in karat.__all__:
        assert getattr(karat, name) is not None
