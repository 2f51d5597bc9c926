"""Files that are broken or meant to do harm: each is told with its file and line, costs only itself, and never hangs
the machine."""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

import karat
from karat.cli import main
from karat.core import plugins
from karat.core.files.limits import LIMITS
from karat.core.problems import Problem, UserError

CASE = """id: one
conversation:
- role: user
  content: How many?
  target: {indicator_selection: [{dataset_id: A:B, dimensions: [{dimension_name: C, values: [{id: D, name: E}]}]}]}
"""
GOOD = {
    "data_query": b'{"id": "one", "indicator_selection": []}',
    "codegen": b'{"id": "one", "code": "result = 1"}',
    "retrieval": b'{"id": "one", "results": {"d": 1.0}}',
    "answers": b'{"instance_id": "one", "answer_type": "answer", "answer_or_path": "1"}',
}
"""A line of predictions for each suite."""
NAMES = {"answers": "instance_id"}
SUITES = tuple(GOOD)


def bad_lines(suite: str) -> dict[str, tuple[bytes, str]]:
    """Lines that cannot be taken, and a word of what is said."""
    start = b'{"%s": "two", "x": ' % NAMES.get(suite, "id").encode()
    lines = {
        "deep": (start + b"[" * 3_000 + b"]" * 3_000 + b"}", "deep"),
        "very deep": (start + b"[" * 200_000 + b"]" * 200_000 + b"}", "deep"),
        "digits": (start + b"7" * 5_000 + b"}", "7777" if suite == "answers" else "5,000 digits"),
        "bytes": (start + b'"\xff\xfe"}', "UTF-8"),
        "twice": (start + b'{"a": 1, "a": 2}}', "appears twice"),
        "id twice": (start + b'1, "%s": "three"}' % NAMES.get(suite, "id").encode(), "appears twice"),
    }
    if suite != "answers":
        lines["repeat"] = (GOOD[suite][:-1] + b', "repeat": 1000000000000}', '"repeat" is 1000000000000')
        lines["negative repeat"] = (GOOD[suite][:-1] + b', "repeat": -1}', '"repeat" is -1')
        lines["endless repeat"] = (GOOD[suite][:-1] + b', "repeat": %s}' % (b"9" * 4_000), '"repeat" is')
        lines["negative turn"] = (GOOD[suite][:-1] + b', "turn": -2}', '"turn" is -2')
    return lines


KINDS = [(suite, kind) for suite in SUITES for kind in bad_lines(suite)]


def read(suite: str, path: Path) -> tuple[int, list[Problem]]:
    found = plugins.load_suite(suite).read_predictions(path)
    return len(found.predictions), list(found.problems)


@pytest.mark.parametrize(("suite", "kind"), KINDS)
def test_a_line_that_cannot_be_taken_costs_itself(suite: str, kind: str, tmp_path: Path) -> None:
    line, word = bad_lines(suite)[kind]
    file = tmp_path / "answers.jsonl"
    file.write_bytes(b"\n" + line + b"\n" + GOOD[suite] + b"\n")
    count, problems = read(suite, file)
    assert count == 1
    assert [(one.file, one.line, one.severity, word in one.message) for one in problems] == [
        (str(file), 2, "error", True)
    ], problems


