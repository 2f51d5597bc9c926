"""Texts replaced in YAML files: the new value is read back exactly, and every other byte is what it was."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from yaml.nodes import MappingNode, Node, ScalarNode

from karat.core.case_files.case_checks import Fix
from karat.core.problems import UserError
from karat.core.yaml.edit import Edit, _plan, _spliced, apply_fixes, find, roots_of
from karat.core.yaml.structs import Findings, documents


def plain(node: Node) -> Any:
    """A node as lists, dicts and texts."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, MappingNode):
        return {key.value: plain(value) for key, value in node.value}
    return [plain(item) for item in node.value]


def parsed(data: bytes) -> list[Any]:
    findings = Findings("test")
    trees = [plain(root) for root in documents(data, findings)]
    assert not findings.problems
    return trees


def replace_scalars(data: bytes, edits: Sequence[Edit]) -> bytes:
    """What apply_fixes does to the bytes of one file; ValueError, saying why, when a text cannot be replaced alone."""
    roots = roots_of(data)
    splices, refusals = _plan(roots, edits, shared=b"*" in data)
    if refusals:
        raise ValueError("; ".join(f"line {refusal.line}: {refusal.reason}" for refusal in refusals))
    return _spliced(data, roots, splices, edits)


def edited(text: str, new: str, *path: str | int, document: int = 0) -> str:
    return replace_scalars(text.encode(), [(document, path, new)]).decode()


# -- styles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("name: Old # why", "New", "name: New # why"),
        ("name: Old", "GDP, current prices", "name: GDP, current prices"),
        ("name: Old", "Prices: all", "name: 'Prices: all'"),
        ("name: Old", "a #b", "name: 'a #b'"),
        ("name: Old", "- a", "name: '- a'"),
        ("name: Old", "Côte d'Ivoire", "name: Côte d'Ivoire"),
        ("name: Old", "it's: so", "name: 'it''s: so'"),
        ("name: Old", "2010", "name: '2010'"),
        ("name: Old", "No", "name: 'No'"),
        ("name: Old", "", "name: ''"),
        ("name: Old", "two\nlines", r'name: "two\nlines"'),
        ("name: 'Old' # why", "New", "name: 'New' # why"),
        ("name: 'Old'", "a\tb", "name: 'a\tb'"),
        ("name: 'Old'", "bell\x07", r'name: "bell\u0007"'),
        ('name:   "Old"', 'say "so"\\', r'name:   "say \"so\"\\"'),
        ("name:", "New", "name: New"),
        ("name:   # none yet", "New", "name: New   # none yet"),
        ("{id: X, name: Old}", "New", "{id: X, name: New}"),
        ("{id: X, name: Old}", "a, b", "{id: X, name: 'a, b'}"),
        ('{"id":"X","name":"Old"}', "a, b", '{"id":"X","name":"a, b"}'),
        ("name: &n Old", "New", "name: &n New"),
        ("name: &n !!str 'Old'", "New", "name: &n !!str 'New'"),
        ("name: &n\nid: X", "New", "name: &n New\nid: X"),
        ("name: Old\n  and more\nid: X", "New", "name: New\nid: X"),
        ("name: >-  # long\n  Old and\n  more\n\n# next\nid: X", "New", "name: >-  # long\n  New\n\n# next\nid: X"),
        ("name: |\n    Old\n\nid: X", "New\nline\n", "name: |\n    New\n    line\n\nid: X"),
        ("name: |2\n   Old\nid: X", "New", "name: New\nid: X"),
        ("name: >\n  Old\nid: X", "two\nlines", 'name: "two\\nlines"\nid: X'),
        ("name: |\r\n  Old\r\nid: X\r\n", "a\nb", "name: |-\r\n  a\r\n  b\r\nid: X\r\n"),
        ("名: 😀 # 😀\nname: Old 😀 # 😀\n", "New 😀", "名: 😀 # 😀\nname: New 😀 # 😀\n"),
    ],
)
def test_style_is_kept_where_the_text_allows(old: str, new: str, expected: str) -> None:
    result = edited(old, new, "name")
    assert result == expected
    assert parsed(result.encode())[0]["name"] == new


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + "é: 😀\nname: Old\n".encode()
    assert replace_scalars(data, [(0, ("name",), "New")]) == data.replace(b"Old", b"New")


def test_several_documents_and_edits_in_any_order() -> None:
    text = b"--- # one\n- a\n- b\n---\nx: {y: c}\n"
    edits = [(1, ("x", "y"), "C"), (0, (1,), "B"), (0, (0,), "A long one")]
    assert replace_scalars(text, edits) == b"--- # one\n- A long one\n- B\n---\nx: {y: C}\n"


