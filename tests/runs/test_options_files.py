"""Files that options name are looked at before anything is asked, in every suite that has such an option."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import karat
from karat.core import plugins
from karat.core.problems import UserError
from karat.core.records import Case, Turn
from karat.runs.project_file.project import load_project
from karat.store import open_store
from tests.suites.data_query.building import case, target

A = target({"A": ["a"]})


def test_a_structure_that_is_not_there_ends_the_run_before_the_first_call(tmp_path: Path) -> None:
    asked: list[Any] = []
    missing = str(tmp_path / "missing.xml")
    with pytest.raises(UserError, match="there is no structure file") as error:
        karat.run(
            suite="data_query",
            cases=[case("c", A)],
            system=asked.append,
            store=tmp_path / "karat.db",
            options={"structures": [missing]},
        )
    assert missing in error.value.message
    assert asked == []
    if (tmp_path / "karat.db").exists():
        with open_store(f"sqlite:///{tmp_path / 'karat.db'}") as store:
            assert store.runs() == []


def test_scoring_recorded_answers_says_the_same(tmp_path: Path) -> None:
    (tmp_path / "bad.xml").write_text("<html>sign in</html>")
    lines = [{"id": "c", "indicator_selection": []}]
    with pytest.raises(UserError, match=r"the structure file .* cannot be used"):
        karat.score(
            suite="data_query",
            cases=[case("c", A)],
            predictions=lines,
            options={"structures": [str(tmp_path / "bad.xml")]},
        )


@pytest.mark.parametrize(
    ("suite", "options", "why"),
    [
        ("codegen", {"vocabulary": "words.yaml"}, "cannot read the vocabulary words.yaml"),
        ("codegen", {"python": "no-such-python"}, "no-such-python, which is not a program on this machine"),
        ("answers", {"engines": {"": {"engine": "sqlite", "database": "shop.sqlite"}}},
         "1 file named in options.engines"),
        ("answers", {"engines": {"c": {"engine": "bigquery", "credential": "key.json"}}},
         "1 file named in options.engines"),
        ("answers", {"engines": {"x": {"engine": "sqlite", "database": "shop.sqlite"}}}, ""),
        ("answers", {"engines": {"": {"engine": "sqlite", "database": "{id}.sqlite"}}}, ""),
    ],
)  # fmt: skip
def test_every_suite_looks_at_its_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suite: str, options: dict[str, Any], why: str
) -> None:
    import msgspec

    monkeypatch.chdir(tmp_path)
    loaded = plugins.load_suite(suite)
    cases: list[Case[Any]] = [Case("c", (Turn("user", "How many?"),))]
    read = msgspec.convert(options, loaded.options)
    if not why:
        loaded.check_options(cases, read)
        return
    with pytest.raises(UserError, match=why):
        loaded.check_options(cases, read)


def test_a_suite_that_does_not_exist_is_the_first_mistake(tmp_path: Path) -> None:
    """Its other keys may be short keys of the suite that is meant: nothing else says what is wrong."""
    file = tmp_path / "karat.yaml"
    file.write_text("suites:\n- {suite: answer, questions: q.csv, databases: shop.sqlite, predictions: p.jsonl}\n")
    with pytest.raises(UserError) as caught:
        load_project(file)
    first = caught.value.problems[0]
    assert (first.line, first.message, first.hint) == (2, 'there is no suite "answer"', 'Did you mean "answers"?')
    file.write_text("suites:\n- {suite: answer, cases: q.csv, predictions: p.jsonl}\n")
    with pytest.raises(UserError) as caught:
        load_project(file)
    assert [problem.message for problem in caught.value.problems] == ['there is no suite "answer"']
