"""A stored answer is no answer to a question that was changed since: scoring and watching say so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from karat.store import open_store
from karat.verbs.inputs.work import Work, work_to_do
from karat.verbs.run import plan_work, start_run
from karat.verbs.score import score_again
from karat.verbs.setup.watch import Change, Watching, scorer

CONFIG = """
systems: {mine: {type: command, command: python bot.py, cwd: ., prompt: prompt.j2}}
suites: [{suite: answers, cases: gold.jsonl, system: mine}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a stored run of two cases."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text("print(37)\n")
    (tmp_path / "prompt.j2").write_text("Answer. {{ question }}")
    (tmp_path / "karat.yaml").write_text(CONFIG)
    gold(tmp_path, "How many ships?", 37)
    with open_store("sqlite:///.karat/karat.db", create=True) as store:
        start_run(store, plan_work(plan()[0]))
    return tmp_path


def gold(folder: Path, question: str, expected: int) -> None:
    rows = [("ships", question, expected), ("seats", "How many seats?", 37)]
    lines = [
        {"instance_id": name, "question": asked, "evaluation": {"func": "number_match", "parameters": {"gold": value}}}
        for name, asked, value in rows
    ]
    (folder / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def plan() -> list[Work]:
    return work_to_do("score", config=Path("karat.yaml"), suite=None, cases=None)


def scored_again() -> list[str]:
    with open_store("sqlite:///.karat/karat.db") as store:
        return [problem.message for problem in score_again(store, "latest", cases="gold.jsonl").result.problems]


def first_notes() -> str:
    watching = Watching(plan=plan, score=scorer(None, None, asking=False), config=Path("karat.yaml").absolute())
    (change,) = watching.begin()
    assert isinstance(change, Change)
    return " ".join(change.notes)


def test_other_gold_is_no_other_question(project: Path) -> None:
    gold(project, "How many ships?", 38)
    assert scored_again() == [] and first_notes() == ""


def test_a_changed_question_is_named(project: Path) -> None:
    gold(project, "How many ships had we in 2020?", 37)
    words = (
        "1 question differs from what the run asked: ships. Their answers are to the earlier questions, and so are "
        "their scores"
    )
    assert scored_again() == [words]
    assert first_notes() == words


def test_a_prompt_that_was_changed_before_watching_began_is_pointed_out(project: Path) -> None:
    (project / "prompt.j2").write_text("Answer well. {{ question }}")
    assert "a prompt or setting has changed: the answers are of before" in first_notes()


def test_settings_that_no_answer_depends_on_are_not(project: Path) -> None:
    (project / "karat.yaml").write_text(CONFIG.replace("cwd: .,", "cwd: ., timeout: 7,"))
    assert first_notes() == ""
