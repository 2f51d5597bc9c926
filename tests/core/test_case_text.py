"""The text of one case is cut out and put back with everything around it as it was; new cases come after the others."""

from __future__ import annotations

import json

import pytest
import yaml

from karat.core.case_files.case_text import case_text
from karat.core.problems import UserError
from karat.core.records import Where
from karat.core.yaml.append import with_entries

LIST = """# head
- id: a   # first
  text: |
    one
    # no comment

# between
- id: b
  tags: [x]

# tail
"""
TASKS = """tables: {t: t.csv}
tasks:
  - id: a
    question: A?

  # about b
  - id: b
    question: B?   # asked
"""
DOCUMENTS = "id: a\nx: 1\n---\n# second\nid: b\nx: 2\n"
JSON = '[{"id": "a", "n": [1, 2]}, {"id": "b"}]'
LINES = '{"id": "a", "n": 1.50}\r\n{"id":"b","q":"é"}\n'

PIECES = [
    (LIST, "f.yaml", Where("f.yaml", 0, 0, 2), "id: a   # first\ntext: |\n  one\n  # no comment\n"),
    (LIST, "f.yaml", Where("f.yaml", 0, 1, 8), "id: b\ntags: [x]\n"),
    (TASKS, "f.yml", Where("f.yml", 0, 1, 7), "id: b\nquestion: B?   # asked\n"),
    (DOCUMENTS, "f.yaml", Where("f.yaml", 1, None, 5), "id: b\nx: 2\n"),
    (JSON, "f.json", Where("f.json", 0, 1, 1), '{"id": "b"}'),
    (LINES, "f.jsonl", Where("f.jsonl", 0, 0, 1), '{\n  "id": "a",\n  "n": 1.5\n}\n'),
    (LINES, "f.jsonl", Where("f.jsonl", 0, 1, 2), '{\n  "id": "b",\n  "q": "é"\n}\n'),
]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("text", "name", "where", "expected"), PIECES)
def test_a_piece_is_cut_out_and_put_back_unchanged(
    text: str, name: str, where: Where, expected: str, mark: str
) -> None:
    data = (mark + text).encode()
    piece = case_text(data, where)
    assert piece.text == expected
    assert piece.with_text(piece.text) == data


@pytest.mark.parametrize(("text", "name", "where", "expected"), PIECES)
def test_a_change_stays_in_its_piece(text: str, name: str, where: Where, expected: str) -> None:
    piece = case_text(text.encode(), where)
    old = '"id": "' if where.file.endswith(("jsonl", "json")) else "id: "
    changed = piece.with_text(piece.text.replace(old, f"{old}new_", 1)).decode()
    if where.file.endswith("jsonl"):
        before, after = text.split("\n"), changed.split("\n")
        assert [one for one in before if one not in after] == [before[where.line - 1].rstrip("\r")] or "\r" in text
        assert len(before) == len(after)
    else:
        assert changed == text[: len(piece.before)] + text[len(piece.before) :].replace(old, f"{old}new_", 1)


def test_windows_line_ends_stay() -> None:
    text = LIST.replace("\n", "\r\n")
    piece = case_text(text.encode(), Where("f.yaml", 0, 1, 8))
    assert piece.with_text("id: c\ntags: [y]\n").decode() == text.replace("id: b", "id: c").replace("[x]", "[y]")


def test_a_line_that_is_no_json_any_more_is_refused() -> None:
    piece = case_text(LINES.encode(), Where("f.jsonl", 0, 1, 2))
    with pytest.raises(UserError):
        piece.with_text("{")


@pytest.mark.parametrize(
    ("text", "name"), [(LIST, "f.yaml"), (TASKS, "f.yml"), (DOCUMENTS, "f.yaml"), (JSON, "f.json")]
)
def test_new_entries_come_last_and_the_rest_stays(text: str, name: str) -> None:
    new = {"id": "n:1", "question": "Why?\nReally: yes", "tags": ["1", "#x"]}
    changed = with_entries(text.encode(), name, [new, {"id": "m"}]).decode()
    before, after = _cases(text), _cases(changed)
    assert after[: len(before)] == before
    assert after[len(before) :] == [new, {"id": "m"}]
    kept = [line for line in text.splitlines() if "#" in line]
    assert [line for line in changed.splitlines() if line in kept] == kept


def _cases(text: str) -> list[object]:
    found: list[object] = []
    for document in yaml.load_all(text, Loader=yaml.BaseLoader):
        items = document.get("tasks", document) if isinstance(document, dict) else document
        found += items if isinstance(items, list) else [items]
    return found


def test_lines_and_empty_files_take_entries_and_other_files_do_not() -> None:
    assert with_entries(b'{"id": "a"}', "f.jsonl", [{"id": "b"}]) == b'{"id": "a"}\n{"id": "b"}\n'
    assert json.loads(with_entries(b"", "f.jsonl", [{"id": "b"}])) == {"id": "b"}
    assert _cases(with_entries(b"", "f.yaml", [{"id": "b"}, {"id": "c"}]).decode()) == [{"id": "b"}, {"id": "c"}]
    with pytest.raises(UserError):
        with_entries(b"a\tb\n", "f.tsv", [{"id": "b"}])
