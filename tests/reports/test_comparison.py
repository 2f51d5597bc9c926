"""What a comparison holds, and what the terminal and the workbook make of it."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import openpyxl
import pytest
from rich.console import Console

from karat.core.records import CallError, Prediction, join_attempts
from karat.core.replies.answer_text import answers_of
from karat.core.results.result import RunInfo, RunResult
from karat.reports.compare.comparison import as_plain, outcome, part_words
from karat.reports.compare.comparison_sheets import comparison_report
from karat.reports.console.comparison import change_text, p_text, print_comparison
from karat.reports.excel.workbook import write_xlsx
from karat.reports.markdown.comparison import comparison_markdown
from karat.stats.compare.paired import Difference
from karat.stats.compare.runs import MetricComparison
from tests.reports.comparison_sample import NASTY, A, B, sample
from tests.reports.sample_results import case


def shown(a: RunResult = A, b: RunResult = B, width: int = 120) -> str:
    out = io.StringIO()
    print_comparison(sample(a, b), Console(file=out, width=width, color_system=None), saved=["out.xlsx"])
    return out.getvalue()


def test_the_first_of_each_section_are_read_together() -> None:
    changes = sample().changes
    for most in (1, 5):
        found = changes.firsts(tuple(changes.sections()), most)
        assert found == {name: list(changes.of_section(name)[:most]) for name in changes.sections()}
    assert any(found.values())


def test_each_case_stands_there_once() -> None:
    kinds = {change.id: change.kind for change in sample().changes}
    assert kinds == {
        "lost": "worse",
        "shifted": "mixed",
        "mended": "better",
        "late": "status",
        "gone": "only_a",
        "new": "only_b",
    }
    assert sample().counts() == {"worse": 1, "mixed": 1, "better": 1, "status": 1, "only_a": 1, "only_b": 1}
    (lost,) = (change for change in sample().changes if change.id == "lost")
    assert (lost.a.answer, lost.b.answer) == ("GDP of Chile", NASTY)
    assert lost.b.why == "COUNTRY 0 of 1: asked M1, got W1 and W2"


def difference(mean: float) -> Difference:
    return Difference(9, 0.5, 0.5 + mean, mean, None, None, 0.01, None, None)


@pytest.mark.parametrize(
    ("mean", "p", "higher", "said"),
    [
        (0.1, 0.01, True, "better"),
        (-0.1, 0.01, True, "worse"),
        (0.1, 0.01, False, "worse"),
        (-0.1, 0.01, False, "better"),
        (0.1, 0.05, True, "no clear difference"),
        (0.1, None, True, ""),
    ],
)
def test_what_a_difference_says(mean: float, p: float | None, higher: bool, said: str) -> None:
    item = MetricComparison("m", "m", "share", True, difference(mean), None, p, "", higher)
    assert outcome(item) == said


def test_nothing_to_compare_says_nothing() -> None:
    assert outcome(MetricComparison("m", "m", "share", True, None, None, None, "no case")) == ""


def test_the_terminal() -> None:
    lines = shown().splitlines()
    assert lines[0] == "A r-0001 → B r-0002   data_query · 5 cases in both · assistant → changed"
    assert any(line.startswith("warning  Failed calls differ") for line in lines)
    # Over the four cases with a value in both: (1 + 1 + 0 + .5) / 4 before, (1 + 0 + 1 + 1) / 4 now.
    (recall,) = (line for line in lines if line.startswith("  macro recall "))
    assert recall.split()[2:5] == ["0.625", "0.750", "+0.125"]
    assert recall.endswith("4   no clear difference")
    assert lines[1] == "No clear difference: as many of 4 cases right as before, 1 newly wrong"
    said = "1 newly wrong · 1 status changed · 1 newly right · 1 mixed, same verdict · 1 only before · 1 only after"
    assert f"cases          {said}" in lines
    lost = lines.index("newly wrong    lost  macro recall 1.000 → 0.000 and 2 more")
    assert lines[lost + 1].strip() == "COUNTRY: ✓ T1 · T 1 → ✗ W1 · W 1, W2 · W 2 (without M1 · M 1)"
    assert lines[lost + 2].startswith("status changed late"), "newly wrong first, then what failed"
    assert "GDP of Chile" not in "\n".join(lines), "the sentence is not shown where the parts say what changed"
    assert any(line.startswith("by tag") and "weo -0.500 (2)" in line for line in lines)
    assert any(line.startswith("by dimension") for line in lines)
    assert lines[-1] == "saved          out.xlsx"
    assert all(len(line) <= 120 or line.startswith("warning") for line in lines)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_any_width(width: int) -> None:
    assert "lost" in shown(width=width)


def test_runs_without_anything_in_common() -> None:
    empty = RunResult(RunInfo("data_query", "r-0009"), (), ())
    other = RunResult(RunInfo("data_query", "r-0008"), (), (case("elsewhere", 1.0, 1.0),))
    for a, b in ((empty, empty), (A, empty), (empty, B), (A, other)):
        text = shown(a, b)
        assert "0 cases in both" in text
        assert comparison_markdown([sample(a, b)])
        assert comparison_report([sample(a, b)]).sheets
        assert msgspec.json.encode(as_plain([sample(a, b)]))
    assert "none changed" in shown(A, msgspec.structs.replace(A, run=B.run))


def test_the_workbook(tmp_path: Path) -> None:
    path = tmp_path / "out.xlsx"
    write_xlsx(comparison_report([sample()]), path)
    book = openpyxl.load_workbook(path)
    assert book.sheetnames == ["Overview", "By tag", "By dimension", "Failure groups", "Cases"]
    rows = list(book["Cases"].values)
    assert rows[0][:3] == ("case", "change", "question")
    (lost,) = (row for row in rows if row[0] == "lost")
    assert lost[-2:] == ("GDP of Chile", NASTY)
    overview = list(book["Overview"].values)
    (recall,) = (row for row in overview if row[0] == "macro recall")
    assert recall[1:4] == (0.625, 0.75, 0.125)
    (right,) = (row for row in overview if row[0] == "fully right")
    assert right[11:15] == (1, 1, 1, 1)
    write_xlsx(comparison_report([sample(), sample()]), path)
    assert openpyxl.load_workbook(path).sheetnames[:2] == ["Overview r-0002", "By tag r-0002"]


def test_the_json() -> None:
    found = msgspec.json.decode(msgspec.json.encode(as_plain([sample()])))["comparisons"][0]
    assert (found["run_a"]["id"], found["run_b"]["id"], found["n_shared"]) == ("r-0001", "r-0002", 5)
    assert found["metrics"][0]["difference"]["mean"] == 0.125
    assert found["cases"][0] == {
        "id": "lost",
        "kind": "worse",
        "question": "What about lost?",
        "moves": [
            {"metric": "macro_recall", "a": 1.0, "b": 0.0},
            {"metric": "macro_precision", "a": 1.0, "b": 0.0},
            {"metric": "fully_right", "a": 1.0, "b": 0.0},
        ],
        "a": {"status": "scored", "why": "", "answer": "GDP of Chile"},
        "b": {"status": "scored", "why": "COUNTRY 0 of 1: asked M1, got W1 and W2", "answer": NASTY},
        "verdict": "newly_wrong",
        "parts": [
            {
                "label": "COUNTRY",
                "before": {"terms": ["T1 · T 1"], "right": True},
                "after": {"terms": ["W1 · W 1", "W2 · W 2"], "right": False, "note": "without M1 · M 1"},
            }
        ],
    }
    assert found["right_wrong"] == {
        "metric": "fully_right",
        "right": 1,
        "newly_wrong": 1,
        "newly_right": 1,
        "wrong": 1,
    }


def test_numbers() -> None:
    assert [change_text(value) for value in (0.1, -0.1, 0.0)] == ["+0.100", "-0.100", "0.000"]
    assert change_text(-1234.0, "quantity") == "-1,234"
    assert [p_text(p) for p in (None, 0.0001, 0.04)] == ["n/a", "<0.001", "0.040"]


def test_answers_as_people_read_them() -> None:
    chat = b'{"choices": [{"message": {"content": "Chile"}}]}'
    found = answers_of(
        [
            Prediction("chat", response=chat),
            Prediction("own", response=b'{"id": "own"}'),
            Prediction("broken", response=b'{"choices": '),
            Prediction("odd", response=b'{"choices": [7]}'),
            Prediction("bytes", response=b"\xff text"),
            Prediction("failed", error=CallError("status", "429")),
            Prediction("mended", response=join_attempts([b"first", b"second"])),
            Prediction("turns", turn=1, response=b"two"),
            Prediction("turns", turn=0, response=b"one"),
            Prediction("tries", repeat=1, response=b"b"),
            Prediction("tries", repeat=0, response=b"a"),
            Prediction("unwanted", response=b"x"),
        ],
        {"chat", "own", "broken", "odd", "bytes", "failed", "mended", "turns", "tries"},
    )
    assert found == {
        "chat": "Chile",
        "own": '{"id": "own"}',
        "broken": '{"choices": ',
        "odd": '{"choices": [7]}',
        "bytes": "\ufffd text",
        "failed": "failed: 429",
        "mended": "second",
        "turns": "turn 1: one\nturn 2: two",
        "tries": "try 1: a\ntry 2: b",
    }


def on_screen(a: RunResult = A, b: RunResult = B, width: int = 80) -> str:
    out = io.StringIO()
    print_comparison(sample(a, b), Console(file=out, width=width, color_system=None, force_terminal=True))
    return out.getvalue()


def test_narrow_screen_keeps_the_verdict_beside_the_difference() -> None:
    lines = on_screen().splitlines()
    head = next(line for line in lines if line.startswith("  metric"))
    assert head.split() == ["metric", "r-0001", "r-0002", "difference"]
    row = lines[lines.index(head) + 1]
    assert row.rstrip().endswith(("no clear difference", "better", "worse")) and len(row) <= 80
    assert "95 % interval" in lines[lines.index(head) + 2] and ", over " in lines[lines.index(head) + 2]


def test_pipe_of_80_columns_cuts_nothing() -> None:
    narrow, wide = shown(width=80), shown(width=400)
    for line in wide.splitlines():
        if "  was " not in line and " was " not in line and not line.startswith("by "):
            assert line.rstrip() in narrow
    assert "no clear difference" in narrow or "better" in narrow


def test_a_failed_call_is_neither_right_nor_wrong() -> None:
    (late,) = (change for change in sample().changes if change.id == "late")
    assert part_words(late.parts[0]) == "answer: ✓ right → error: 429 after 5 tries"
    (back,) = (change for change in sample(B, A).changes if change.id == "late")
    assert part_words(back.parts[0]) == "answer: error: 429 after 5 tries → ✓ right"


def test_heading_has_no_arrow_to_nothing() -> None:
    nameless = msgspec.structs.replace(B, run=msgspec.structs.replace(B.run, system=""))
    assert not shown(A, nameless).splitlines()[0].rstrip().endswith("→")
