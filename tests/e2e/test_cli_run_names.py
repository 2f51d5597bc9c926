"""A run may be called by its number, its name or a tag, and every verb understands it. A finished run is left as it
is."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import karat
from karat.cli import main
from karat.runs.baseline import find_run
from karat.store import open_store
from karat.store.store import Store

STORE = "sqlite:///runs.db"
CASES = [{"id": "one", "question": "What is sour?", "relevant": ["lemon"]}]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store with two runs: "first", tagged "baseline", and "second"."""
    monkeypatch.chdir(tmp_path)
    for name, found in (("first", "lemon"), ("second", "plum")):
        karat.run(
            suite="retrieval", cases=CASES, predictions=[{"id": "one", "results": [found]}], name=name, store=STORE
        )
    return tmp_path


def say(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: str, code: int = 0) -> str:
    monkeypatch.setattr(sys, "argv", ["karat", *words, "--store", STORE])
    with pytest.raises(SystemExit) as stopped:
        main.main()
    printed = capsys.readouterr()
    text = " ".join(f"{printed.out} {printed.err}".split())
    assert stopped.value.code == code, (words, text)
    return text


def test_every_verb_takes_a_name_and_a_tag(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "r-0001: baseline" in say(capsys, monkeypatch, "runs", "tag", "first", "baseline")
    for name in ("first", "baseline"):
        assert "retrieval" in say(capsys, monkeypatch, "runs", "show", name)
        assert "wrote r-0001.xlsx" in say(capsys, monkeypatch, "report", name)
        assert "lemon" in say(capsys, monkeypatch, "export", name, "--predictions", "-")
        assert "one" in say(capsys, monkeypatch, "export", name, "--to", "csv")
        assert "1.000" in say(capsys, monkeypatch, "score", name)
        assert "r-0001 is finished" in say(capsys, monkeypatch, "run", "--resume", name)
        assert karat.load_run(name, store=STORE).run.id == "r-0001"
    assert "deleted r-0001" in say(capsys, monkeypatch, "runs", "delete", "baseline", "--yes")


def test_unknown_name_is_the_same_mistake_everywhere(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (("report",), ("runs", "show"), ("score",), ("runs", "delete"), ("show", "one", "--run")):
        said = say(capsys, monkeypatch, *words, "frist", code=2)
        assert 'there is no run "frist" in the store' in said and 'Did you mean "first"?' in said


def test_delete_refuses_a_name_of_several_runs(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    say(capsys, monkeypatch, "runs", "tag", "1", "old")
    say(capsys, monkeypatch, "runs", "tag", "2", "old")
    said = say(capsys, monkeypatch, "runs", "delete", "old", "--yes", code=2)
    assert '2 runs are called "old": r-0002, r-0001' in said
    assert karat.load_run("1", store=STORE).run.name == "first"


def test_finished_run_is_not_scored_again(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = karat.load_run("1", store=STORE)
    said = say(capsys, monkeypatch, "run", "--resume", "1")
    assert "r-0001 is finished: nothing is left to ask. To score it again: karat score r-0001" in said
    assert karat.load_run("1", store=STORE) == before
    with karat_store() as store:
        assert len(store.scorings(1)) == 1
    say(capsys, monkeypatch, "score", "1")
    with karat_store() as store:
        assert len(store.scorings(1)) == 2


def karat_store() -> Store:
    """The store of the folder."""
    return open_store(f"sqlite:///{Path('runs.db').absolute()}", create=False)


def test_resume_by_name_takes_the_stopped_run(here: Path) -> None:
    with karat_store() as store:
        stopped = store.create_run(store.run(1))
        assert find_run(store, "first") == 1
        assert find_run(store, "first", stopped=True) == stopped


def test_check_lists_the_ids_of_a_sheet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    sheet = Path(__file__).parents[2] / "examples" / "retrieval" / "shop.sheet"
    monkeypatch.setattr(sys, "argv", ["karat", "check", str(sheet), "--json"])
    with pytest.raises(SystemExit):
        main.main()
    cases = json.loads(capsys.readouterr().out)["cases"]
    assert cases and all(case["suite"] == "retrieval" and case["id"] and case["question"] for case in cases)
