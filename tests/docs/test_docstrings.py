"""The examples in the docstrings of all public names run, in an empty folder."""

from __future__ import annotations

import doctest
import inspect
from pathlib import Path

import pytest

import karat

MODULES = [name for name in karat.__all__ if inspect.ismodule(getattr(karat, name))]
WITHOUT = ("__version__", "sandbox.Counter", "sandbox.INSTRUCTIONS", "sandbox.Plain", "sandbox.Status")
"""Constants and type aliases: they have no docstring of their own at run time."""
PUBLIC = [name for name in karat.__all__ if name not in WITHOUT]
PUBLIC += [f"{name}.{inner}" for name in MODULES for inner in getattr(karat, name).__all__]


@pytest.mark.parametrize("name", sorted(set(PUBLIC) - set(WITHOUT)))
def test_the_example_of_a_public_name_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    public: object = karat
    for part in name.split("."):
        public = getattr(public, part)
    docs = inspect.getdoc(public) or ""
    assert docs.strip(), f"karat.{name} has no docstring"
    tests = doctest.DocTestParser().get_doctest(docs, {}, f"karat.{name}", None, 0)
    assert tests.examples, f"the docstring of karat.{name} has no example"
    told: list[str] = []
    done = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(tests, out=told.append)
    assert done.failed == 0, "".join(told)


def test_everything_that_is_exported_is_there() -> None:
    for name in karat.__all__:
        assert getattr(karat, name) is not None
