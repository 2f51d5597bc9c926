"""Traces beside the answers: in files, in lines of recordings, in the store, at a path of a response."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import karat
from karat.core.case_files.recorded import recorded_lines, stream_recorded
from karat.core.plugins import load_suite
from karat.core.records import Prediction, attempts, join_trace, split_trace, with_own_trace
from karat.core.trace.files import with_traces
from tests.warm import warm_karat

CALLED = {"tools": {"called": ["run_sql"]}}
CASES = [{"id": name, "conversation": [{"role": "user", "content": "x", "expect": CALLED}]} for name in ("a", "b")]


def test_traces_in_a_folder_beside_the_recording(tmp_path: Path) -> None:
    recording = tmp_path / "answers.jsonl"
    recording.write_text('{"id": "a", "answer": "x"}\n{"id": "b", "answer": "x"}\n', encoding="utf-8")
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.json").write_text(json.dumps([{"tool": "run_sql"}]), encoding="utf-8")
    result = karat.score(suite="data_query", cases=CASES, predictions=recording)
    assert [case.scores["expectations"].value for case in result.cases] == [1.0, None]


def test_a_later_turn_has_a_file_of_its_own_and_no_path_leads_out(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    folder.mkdir()
    for name in ("a.json", "a.1.json"):
        (folder / name).write_text(name, encoding="utf-8")
    (tmp_path / "secret.json").write_text("secret", encoding="utf-8")
    asked = [Prediction("a", None), Prediction("a", 0), Prediction("a", 1), Prediction("a", 2), Prediction("../secret")]
    found = with_traces(asked, tmp_path / "answers.jsonl")
    assert [one.trace for one in found if isinstance(one, Prediction)] == [b"a.json", b"a.json", b"a.1.json", b"", b""]


def test_a_stored_run_keeps_the_traces(tmp_path: Path) -> None:
    cases, recording = tmp_path / "cases.yaml", tmp_path / "answers.jsonl"
    cases.write_text(json.dumps(CASES), encoding="utf-8")
    recording.write_text('{"id": "a", "answer": "x"}\n{"id": "b", "answer": "x"}\n', encoding="utf-8")
    (tmp_path / "traces").mkdir()
    (tmp_path / "traces" / "a.json").write_text(json.dumps([{"tool": "run_sql"}]), encoding="utf-8")
    config = tmp_path / "karat.yaml"
    config.write_text(
        "suites: [{suite: data_query, cases: cases.yaml, system: s}]\n"
        "systems: {s: {type: replay, predictions: answers.jsonl}}\n",
        encoding="utf-8",
    )
    for command in (["run", "--json", "run.json"], ["score", "latest", "--json", "run.json"]):
        subprocess.run(warm_karat(*command), check=False, cwd=tmp_path)
        found = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
        values = [case["scores"]["expectations"] for case in found["cases"]]
        assert values == [1.0, None]
        (tmp_path / "run.json").unlink()
        shutil.rmtree(tmp_path / "traces", ignore_errors=True)


def test_what_is_stored_reads_back() -> None:
    for response in (b"", b"text", b"\xff\x00", b'{"karat_trace": 1}', b'{"karat_attempts":["a","b"]}'):
        for trace in (b"", b"[]", b"\xff"):
            given = Prediction("a", response=response, trace=trace)
            stored = Prediction("a", response=join_trace(given))
            assert with_own_trace(stored) == given
    assert split_trace(b"text") == (b"text", b"")
    assert attempts(join_trace(Prediction("a", response=b'{"karat_attempts":["a","b"]}', trace=b"x"))) == [b"a", b"b"]


def test_lines_of_recordings_may_have_a_trace_beside_the_response(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.write_text('{"id": "a", "response": "x", "trace": [{"tool": "f"}]}\n', encoding="utf-8")
    (found,) = stream_recorded(file)
    assert isinstance(found, Prediction)
    assert (found.response, json.loads(found.trace)) == (b"x", {"trace": [{"tool": "f"}]})
    file.write_bytes(recorded_lines([found]).lines)
    assert list(stream_recorded(file)) == [found]
    file.write_text('{"id": "a", "code": "x", "trace": []}\n', encoding="utf-8")
    (answer,) = load_suite("codegen").read_predictions(file).predictions
    assert json.loads(answer.trace) == {"trace": []}