@pytest.mark.parametrize("suite", SUITES)
def test_pipes_and_devices_are_no_predictions(suite: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    for path, kind in ((tmp_path / "pipe.jsonl", "named pipe"), (Path("/dev/zero"), "device")):
        with pytest.raises(UserError, match=kind):
            read(suite, path)


@pytest.mark.parametrize("suite", SUITES)
def test_pipes_and_devices_are_no_cases(suite: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    loaded = plugins.load_suite(suite)
    for path, kind in ((tmp_path / "pipe.yaml", "named pipe"), (Path("/dev/zero"), "device")):
        assert not loaded.recognises(path)
        with pytest.raises(UserError, match=kind):
            loaded.load_cases(path)


@pytest.mark.parametrize("suite", ["data_query", "codegen"])
def test_a_pipe_among_files_costs_only_itself(suite: str, tmp_path: Path) -> None:
    ending = ".json" if suite == "data_query" else ".py"
    (tmp_path / f"one{ending}").write_bytes(GOOD[suite])
    os.mkfifo(tmp_path / f"two{ending}")
    count, problems = read(suite, tmp_path)
    assert (count, [one.file for one in problems]) == (1, [str(tmp_path / f"two{ending}")])
    assert "named pipe" in problems[0].message


def test_a_pipe_among_case_files_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(CASE)
    os.mkfifo(tmp_path / "two.yaml")
    found = plugins.load_suite("data_query").load_cases(tmp_path)
    assert (len(found.cases), [one.file for one in found.problems]) == (1, [str(tmp_path / "two.yaml")])
    os.mkfifo(tmp_path / "three.jsonl")
    assert "named pipe" in str(plugins.load_suite("codegen").load_cases(tmp_path).problems)
    assert not plugins.load_suite("answers").recognises(tmp_path)


def packed(path: Path, first: bytes, sign: bytes) -> Path:
    """A small file that unpacks to 64 MiB of one sign, or of one line."""
    path.write_bytes(gzip.compress(first) + gzip.compress(sign * (2**20 // len(sign))) * 64)
    return path


def test_what_unpacks_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KARAT_MAX_UNPACKED_MB", "4")
    monkeypatch.setenv("KARAT_MAX_LINE_MB", "2")
    retrieval, codegen = plugins.load_suite("retrieval"), plugins.load_suite("codegen")
    lines = packed(tmp_path / "run.txt.gz", b"q Q0 d 1 1 t\n", b"#" * 9_999 + b"\n")
    assert ["larger than 4 MiB" in one.message for one in retrieval.read_predictions(lines).problems] == [True]
    one_line = packed(tmp_path / "run.gz", b"", b"\0")
    with pytest.raises(UserError) as caught:
        retrieval.read_predictions(one_line)
    assert "a line is longer than 2 MiB" in str(caught.value)
    with pytest.raises(UserError, match="larger than 4 MiB"):
        retrieval.read_predictions(packed(tmp_path / "run.json.gz", b"{", b" "))
    found = codegen.load_cases(packed(tmp_path / "tasks.jsonl.gz", b"{", b"\0"))
    assert [one.message for one in found.problems] == ["the unpacked content of the file is larger than 4 MiB"]
    monkeypatch.setenv("KARAT_MAX_UNPACKED_MB", "100")
    assert not retrieval.read_predictions(lines).problems


def test_damage_in_a_packed_file_is_told(tmp_path: Path) -> None:
    file = tmp_path / "tasks.jsonl.gz"
    file.write_bytes(gzip.compress(b"{}\n" * 1_000)[:-20])
    (problem,) = plugins.load_suite("codegen").load_cases(file).problems
    assert "the gzip data is damaged" in problem.message


def test_a_file_that_is_too_large_is_refused_and_the_limit_can_be_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_bytes(GOOD["data_query"] + b"\n" * 2**20)
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "1")
    with pytest.raises(UserError, match="larger than 1 MiB"):
        read("data_query", file)
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "2")
    assert read("data_query", file) == (1, [])
    monkeypatch.setenv("KARAT_MAX_FILE_MB", "much")
    with pytest.raises(UserError, match="KARAT_MAX_FILE_MB must be a whole number above 0"):
        read("data_query", file)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a: &a [x, x]\n" + "".join(f"{k}: &{k} [*{j}, *{j}]\n" for j, k in zip("abcdefghijklmnopq",
                "bcdefghijklmnopqr", strict=True)), "aliases"),
        ("a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 400)), "nested more than 200"),
        ("a: &a [*a]\n", "aliases"),
        ("\n".join(" " * n + "a:" for n in range(700)), "nested more than 200"),
        ("[" * 3_000 + "]" * 3_000, "nested more than 200"),
        ("- " * 900 + "x", "nested more than 200"),
        ("- " * 50_000 + "x", "nested more than 200"),
    ],
)  # fmt: skip
def test_yaml_without_end_is_refused(text: str, word: str, tmp_path: Path) -> None:
    (tmp_path / "one.yaml").write_text(CASE)
    (tmp_path / "two.yaml").write_text(text)
    found = plugins.load_suite("data_query").load_cases(tmp_path)
    assert [one.id for one in found.cases] == ["one"]
    assert any(word in one.message for one in found.problems), found.problems


