"""An accepted selection becomes an alternative of its target, whatever the file looks like, and nothing else in the
file changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.problems import UserError
from karat.core.records import Prediction
from karat.suites.data_query import suite
from karat.suites.data_query.options import Options
from tests.reports.reviewed_runs import TOOLS, Project, fates

BLOCK = """\
# The population of a country.
id: people
tags: [weo]
conversation:
- role: user
  content: How many people live in Chile?
  target:
    indicator_selection:
    - dataset_id: IMF.RES:WEO   # the usual one
      dimensions:
      - dimension_name: INDICATOR
        values:
        - {id: LP, name: "Population, Persons"}
      - dimension_name: COUNTRY
        values:
        - {id: CHL, name: Chile}   # the last one

# the end
"""


def selected(indicator: str, name: str, **more: Any) -> dict[str, Any]:
    dimensions = [
        {"dimension_name": "INDICATOR", "values": [{"id": indicator, "name": name}]},
        {"dimension_name": "COUNTRY", "values": [{"id": "NO", "name": 'Norway: a "kingdom"'}]},
    ]
    return {"indicator_selection": [{"dataset_id": "WB:WDI(1.0)", "dimensions": dimensions}], **more}


def prediction(answer: dict[str, Any], turn: int | None = None) -> Prediction:
    return Prediction("people", turn, response=json.dumps(answer).encode())


def accepted(folder: Path, text: str, *, name: str = "case.yaml", case: int = 0, answer: Any = None) -> bytes:
    file = folder / name
    file.write_bytes(text.encode())
    cases = suite.load_cases(file).cases
    assert suite.accept is not None
    edits = suite.accept(cases[case], prediction(answer or selected("SP.POP", "All people")), file, Options())
    assert [edit.file for edit in edits] == [file]
    return edits[0].content


def test_the_new_alternative_stands_below_the_target_and_all_else_stays(tmp_path: Path) -> None:
    new = accepted(tmp_path, BLOCK).decode()
    added = """\
    alternatives:
    - indicator_selection:
      - dataset_id: "WB:WDI(1.0)"
        dimensions:
        - dimension_name: INDICATOR
          values:
          - {id: SP.POP, name: "All people"}
        - dimension_name: COUNTRY
          values:
          - {id: "NO", name: "Norway: a \\"kingdom\\""}
