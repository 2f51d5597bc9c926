"""Case files: every layout, every trap, and a bad file that stops nothing else."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.core.records import Prediction, truth_hash
from karat.suites.data_query import suite
from karat.suites.data_query.cases import load_cases
from karat.suites.data_query.selection.selection import Term

CASE = """\
id: {id}
conversation:
- role: user
  content: How many people live there?
  target:
    indicator_selection:
    - dataset_id: IMF.RES:WEO
      dimensions:
      - dimension_name: COUNTRY
        values:
        - id: {code}
          name: {name}
"""


def write(path: Path, case_id: str = "one", code: str = "MEX", name: str = "Mexico") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(CASE.format(id=case_id, code=code, name=name), encoding="utf-8")
    return path


def first_term(path: Path) -> Term:
    loaded = load_cases(path)
    assert not loaded.problems
    target = loaded.cases[0].conversation[0].target
    assert target is not None
    term: Term = target.indicator_selection[0].dimensions[0].values[0]
    return term


@pytest.mark.parametrize("code", ["NO", "001", "1:30", "null", "1.10", "0x10", "ON"])
def test_codes_load_as_the_text_in_the_file(tmp_path: Path, code: str) -> None:
    assert first_term(write(tmp_path / "c.yaml", code=code, name=code)) == Term(code, code)


def test_a_name_with_a_comma(tmp_path: Path) -> None:
    assert first_term(write(tmp_path / "c.yaml", name='"Population, Persons"')).name == "Population, Persons"
    assert (
        first_term(write(tmp_path / "c.yaml", name="Population, Persons")).name == "Population, Persons"
    )  # block style


def test_an_unquoted_comma_in_flow_style_names_file_line_case_and_key(tmp_path: Path) -> None:
    file = write(tmp_path / "c.yaml")
    file.write_text(
        file.read_text().replace("- id: MEX\n          name: Mexico", "- {id: LP, name: Population, Persons}")
    )
    (problem,) = load_cases(file).problems
    assert (problem.file, problem.line) == (str(file), 11)
    assert problem.message == 'unknown key "Persons" in a term (case "one")'
    assert problem.hint == 'The comma ended the string before it. Quote the whole value: "Population, Persons".'


def test_a_folder_of_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path / "b.yaml", "b")
    write(tmp_path / "deep" / "er" / "a.yml", "a")
    write(tmp_path / ".hidden" / "h.yaml", "h")
    (tmp_path / "karat.yaml").write_text("name: not a case")
    (tmp_path / "notes.txt").write_text("no case")
    loaded = load_cases(tmp_path)
    assert [case.id for case in loaded.cases] == ["b", "a"]
    assert (loaded.files, loaded.problems) == (2, ())


def test_several_documents_in_a_file_and_a_list_in_a_file(tmp_path: Path) -> None:
    several = tmp_path / "several.yaml"
    several.write_text("---\n".join(CASE.format(id=i, code="A", name="a") for i in "pq"))
    listed = tmp_path / "listed.yaml"
    indented = ["- " + CASE.format(id=i, code="A", name="a").replace("\n", "\n  ").rstrip() for i in "rs"]
    listed.write_text("\n".join(indented))
    loaded = load_cases(tmp_path)
    assert loaded.problems == ()
    assert [(c.id, c.source.document, c.source.item, c.source.line) for c in loaded.cases] == [
        ("r", 0, 0, 1),
        ("s", 0, 1, 13),
        ("p", 0, None, 1),
        ("q", 1, None, 14),
    ]


def test_a_broken_file_among_good_ones(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / f"{number:02}.yaml", f"case {number}")
    (tmp_path / "07.yaml").write_text("id: [unclosed")
    (tmp_path / "08.yaml").write_bytes(b"id: \xff\xfe\xfa")
    (tmp_path / "09.yaml").write_text("id: x\nconversation: []\n")
    loaded = load_cases(tmp_path)
    assert len(loaded.cases) == 17
    assert [Path(problem.file).name for problem in loaded.problems] == ["07.yaml", "08.yaml", "09.yaml"]


def test_a_duplicate_id_names_both_files(tmp_path: Path) -> None:
    write(tmp_path / "a.yaml", "same")
    write(tmp_path / "b.yaml", "same")
    loaded = load_cases(tmp_path)
    assert len(loaded.cases) == 1
    (problem,) = loaded.problems
    assert problem.file.endswith("b.yaml")
    assert f'"same" appears twice: also in {tmp_path / "a.yaml"}:1' in problem.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("conversation: []", 'a case file without "id"'),
        ("id: ''\nconversation: [{role: user, content: x, target: {}}]", "the case has an empty id"),
        ("id: a\nconversation: [{role: user, content: x}]", 'case "a" has no target'),
        ("id: a\nconversation: [{role: assistant, content: x, target: {}}]", 'case "a" has no user turn'),
        ("id: a\nconversation: [{role: usr, content: x}]", "expected one of user, assistant, system"),
        ("id: a\ntag: x\nconversation: []", 'unknown key "tag" in a case file'),
    ],
)
def test_mistakes_in_a_case(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(text)
    loaded = load_cases(file)
    assert loaded.cases == ()
    assert loaded.problems[0].message.startswith(message)


def test_no_such_path_and_an_empty_folder_are_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or folder"):
        load_cases(tmp_path / "nowhere")
    with pytest.raises(UserError, match="no case files"):
        load_cases(tmp_path)


def test_the_truth_hash_follows_what_is_asked_and_expected_only(tmp_path: Path) -> None:
    before = truth_hash(load_cases(write(tmp_path / "a" / "c.yaml")).cases)
    moved = tmp_path / "b" / "d.yaml"
    write(moved)
    moved.write_text("tags: [x]\nname: other\ncomments: later\n" + moved.read_text())
    assert truth_hash(load_cases(moved).cases) == before
    assert truth_hash(load_cases(write(moved, name="México")).cases) != before


def test_the_contracts_sample_loads(shared: Path, tmp_path: Path) -> None:
    text = (shared / "seeds" / "data-query-methodology.md").read_text(encoding="utf-8")
    file = tmp_path / "sample.yaml"
    file.write_text(text.split("```yaml\n")[1].split("```")[0], encoding="utf-8")
    loaded = load_cases(file)
    assert loaded.problems == ()
    (case,) = loaded.cases
    assert (case.id, case.tags) == ("c48d7624-d376-48ca-b2d8-386999befb45", ("imf", "weo"))
    assert case.question == "Could you give me the population numbers for Mexico?"
    target = case.conversation[0].target
    assert target is not None
    assert [d.dimension_name for d in target.indicator_selection[0].dimensions] == ["INDICATOR", "COUNTRY"]


def test_a_jsonl_file_has_a_case_in_each_line_and_a_folder_passes_it_over(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "q", "target": {"indicator_selection": [{"dataset_id": "X:D"}]}}
    lines = [json.dumps({"id": name, "conversation": [turn]}) for name in ("a", "b", "a")]
    wrong = json.dumps({"id": "c", "conversation": [turn], "tag": ["x"]})
    file = tmp_path / "cases.jsonl"
    file.write_text("\n".join([lines[0], "", lines[1], "{", lines[2], wrong]))
    found = load_cases(file)
    assert [(case.id, case.source.line, case.source.item) for case in found.cases] == [("a", 1, 0), ("b", 3, 2)]
    assert [problem.line for problem in found.problems] == [4, 5, 6]
    assert f"also in {file}:1" in found.problems[1].message and 'unknown key "tag"' in found.problems[2].message
    assert list(suite.each_case(file)) == [found.cases[0], found.cases[1], *found.problems]
    packed = tmp_path / "cases.jsonl.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert [case.id for case in load_cases(packed).cases] == ["a", "b"]
    with pytest.raises(UserError, match="there are no case files"):
        load_cases(tmp_path)


def test_an_answer_is_not_accepted_into_a_jsonl_file(tmp_path: Path) -> None:
    turn = {"role": "user", "content": "q", "target": {"indicator_selection": [{"dataset_id": "X:D"}]}}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "a", "conversation": [turn]}))
    case = load_cases(file).cases[0]
    assert suite.accept is not None
    with pytest.raises(UserError, match=r"cases.jsonl is a JSONL file, which is not edited here \(line 1\)"):
        suite.accept(case, Prediction("a", 0, 0, b'{"indicator_selection": []}'), file, suite.options())
