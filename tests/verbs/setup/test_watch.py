"""Watching: only what changed is said, a broken file keeps the last figures, and watching goes on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.verbs.inputs.work import work_to_do
from karat.verbs.setup.init import start_project
from karat.verbs.setup.watch import Change, Figures, Watching, change_between, changed_files, scorer, snapshot


def watching(folder: Path, steps: list[Callable[[], object]]) -> Watching:
    """A project that is watched; each wait makes the next change."""

    def wait(_: float) -> None:
        if steps:
            steps.pop(0)()

    config = folder / "karat.yaml"
    return Watching(
        plan=lambda: work_to_do("score", config=config, suite=None, cases=None),
        score=scorer(None, config, asking=False),
        config=config,
        wait=wait,
    )


def replace(file: Path, old: str, new: str) -> Callable[[], object]:
    return lambda: file.write_text(file.read_text().replace(old, new))


def test_only_what_changed_is_said_and_a_broken_file_keeps_the_figures(tmp_path: Path) -> None:
    start_project(tmp_path)
    case = tmp_path / "cases" / "population_chile.yaml"
    first = list(watching(tmp_path, []).begin())
    assert [type(one) for one in first] == [Change]
    seen = watching(tmp_path, [])
    (started,) = seen.begin()
    assert isinstance(started, Change)
    assert started.cases == ()
    seen.wait = one_by_one([replace(case, "id: CHL", "id: ARG")])
    (changed,) = seen.next()
    assert isinstance(changed, Change)
    assert [one.id for one in changed.cases] == ["population_chile"]
    assert changed.metrics["macro_recall"][1] < started.metrics["macro_recall"][1]  # type: ignore[operator]  # both are numbers
    before = dict(seen.last)
    seen.wait = one_by_one([replace(case, "role: user", "role: usr")])
    (broken,) = seen.next()
    assert isinstance(broken, UserError)
    assert "usr" in broken.problems[0].message
    assert seen.last == before
    seen.wait = one_by_one([replace(case, "role: usr", "role: user")])
    (again,) = seen.next()
    assert isinstance(again, Change)
    assert again.is_none


def one_by_one(steps: list[Callable[[], object]]) -> Callable[[float], None]:
    waits = iter(steps)

    def wait(_: float) -> None:
        next(waits, lambda: None)()

    return wait


def test_a_broken_project_file_is_shown_and_watching_goes_on(tmp_path: Path) -> None:
    start_project(tmp_path)
    config = tmp_path / "karat.yaml"
    good = config.read_text()
    config.write_text(good + "bad: 1\n")
    seen = watching(tmp_path, [])
    (error,) = seen.begin()
    assert isinstance(error, UserError)
    seen.wait = one_by_one([lambda: config.write_text(good)])
    (change,) = seen.next()
    assert isinstance(change, Change)


def test_a_live_system_without_a_run_is_said_to_need_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    start_project(tmp_path, kind="function")
    (error,) = watching(tmp_path, []).begin()
    assert isinstance(error, UserError)
    assert "no stored run" in error.message


def test_changes_between_figures() -> None:
    before = Figures(
        {"m": 0.5}, {"a": ("scored", {"m": 0.0}), "b": ("scored", {"m": 1.0}), "c": ("error", {"m": None})}
    )
    after = Figures(
        {"m": 1.0}, {"a": ("scored", {"m": 1.0}), "b": ("scored", {"m": 1.0}), "d": ("missing", {"m": None})}
    )
    found = change_between("s", before, after)
    assert found.metrics == {"m": (0.5, 1.0)}
    assert [(one.id, one.before, one.after) for one in found.cases] == [
        ("a", "scored", "scored"),
        ("d", "", "missing"),
        ("c", "error", ""),
    ]
    assert change_between("s", after, after).is_none


def test_files_that_are_new_gone_or_different_are_seen(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    (tmp_path / "b").write_text("1")
    (tmp_path / ".karat").mkdir()
    before = snapshot([tmp_path])
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_text("22")
    (tmp_path / "c").write_text("1")
    (tmp_path / ".karat" / "d").write_text("1")
    names = [Path(file).name for file in changed_files(before, snapshot([tmp_path]))]
    assert names == ["a", "b", "c"]