"""
    assert new == BLOCK.replace("# the last one\n", "# the last one\n" + added)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("crlf.yaml", BLOCK.replace("\n", "\r\n")),
        ("no_end.yaml", BLOCK.rpartition("   # the last one")[0]),
        ("bom.yaml", "\ufeff" + BLOCK),
        ("second.yaml", BLOCK.replace("people", "other", 1) + "---\n" + BLOCK),
        ("flow.yaml", json.dumps([{"id": "people",
                "conversation": [{"role": "user", "content": "?", "target": selected("A", "B")}]}])),
        ("list.json", json.dumps([{"id": "people",
                "conversation": [{"role": "user", "content": "?",
                        "target": selected("A", "B", alternatives=[selected("C", "D")])}]}], indent=2)),
        ("empty.json", json.dumps({"id": "people",
                "conversation": [{"role": "user", "content": "?",
                        "target": {"is_out_of_scope": True, "alternatives": []}}]})),
        ("folded.yaml", "- id: people\n  conversation:\n  - role: user\n    content: x\n    target:\n      "
                        "indicator_selection: []\n      period:\n        start: >-\n          2020\n\n\n- id: z\n  "
                        "conversation: [{role: user, content: y, target: {is_out_of_scope: true}}]\n"),
    ],
)  # fmt: skip
def test_any_layout_takes_it_twice_and_then_knows_it(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_bytes(text.encode())
    before = {case.id: case for case in suite.load_cases(file).cases}
    assert suite.accept is not None
    first, second = prediction(selected("X", "x")), prediction(selected("Y", "y\u2028\x85z"))
    for answer in (first, second):
        case = next(case for case in suite.load_cases(file).cases if case.id == "people")
        (edit,) = suite.accept(case, answer, file, Options())
        file.write_bytes(edit.content)
    loaded = suite.load_cases(file)
    assert not loaded.problems
    after = {case.id: case for case in loaded.cases}
    for answer in (first, second):
        assert suite.accept(after["people"], answer, file, Options()) == ()
    old, new = before.pop("people").conversation[0].target, after.pop("people").conversation[0].target
    assert old is not None and new is not None
    assert len(new.alternatives) == len(old.alternatives) + 2
    assert new.indicator_selection == old.indicator_selection
    assert [case.conversation for case in after.values()] == [case.conversation for case in before.values()]
    if "\r\n" in text:
        assert file.read_bytes().count(b"\n") == file.read_bytes().count(b"\r\n")
    assert file.read_bytes().endswith(b"\n") == text.endswith("\n")


def test_a_right_answer_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(BLOCK)
    (case,) = suite.load_cases(file).cases
    right = {"indicator_selection": [{"dataset_id": "IMF.RES:WEO(9.0.0)", "dimensions": [
        {"dimension_name": "INDICATOR", "values": [{"id": "LP", "name": "Population, Persons"}]},
        {"dimension_name": "COUNTRY", "values": [{"id": "CHL", "name": "Chile"}]}]}]}  # fmt: skip
    assert suite.accept is not None
    assert suite.accept(case, prediction(right), file, Options()) == ()


def test_an_answer_that_differs_only_by_its_dataset_can_be_accepted(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(BLOCK)
    (case,) = suite.load_cases(file).cases
    assert suite.accept is not None
    other = json.loads(json.dumps(selected("LP", "Population, Persons")))
    other["indicator_selection"][0]["dimensions"][1]["values"] = [{"id": "CHL", "name": "Chile"}]
    (edit,) = suite.accept(case, prediction(other), file, Options())
    assert other["indicator_selection"][0]["dataset_id"].encode() in edit.content


def test_what_cannot_be_said_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(BLOCK)
    (case,) = suite.load_cases(file).cases
    assert suite.accept is not None
    with pytest.raises(UserError, match="no selection to accept"):
        suite.accept(case, Prediction("people", response=b"sorry"), file, Options())


def test_a_target_behind_an_alias_is_left_alone(tmp_path: Path) -> None:
    text = (
        "- id: people\n  conversation:\n  - {role: user, content: a, target: &t {is_out_of_scope: true}}\n"
        "- id: b\n  conversation:\n  - {role: user, content: b, target: *t}\n"
    )
    with pytest.raises(UserError, match="without changing something else"):
        accepted(tmp_path, text)


def test_defaults_that_do_not_count_are_not_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "case.yaml"
    file.write_text(BLOCK)
    (case,) = suite.load_cases(file).cases
    answer = selected("SP.POP", "All people", period={"start": "2010", "end": None})
    answer["indicator_selection"][0]["dimensions"] += [
        {"dimension_name": "FREQ", "values": [{"id": "A", "name": "Annual"}], "is_default": True},
        {"dimension_name": "SEX", "operator": "all", "values": []},
    ]
    assert suite.accept is not None
    for options, kept in ((Options(), True), (Options(ignore_defaults=True), False)):
        (edit,) = suite.accept(case, prediction(answer), file, options)
        assert (b"FREQ" in edit.content) == kept
        assert b"is_default" not in edit.content and b"operator: all" in edit.content
        changed = tmp_path / "changed.yaml"
        changed.write_bytes(edit.content)
        (after,) = suite.load_cases(changed).cases
        assert suite.accept(after, prediction(answer), changed, options) == ()


@pytest.mark.parametrize("tool", TOOLS)
def test_after_the_patch_the_run_scores_right(tmp_path: Path, tool: str) -> None:
    folder = tmp_path / "project"
    (folder / "cases" / "more cases").mkdir(parents=True)
    (folder / "cases" / "people.yaml").write_bytes(BLOCK.replace("\n", "\r\n").encode())
    two = BLOCK.replace("id: people", "id: one") + "---\n" + BLOCK.replace("id: people", "id: two")
    (folder / "cases" / "more cases" / "zwei fälle.yaml").write_text(two.removesuffix("\n\n# the end\n"))
    answers = [{"id": case, **selected(f"I_{case}", "x")} for case in ("people", "one", "two")]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    project = Project(folder, "data_query", "cases")
    project.run(tmp_path / "answers.jsonl", dict.fromkeys(("people", "one", "two"), "accept"))
    assert project.value("two", "exact_match") == 0.0
    patch = project.patch()
    assert set(fates(patch).values()) == {("accepted", "")}
    assert patch.files == ("cases/more cases/zwei fälle.yaml", "cases/people.yaml")
    project.apply(patch, tool)
    for case in ("people", "one", "two"):
        assert project.value(case, "exact_match") == 1.0
    again = project.patch()
    assert again.files == () and b"diff" not in again.data
    assert set(fates(again).values()) == {("left_out", "the rule already counts the answer as right")}


@pytest.mark.parametrize("tool", TOOLS)
def test_each_turn_of_a_conversation_gets_its_own(tmp_path: Path, tool: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    target = "  target: {is_out_of_scope: false, indicator_selection: []}\n"
    text = "id: two_turns\nconversation:\n" + "".join(
        f"- role: user\n  content: {word}\n{target}- role: assistant\n  content: ok\n" for word in ("first", "second")
    )
    (folder / "case.yaml").write_text(text)
    lines = [{"id": "two_turns", "turn": turn, **selected(f"T{turn}", "x")} for turn in (0, 1)]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    project = Project(folder, "data_query", "case.yaml")
    project.run(tmp_path / "answers.jsonl", {"two_turns": "accept"})
    project.apply(project.patch(), tool)
    assert project.value("two_turns", "exact_match") == 1.0
    first, second = (turn.target for turn in suite.load_cases(folder).cases[0].conversation if turn.target)
    assert [len(first.alternatives), len(second.alternatives)] == [1, 1]