def test_json_stays_json() -> None:
    text = '{"name": "Old", "id": 1}'
    new = 'q" \\ / \n \t \x07 \x7f \u2028 \ufeff 😀'
    assert json.loads(edited(text, new, "name")) == {"name": new, "id": 1}


# -- refusals -------------------------------------------------------------------------------------------------------


def test_a_text_that_others_share_is_not_replaced_alone() -> None:
    text = "a: &n Old\nb: *n\n"
    with pytest.raises(ValueError, match="line 1: the value at a is also used elsewhere through an alias"):
        edited(text, "New", "a")
    with pytest.raises(ValueError, match="alias"):
        edited(text, "New", "b")


def test_a_text_inside_something_aliased_is_shared_too() -> None:
    with pytest.raises(ValueError, match=r"a\.0\.name is also used elsewhere"):
        edited("a: &v [{name: Old}]\nb: *v\n", "New", "a", 0, "name")


def test_a_shared_text_is_replaced_once_when_all_who_share_it_agree() -> None:
    data = b"a: &n Old\nb: *n\n"
    assert replace_scalars(data, [(0, ("a",), "New"), (0, ("b",), "New")]) == b"a: &n New\nb: *n\n"
    with pytest.raises(ValueError, match="two different replacements"):
        replace_scalars(data, [(0, ("a",), "New"), (0, ("b",), "Other")])