def test_qrels_and_structures(tmp_path: Path) -> None:
    file = tmp_path / "qrels"
    file.write_text(f"q 0 d 1\nq 0 e {'9' * 5_000}\nq 0 f +-1\n")
    found = plugins.load_suite("retrieval").load_cases(file)
    assert [(one.line, "not a whole number" in one.message) for one in found.problems] == [(2, True), (3, True)]
    from karat.suites.data_query.structures.files import read_files

    twice = tmp_path / "codes.json"
    twice.write_text('{"data": {"codelists": [],\n "codelists": []}}')
    with pytest.raises(UserError) as caught:
        read_files([twice])
    assert (caught.value.problems[0].line, "appears twice" in caught.value.problems[0].message) == (2, True)
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(UserError, match="named pipe"):
        read_files([tmp_path / "pipe.csv"])


# -- through the command line -----------------------------------------------------------------------------------------


def leave(monkeypatch: pytest.MonkeyPatch, *words: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["karat", *words])
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stopped:
        main.main()
    return stopped.value.code


SCORE = ("score", "--suite", "data_query", "--cases", "one.yaml", "--predictions", "answers.jsonl")


@pytest.mark.parametrize("kind", list(bad_lines("data_query")))
def test_exit_codes(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.yaml").write_text(CASE)
    line, word = bad_lines("data_query")[kind]
    Path("answers.jsonl").write_bytes(line + b"\n")
    assert leave(monkeypatch, *SCORE) == 2
    assert word in capsys.readouterr().err
    Path("answers.jsonl").write_bytes(GOOD["data_query"] + b"\n" + line + b"\n")
    assert leave(monkeypatch, *SCORE) == 3
    said = capsys.readouterr()
    assert "answers.jsonl:2" in said.err
    assert word in said.err
    assert "1 scored" in said.out


def test_repeats_are_bounded_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.yaml").write_text(CASE)
    Path("answers.jsonl").write_bytes(GOOD["data_query"])
    run = ("run", "--suite", "data_query", "--cases", "one.yaml", "--predictions", "answers.jsonl")
    assert leave(monkeypatch, *run, "--repeats", "1000000000000") == 2
    assert "at most 1,000" in capsys.readouterr().err
    Path("karat.yaml").write_text("run: {repeats: 1000000000000}\nsuites: []\n")
    assert leave(monkeypatch, "run") == 2
    assert "karat.yaml:1" in capsys.readouterr().err
    with pytest.raises(UserError, match='"repeat" is -1'):
        karat.score(suite="data_query", cases="one.yaml", predictions=[{"id": "one", "repeat": -1}])


def test_one_stray_repeat_does_not_multiply_every_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.yaml").write_text(CASE)
    lines: list[dict[str, object]] = [
        {"id": "one", "repeat": number, "indicator_selection": []} for number in (0, 1, 3, 999)
    ]
    Path("answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert leave(monkeypatch, *SCORE) == 3
    assert (
        "2 predictions for repeats that do not exist (there are 2, counted from 0 without a gap)"
        in capsys.readouterr().err
    )


def test_every_limit_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "config.md").read_text(encoding="utf-8")
    for limit in LIMITS:
        assert f"`{limit.variable}` | {limit.default:,} |" in page, limit
