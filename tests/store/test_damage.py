"""A damaged store says what is wrong with it and what can be saved; it never ends in a traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from sqlalchemy import text

from karat.core.problems import UserError
from karat.store import Store, open_store
from karat.store.viewer_queries import Viewing
from tests.store.samples import a_result, a_run, answer
from tests.warm import warm_karat


@pytest.fixture
def run(store: Store) -> int:
    """A run with two cases, an answer and scores."""
    run = store.create_run(a_run())
    store.add_cases(run, [("a", b"{}"), ("b", b"{}")])
    store.add_predictions(run, [answer()])
    store.add_scoring(run, a_result())
    store.add_predictions(run, [answer("b")])
    store.add_notes(run, {"seconds": {"a": 1.5}})
    return run


def broken(store: Store, statement: str) -> None:
    with store._writing() as connection:
        connection.execute(text(statement))


_RESULT, _RUN, _RUNS = "result", "run", "runs"


@pytest.mark.parametrize(
    ("statement", "use", "said"),
    [
        ("DROP TABLE scoring_blocks", _RESULT, "the table scoring_blocks is missing"),
        ("DROP TABLE summaries", _RUNS, "the table summaries is missing"),
        ("DROP TABLE predictions", "predictions", "the table predictions is missing"),
        ("ALTER TABLE scoring_blocks RENAME COLUMN data TO bytes", "lines",
         "the table scoring_blocks has no column data"),
        ("UPDATE scoring_blocks SET data = 'x' WHERE kind = 'results'", _RESULT,
         "cannot be read in 1 of 8 rows of scoring_blocks (the first: scoring_id 1, kind results, first 0)"),
        ("UPDATE scoring_blocks SET checksum = 1", "lines", "cannot be read in 8 of 8 rows of scoring_blocks"),
        ("UPDATE runs SET options = '{'", _RUN, "cannot be read in 1 of 1 row of runs (the first: id 1)"),
        ("UPDATE runs SET tags = '5'", _RUNS, "cannot be read in 1 of 1 row of runs"),
        ("UPDATE runs SET status = 'asleep'", _RUNS, "cannot be read in 1 of 1 row of runs"),
        ("UPDATE scorings SET info = '[]'", _RESULT, "cannot be read in 1 of 1 row of scorings"),
        ("UPDATE predictions SET codec = 'zlib'", "predictions", "cannot be read in 1 of 1 row of predictions"),
        ("UPDATE notes SET codec = "
         "'zlib'", _RESULT, "cannot be read in 1 of 1 row of notes (the first: run_id 1, name seconds)"),
        ("DROP TABLE notes", _RESULT, "the table notes is missing"),
        ("UPDATE run_blocks SET data = 'x' WHERE kind = 'cases'", "cases",
         "cannot be read in 1 of 5 rows of run_blocks"),
        ("UPDATE run_blocks SET checksum = 1 WHERE kind = 'responses'", "predictions",
         "cannot be read in 1 of 5 rows of run_blocks (the first: run_id 1, kind responses, first 0)"),
    ],
)  # fmt: skip
def test_it_says_what_is_damaged_and_what_can_be_saved(
    store: Store, run: int, statement: str, use: str, said: str
) -> None:
    if store.shown.startswith("postgresql"):
        statement = statement.replace("data = 'x'", "data = '\\x78'")
    broken(store, statement)
    with pytest.raises(UserError) as caught:
        if use == _RUNS:
            store.runs()
        elif use == "lines":
            Viewing(store).lines(1, ["a"])
        else:
            getattr(store, use)(run)
    assert "is damaged: " in caught.value.message and said in caught.value.message
    assert "Can be saved: " in caught.value.hint
    whole = "predictions" not in said and "runs" not in said and "kind responses" not in said
    assert ("karat export RUN --predictions FILE" in caught.value.hint) == whole
    assert ("karat score RUN" in caught.value.hint) == ("of sco" in said)
    if whole:
        assert store.predictions(run) == [answer(), answer("b")], "what is said to be whole can be read"


def test_an_error_of_ours_is_not_called_damage(store: Store, run: int) -> None:
    with pytest.raises(AttributeError):
        store.add_predictions(run, [None])  # type: ignore[list-item]  # wrong on purpose


def test_a_store_without_its_version(store: Store, url: str, run: int) -> None:
    broken(store, "DROP TABLE alembic_version")
    with pytest.raises(UserError, match="is damaged: its version"):
        open_store(url)


def test_a_value_of_the_wrong_kind(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "k.db")) as store:
        store.create_run(a_run())
        broken(store, "UPDATE runs SET cases = 'many'")
        with pytest.raises(UserError, match="cannot be read in 1 of 1 row of runs"):
            store.runs()


def karat(*words: str) -> tuple[int, str]:
    done = subprocess.run(warm_karat(*words), capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def test_the_verbs_say_it_and_the_answers_can_be_saved(tmp_path: Path) -> None:
    url = str(tmp_path / "k.db")
    with open_store(url) as store:
        run = store.create_run(a_run())
        store.add_cases(run, [("a", b'{"no": "case"}')])
        store.add_predictions(run, [answer()])
        store.add_scoring(run, a_result())
        broken(store, "DROP TABLE scoring_blocks")
    code, said = karat("runs", "show", "--store", url)
    assert (code, "Traceback" in said) == (2, False) and "the table scoring_blocks is missing" in said
    code, said = karat("score", "1", "--store", url)
    assert (code, "Traceback" in said) == (2, False) and "the stored cases of r-0001 cannot be read" in said
    code, said = karat("export", "1", "--predictions", str(tmp_path / "saved.jsonl"), "--store", url)
    assert code == 0, said
    assert (tmp_path / "saved.jsonl").stat().st_size > 0