@pytest.mark.parametrize(
    ("data", "path", "reason"),
    [
        ("name: Old".encode("utf-16"), ("name",), "UTF-16"),
        (b"name: [Old", ("name",), "not valid YAML"),
        (b"name: \xff", ("name",), "not UTF-8"),
        (b"name: [Old]", ("name",), "no single value at name"),
        (b"name: Old", ("nmae",), "nothing at nmae"),
        (b"name: Old", ("name", 0), r"nothing at name\.0"),
        (b"[{name, id: X}]", (0, "name"), "without changing something else"),
    ],
)
def test_what_cannot_be_replaced_is_told(data: bytes, path: tuple[str | int, ...], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        replace_scalars(data, [(0, path, "New")])


def test_of_two_equal_keys_the_first_is_meant() -> None:
    assert edited("name: a\nname: b\n", "c", "name") == "name: c\nname: b\n"


def test_find_tells_whether_brackets_are_around() -> None:
    root = next(documents(b"a: [{b: c}]\nd: e\n", Findings("")))
    inside, outside = find(root, ("a", 0, "b")), find(root, ("d",))
    assert inside is not None and inside.in_flow and inside.node.value == "c"
    assert outside is not None and not outside.in_flow
    assert find(root, ("a", 1)) is None
    assert find(root, ("a", -1)) is None


# -- any document, any text -----------------------------------------------------------------------------------------

ENTRIES = [
    "- id: {i}\n  name: Old {i} # plain\n",
    "- id: {i}\n  name: 'Old {i}' # single\n",
    '- name:   "Old {i}"\n  # comment inside\n  id: "{i}"\n',
    "- {{id: {i}, name: Old {i}}} # flow\n",
    '- {{"id":"{i}","name":"Old {i}"}}\n',
    "- {{id: {i}, name: 'Old {i}',\n   more: [x, y]}}\n",
    "- id: {i}\n  name: |\n    Old {i}\n      deeper\n\n",
    "- id: {i}\n  name: >-   # folded\n    Old\n    {i}\n",
    "- name: |+\n    Old {i}\n\n\n  id: {i}\n",
    "- id: {i}\n  name: Old\n    {i}\n\n    and more\n  last: 1\n",
    '- id: {i}\n  name: "Old\n    {i} \\\n    é😀"\n',
    "- id: {i}\n  name:\n",
    "- name: ~ # nothing\n  id: {i}\n",
    "- id: {i}\n  name: &n{i} Old {i}\n",
    "- id: {i}\n  name: !!str &n{i} 'Old'\n",
    "- id: {i}\n  ? name\n  : Old {i}\n",
]
NASTY = [
    "",
    " ",
    "-",
    "- a",
    "a: b",
    "a:",
    ":",
    "a #b",
    "#",
    "'",
    "''",
    '"',
    "\\",
    "[",
    "{a",
    "a, b",
    "]",
    "&a",
    "*a",
    "!t",
    "|",
    ">-",
    "%",
    "@",
    "`",
    "? a",
]
NASTY += [
    "null",
    "~",
    "yes",
    "1.0",
    "0x1",
    "<<",
    "=",
    "---",
    "...",
    "a\nb",
    "\n",
    "a\n",
    "\na",
    " a\n b",
    "a\n\n",
    "a\r\nb",
    "\r",
    "\t",
    "a\tb",
    "a\t",
    "é",
    "😀",
]
NASTY += ["\x00", "\x07", "\x7f", "\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "x" * 2000]
texts = st.one_of(
    st.sampled_from(NASTY),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(st.sampled_from([*NASTY, "word", " ", "\n"]), max_size=5).map("".join),
)


@settings(max_examples=400, deadline=None)
@given(
    entries=st.lists(st.tuples(st.sampled_from(ENTRIES), st.none() | texts), min_size=1, max_size=6),
    newline=st.sampled_from(["\n", "\r\n"]),
    bom=st.booleans(),
    final_newline=st.booleans(),
)
def test_only_the_addressed_texts_change(
    entries: list[tuple[str, str | None]], newline: str, bom: bool, final_newline: bool
) -> None:
    body = "".join(f"# entry {i}\n" + entry.format(i=i) for i, (entry, _) in enumerate(entries))
    text = (body if final_newline else body.removesuffix("\n")).replace("\n", newline)
    data = (b"\xef\xbb\xbf" if bom else b"") + text.encode()
    expected = parsed(data)
    edits = []
    for i, (_, new) in enumerate(entries):
        if new is not None:
            edits.append((0, (i, "name"), new))
            expected[0][i]["name"] = new

    result = replace_scalars(data, edits)

    assert parsed(result) == expected
    assert result.startswith(b"\xef\xbb\xbf") == bom
    parts = [part.removeprefix(b"\xef\xbb\xbf") for part in (data, result)]
    before, after = (re.split(rb"(?m)^# entry \d+\r?$", part) for part in parts)
    assert len(before) == len(after)
    assert before[0] == after[0] == b""
    for old, changed, (_, new) in zip(before[1:], after[1:], entries, strict=True):
        if new is None:
            assert changed == old
        else:  # what stands before and after the text, on its own lines too
            assert changed.startswith(old[: old.index(b"name")])
            assert changed.count(b" # ") >= old.count(b" # ")


# -- files ----------------------------------------------------------------------------------------------------------


def test_fixes_are_written_file_by_file(tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_bytes(b"a: x # keep\r\nb: y\r\n")
    two.write_bytes(b"- z\n")
    fixes = [
        Fix(str(one), 0, ("a",), "x", "X: 1"),
        Fix(str(two), 0, (0,), "z", "Z"),
        Fix(str(one), 0, ("b",), "y", "Y"),
    ]
    assert apply_fixes(fixes) == {str(one): 2, str(two): 1}
    assert one.read_bytes() == b"a: 'X: 1' # keep\r\nb: Y\r\n"
    assert two.read_bytes() == b"- Z\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one.yaml", "two.yaml"]


def test_a_changed_file_is_left_alone_and_the_others_are_done(tmp_path: Path) -> None:
    changed, good, gone = tmp_path / "changed.yaml", tmp_path / "good.yaml", tmp_path / "gone.yaml"
    changed.write_bytes(b"a: other\nb: y\n")
    good.write_bytes(b"a: x\n")
    fixes = [
        Fix(str(changed), 0, ("b",), "y", "Y"),
        Fix(str(changed), 0, ("a",), "x", "X"),
        Fix(str(gone), 0, ("a",), "x", "X"),
        Fix(str(good), 0, ("a",), "x", "X"),
    ]
    with pytest.raises(UserError) as error:
        apply_fixes(fixes)
    assert changed.read_bytes() == b"a: other\nb: y\n"
    assert good.read_bytes() == b"a: X\n"
    assert [(Path(p.file).name, p.message) for p in error.value.problems] == [
        ("changed.yaml", 'not changed: "x" is no longer there'),
        ("gone.yaml", "cannot be read: No such file or directory"),
    ]
    assert error.value.message == "1 text replaced in 1 file; not everything could be replaced"


def test_a_shared_text_is_left_and_the_rest_of_the_file_is_done(tmp_path: Path) -> None:
    file = tmp_path / "cases.yaml"
    file.write_bytes(b"a: &n x\nb: *n\nc: z\n")
    with pytest.raises(UserError) as error:
        apply_fixes([Fix(str(file), 0, ("a",), "x", "X"), Fix(str(file), 0, ("c",), "z", "Z")])
    assert file.read_bytes() == b"a: &n x\nb: *n\nc: Z\n"
    assert [(p.line, "through an alias" in p.message) for p in error.value.problems] == [(1, True)]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    real.write_bytes(b"a: x\n")
    link.symlink_to(real)
    assert apply_fixes([Fix(str(link), 0, ("a",), "x", "X")]) == {str(link): 1}
    assert link.is_symlink()
    assert real.read_bytes() == b"a: X\n"
