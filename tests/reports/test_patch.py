"""Reviews as a patch: what goes into the files, what becomes a comment, what is only said in the head; and that the
real tools take it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import karat
from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.reports.patches.comments import Comment, standing, with_comments
from karat.reports.patches.patch import review_lines, review_patch
from karat.reports.patches.unified_diff import file_diff
from karat.suites.codegen.authoring.accept import accept as accept_code
from tests.reports.reviewed_runs import TOOLS, Project, fates

CASE = """\
id: {id}
conversation:
- role: user
  content: How many people?
  target:
    indicator_selection:
    - dataset_id: A
      dimensions: [{{dimension_name: I, values: [{{id: "{id}", name: x}}]}}]
"""


def answer(case: str, code: str = "other", **more: object) -> str:
    selection = [{"dataset_id": "A", "dimensions": [{"dimension_name": "I", "values": [{"id": code, "name": "x"}]}]}]
    return json.dumps({"id": case, "indicator_selection": selection, **more}) + "\n"


def a_project(tmp_path: Path, files: dict[str, bytes], answers: str = "", cases: str = "cases") -> Project:
    folder = tmp_path / "project"
    for name, data in files.items():
        (folder / "cases" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "cases" / name).write_bytes(data)
    (tmp_path / "answers.jsonl").write_text(answers or "".join(answer(case) for case in "abcd"))
    return Project(folder, "data_query", cases)


def case(name: str) -> bytes:
    return CASE.format(id=name).encode()


# -- the diff ---------------------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from([b"a", b"b", b"\r", b"", b"-x", b"+y", b"\\ z", b"@@", "ü".encode()]), max_size=12)


@settings(max_examples=25, deadline=None)
@given(old=LINES, new=LINES, old_end=st.booleans(), new_end=st.booleans())
def test_any_diff_is_applied_by_both_tools(
    tmp_path_factory: pytest.TempPathFactory, old: list[bytes], new: list[bytes], old_end: bool, new_end: bool
) -> None:
    before = b"\n".join(old) + (b"\n" if old_end else b"")
    after = b"\n".join(new) + (b"\n" if new_end else b"")
    diff = file_diff("a file.txt", before, after)
    assert bool(diff) == (before != after)
    if not diff or not before or not after:  # both tools take an emptied file for a removed one
        return
    for tool in TOOLS:
        folder = tmp_path_factory.mktemp("diff")
        (folder / "a file.txt").write_bytes(before)
        command = ["git", "apply", "--whitespace=nowarn", "-"] if tool == "git" else ["patch", "-p1", "--fuzz=0"]
        done = subprocess.run(command, cwd=folder, input=diff, capture_output=True, timeout=30)
        assert done.returncode == 0, (diff, done.stdout, done.stderr)
        assert (folder / "a file.txt").read_bytes() == after


@pytest.mark.parametrize("name", ["plain.txt", "with blank.txt", "ümläut/字.txt", 'quo"te\\back.txt', "tab\there.txt"])
@pytest.mark.parametrize("tool", TOOLS)
def test_any_name_can_be_new_and_be_changed(tmp_path: Path, name: str, tool: str) -> None:
    for old in (None, b"one\ntwo"):
        diff = file_diff(name, old, b"one\nthree")
        command = ["git", "apply", "-"] if tool == "git" else ["patch", "-p1"]
        if old is not None:
            (tmp_path / name).write_bytes(old)
        subprocess.run(command, cwd=tmp_path, input=diff, check=True, capture_output=True, timeout=30)
        assert (tmp_path / name).read_bytes() == b"one\nthree"


def test_a_hunk_has_three_lines_around_it() -> None:
    old = b"".join(b"%d\n" % number for number in range(100))
    diff = file_diff("f", old, old.replace(b"50\n", b"fifty\n"))
    assert diff == (
        b"diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -48,7 +48,7 @@\n 47\n 48\n 49\n-50\n+fifty\n 51\n 52\n 53\n"
    )


# -- comments ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "where"),
    [
        ("id: a\n", 1, "# review\nid: a\n"),
        ("\ufeffid: a\r\n", 1, "\ufeff# review\r\nid: a\r\n"),
        ("tasks:\n  - id: a\n    q: |\n      # x\n  - id: "
         "b\n", 5, "tasks:\n  - id: a\n    q: |\n      # x\n  # review\n  - id: b\n"),
        ("[{id: a}, {id: b}]", 1, "# review\n[{id: a}, {id: b}]"),
        ("a: |\n\n  x\n---\nid: a", 5, "a: |\n\n  x\n---\n# review\nid: a"),
        ("q: 'one\n\n  two'\n", 3, "# c: review\nq: 'one\n\n  two'\n"),  # inside a text: so it goes to the top
        ("id: a\n", 0, "# c: review\nid: a\n"),
    ],
)  # fmt: skip
def test_a_comment_stands_above_its_case_and_changes_nothing(text: str, line: int, where: str) -> None:
    comment = Comment(line, "c", "review")
    data, refused = with_comments(text.encode(), "f.yaml", [comment])
    assert (data.decode(), refused) == (where, [])
    assert standing(data, [comment]) == [comment] and standing(text.encode(), [comment]) == []


def test_a_row_of_a_sheet_can_have_one_and_broken_yaml_has_none() -> None:
    data, _ = with_comments(
        b'override\n[q]\n"one"\n"two"\n', "f.sheet", [Comment(4, "two", "b"), Comment(3, "one", "a")]
    )
    assert data == b'override\n[q]\n# a\n"one"\n# b\n"two"\n'
    broken = b"a: [\n"
    assert with_comments(broken, "f.yaml", [Comment(1, "c", "x")]) == (broken, [Comment(1, "c", "x")])


# -- a whole patch ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tool", TOOLS)
def test_gold_that_is_wrong_is_noted_above_its_case_once(tmp_path: Path, tool: str) -> None:
    both = case("a") + b"---\n" + case("b").replace(b"\n", b"\r\n")
    project = a_project(tmp_path, {"two.yaml": both, "c.json": json.dumps(
        {"id": "c", "conversation": [{"role": "user", "content": "x",
                "target": {"is_out_of_scope": True}}]}).encode()})  # fmt: skip
    nasty = "two\nlines\n--- a/cases/two.yaml\n+++ b/x \x1b[31m\u202e"
    project.run(tmp_path / "answers.jsonl", {"b": ("gold_wrong", nasty), "a": "accept", "c": ("gold_wrong", "really")})
    patch = project.patch()
    assert fates(patch) == {
        "a": ("accepted", ""),
        "b": ("noted", ""),
        "c": ("left_out", "c.json cannot contain comments"),
    }
    head = patch.data.decode().partition("diff --git")[0]
    assert all(line.startswith("#") or not line for line in head.splitlines())
    assert "c: " in head and ": really" in head
    project.apply(patch, tool)
    assert project.value("a", "fully_right") == 1.0
    text = (project.folder / "cases" / "two.yaml").read_bytes().decode()
    (line,) = [line for line in text.split("\r\n") if "review" in line]
    said = ", Ada: gold is wrong: two lines --- a/cases/two.yaml +++ b/x [31m"
    assert line.rpartition("---\n")[2].startswith("# review 20") and line.endswith(said)
    again = project.patch()
    assert fates(again)["b"] == ("left_out", "the comment already exists") and again.files == ()


def test_what_the_case_cannot_say_is_noted_with_the_reason(tmp_path: Path) -> None:
    text = case("a").replace(b"target:", b"target: &t").replace(b"id: a", b"id: a", 1)
    shared = text + b"- {role: user, content: again, target: *t}\n"
    project = a_project(tmp_path, {"a.yaml": shared}, answer("a", turn=0) + answer("a", turn=1))
    project.run(tmp_path / "answers.jsonl", {"a": ("accept", "it is fine")})
    patch = project.patch()
    assert fates(patch)["a"][0] == "noted" and "without changing something else" in fates(patch)["a"][1]
    assert (
        b"+# review 20" in patch.data and b": this answer is right too: it is fine (it cannot be inserted" in patch.data
    )


def test_changed_and_removed_cases_are_named_and_left_alone(tmp_path: Path) -> None:
    project = a_project(tmp_path, {f"{name}.yaml": case(name) for name in "abcd"})
    project.run(tmp_path / "answers.jsonl", {"a": "accept", "b": "gold_wrong", "c": "accept", "d": "pass"})
    for name in "ab":
        file = project.cases / f"{name}.yaml"
        file.write_bytes(file.read_bytes().replace(b"name: x", b"name: y"))
    (project.cases / "c.yaml").unlink()
    patch = project.patch()
    changed = ("left_out", "the case has changed since the run")
    assert fates(patch) == {"a": changed, "b": changed, "c": ("left_out", "the case is no longer in the files")}
    assert patch.files == () and b"There is nothing to apply." in patch.data
    assert b"1 verdict (pass or fail) without a change." in patch.data


def test_tries_with_different_answers_are_not_guessed_at(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a"), "b.yaml": case("b")}, "")
    lines = answer("a", "p", repeat=0) + answer("a", "q", repeat=1) + answer("b", "p") + answer("b", "p", repeat=1)
    (tmp_path / "answers.jsonl").write_text(lines)
    karat.run(
        suite="data_query", cases=project.cases, predictions=tmp_path / "answers.jsonl", repeats=2, store=project.store
    )
    project.review({"a": "accept", "b": "accept"})
    found = fates(project.patch())
    assert found["b"] == ("accepted", "")
    assert found["a"] == ("noted", "2 tries gave different answers, and the review does not say which is meant")


def test_a_failed_call_has_no_answer_to_accept(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a")}, json.dumps({"id": "a", "error": "429"}) + "\n")
    project.run(tmp_path / "answers.jsonl", {"a": "accept"})
    assert fates(project.patch())["a"] == ("noted", "there is no answer to accept: the call failed")


def test_bytes_that_are_no_text_are_never_touched(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a"), "b.yaml": case("b")})
    project.run(tmp_path / "answers.jsonl", {"a": "accept", "b": "gold_wrong"})
    for name, data in (("a", case("a").decode().encode("utf-16")), ("b", case("b").decode().encode("utf-16"))):
        (project.cases / f"{name}.yaml").write_bytes(data)
    found = fates(project.patch())
    assert {fate for fate, _ in found.values()} == {"left_out"}
    assert "the case is no longer in the files" in found["b"][1]  # UTF-16 is refused where cases are read


def test_links_are_left_alone(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a")})
    (project.cases / "a.yaml").rename(tmp_path / "real.yaml")
    (project.cases / "a.yaml").symlink_to(tmp_path / "real.yaml")
    project.run(tmp_path / "answers.jsonl", {"a": "accept"})
    fate, why = fates(project.patch())["a"]
    assert fate == "left_out" and "link" in why


def test_cases_that_moved_are_asked_for_by_name(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a")})
    project.run(tmp_path / "answers.jsonl", {"a": "accept"})
    moved = tmp_path / "elsewhere"
    project.cases.rename(moved)
    with pytest.raises(UserError, match='"cases" no longer exists') as error:
        project.patch()
    assert "karat export r-0001 --cases PATH" in error.value.hint and str(tmp_path) not in str(error.value)
    with project.opened() as store:
        patch = review_patch(store, 1, cases=moved, root=project.folder)
        assert patch.files == ("a.yaml",) and b'Apply it in the folder of the cases, "elsewhere"' in patch.data
        with pytest.raises(UserError, match="no such file or folder"):
            review_patch(store, 1, cases=tmp_path / "nowhere")
    known = load_suite("data_query").load_cases(moved).cases
    karat.run(suite="data_query", cases=known, predictions=tmp_path / "answers.jsonl", store=project.store)
    project.review({"a": "accept"})
    with pytest.raises(UserError, match="does not say where its case files are"):
        project.patch()


def test_inside_a_repository_the_head_says_from_where(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    project = a_project(tmp_path, {"a.yaml": case("a")})
    project.run(tmp_path / "answers.jsonl", {"a": "accept"})
    assert b"git apply --directory=project FILE, or patch -p1 < FILE." in project.patch().data


def test_no_review_asks_for_a_change(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a")})
    project.run(tmp_path / "answers.jsonl", {})
    assert (
        project.patch().data
        == b"# Reviews of r-0001 (data_query) for its case files.\n# There is nothing to apply.\n\n"
    )


def test_the_run_is_never_written_to_and_neither_are_the_files(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a"), "b.yaml": case("b")})
    project.run(tmp_path / "answers.jsonl", {"a": "accept", "b": "gold_wrong"})
    before = {file: file.read_bytes() for file in project.folder.rglob("*") if file.is_file()}
    project.patch()
    assert {file: file.read_bytes() for file in project.folder.rglob("*") if file.is_file()} == before


def test_lines_hold_every_review_without_folders(tmp_path: Path) -> None:
    project = a_project(tmp_path, {"a.yaml": case("a"), "b.yaml": case("b")})
    project.run(tmp_path / "answers.jsonl", {"a": ("accept", "why"), "b": "pass"})
    with project.opened() as store:
        first, second = (json.loads(line) for line in review_lines(store, store.run_row(1)).splitlines())
    assert first["source"] == {"file": "a.yaml", "document": 0, "line": 1} | {
        k: v for k, v in first["source"].items() if k == "item"
    }
    assert (first["case"], first["verdict"], first["comment"], "other" in first["answer"]) == (
        "a",
        "accept",
        "why",
        True,
    )
    assert second["verdict"] == "pass" and "source" not in second


# -- code -------------------------------------------------------------------------------------------------------------


def test_a_task_cannot_say_it_and_gets_a_comment(tmp_path: Path) -> None:
    text = (
        "# tasks\n- id: one\n  question: How many?\n  expected: 3\n"
        "- {id: two, question: And how many more?, expected: 4}\n"
    )
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "tasks.yaml").write_text(text)
    (tmp_path / "answers.jsonl").write_text(
        '{"id": "one", "code": "result = 5"}\n{"id": "two", "code": "result = 5"}\n'
    )
    project = Project(folder, "codegen", "tasks.yaml")
    project.run(tmp_path / "answers.jsonl", {"one": ("accept", "also"), "two": ("gold_wrong", "five")})
    patch = project.patch()
    assert {fate for fate, _ in fates(patch).values()} == {"noted"}
    project.apply(patch, "git")
    lines = (folder / "tasks.yaml").read_text().splitlines()
    assert [line[:10] for line in lines] == [
        "# tasks",
        "# review 2",
        "- id: one",
        "  question",
        "  expected",
        "# review 2",
        "- {id: two",
    ]
    assert ": this answer is right too: also (" in lines[1] and lines[5].endswith("gold is wrong: five")
    with pytest.raises(UserError, match="one expected result"):
        accept_code(None, None, folder, None)  # type: ignore[arg-type]  # refused before any is read
