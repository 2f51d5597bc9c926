"""What the terminal shows, word for word."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from karat.core.metric import Metric
from karat.core.presentation.case_explanation import explanation_of
from karat.core.results.result import CaseResult, MetricSummary, RepeatResult, RunInfo, RunResult
from karat.core.scores import Score
from karat.reports.console.advice import Origin
from karat.reports.console.page import fit, plain
from karat.reports.console.run import print_result
from karat.suites.data_query import suite
from tests.reports.reviewed_sample import REVIEWED, REVIEWS, TRIED
from tests.reports.sample_results import CASES, METRICS, RESULT, RUN, SUMMARY, case, dimension, failed

LIVE = Origin(cases="cases", failed_calls=1, again="karat run")


def shown(
    result: RunResult,
    width: int = 120,
    saved: Sequence[str] = (),
    *,
    terminal: bool = False,
    screen: bool = True,
    origin: Origin = LIVE,
) -> str:
    out = io.StringIO()
    console = Console(
        file=out,
        width=width,
        force_terminal=screen,
        color_system="truecolor" if terminal else None,
        legacy_windows=False,
    )
    print_result(result, METRICS, console, saved=saved, origin=origin, advice=suite.advice(result, origin.cases))
    return out.getvalue()


WIDE = """\
data_query                                  4 scored · 1 error · 1 missing · truth set 3f9c21 (6 cases)
  metric                 mean    95 % interval      over    errors as 0
  macro recall          0.375    0.000 – 0.750         4          0.300
  macro precision       0.667    0.000 – 1.000         3          0.500   1 undefined: nothing was selected
  fully right           0.250    0.046 – 0.699         4          0.200
  also  macro recall by id 0.750 · macro F1 0.500
  per case      2.50 s · 1,840 tokens
weakest tags   trade 0.00 (2)   imf 0.50 (2)   weo 0.75 (2)
worst cases    imports_vietnam     0.00  INDICATOR 0 of 2, 3 wrong
               nothing_there       0.00  nothing was selected
               policy_rate_turkey  0.50  COUNTRY not selected
               → karat show imports_vietnam --run r-0142
errors         1 × 429 after 5 tries
               → karat run --resume r-0142 --retry-errors
missing        1 case without a prediction: gone
saved          run r-0142 · report.xlsx
"""

NARROW = """\
data_query           4 scored · 1 error · 1 missing · truth set 3f9c21 (6 cases)
  metric                 mean    95 % interval      over    errors as 0
  macro recall          0.375    0.000 – 0.750         4          0.300
  macro precision       0.667    0.000 – 1.000         3          0.500
                        1 undefined: nothing was selected
  fully right           0.250    0.046 – 0.699         4          0.200
"""


def test_the_whole_of_it_at_120() -> None:
    assert shown(RESULT, 120, ("run r-0142", "report.xlsx")) == WIDE


def test_at_80_what_does_not_fit_goes_on_its_own_line() -> None:
    text = shown(RESULT, 80)
    assert text.startswith(NARROW)
    assert max(map(len, text.splitlines())) <= 80


def test_on_a_terminal_it_has_colours_and_the_same_words() -> None:
    coloured = shown(RESULT, 120, ("run r-0142", "report.xlsx"), terminal=True)
    assert "\x1b[1m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == WIDE


@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    wide = case("漢字" * 60, 0.25, 0.5, dimension("次元" * 40, 1, 1, 3), tags=("標" * 30, "b"))
    more = case("x" * 300, 0.5, 0.5, dimension("D" * 300, 1, 1, 1), tags=("標" * 30, "b"))
    result = RunResult(RUN, SUMMARY, (*CASES, wide, more, failed("f", "é" * 400)))
    lines = [line for line in shown(result, width).splitlines() if "→ karat" not in line]  # a command is never cut
    assert max(cell_len(line) for line in lines) <= width


def test_nothing_to_say_is_said_shortly() -> None:
    empty = RunResult(RunInfo("data_query"), (), ())
    assert shown(empty) == "data_query                                  0 scored · 0 cases\n"


def test_responses_without_an_answer_are_one_line_however_they_begin() -> None:
    begun = [f"no SQL in the response. The response begins: {text}" for text in ("Sorry", "Ada and Ben")]
    summary = tuple(MetricSummary(m.name, None, 0, None, None, 0, 0.0) for m in METRICS)
    cases = tuple(failed(f"c{number}", text) for number, text in enumerate(begun))
    assert "errors         2 × no SQL in the response.\n" in shown(RunResult(RUN, summary, cases))
    assert f"errors         1 × {begun[0]}\n" in shown(RunResult(RUN, summary, cases[:1]))


def test_all_errors_show_no_invented_number() -> None:
    cases = tuple(
        failed(f"c{number}", "500 from the server" if number % 2 else f"odd {number}") for number in range(12)
    )
    summary = tuple(MetricSummary(m.name, None, 0, None, None, 0, 0.0) for m in METRICS)
    text = shown(RunResult(RUN, summary, cases))
    assert "  macro recall      " + "n/a".rjust(9) + " " * 26 + "0" + "0.000".rjust(15) + "\n" in text
    assert "errors         6 × 500 from the server\n               1 × odd 0\n               1 × odd 2\n" in text
    assert "               4 more, with 4 other messages\n" in text
    assert "worst cases" not in text
    assert "weakest tags" not in text


def test_one_case_that_is_right_has_no_worst_cases() -> None:
    summary = tuple(MetricSummary(m.name, 1.0, 1, 0.207, 1.0) for m in METRICS)
    text = shown(RunResult(RUN, summary, CASES[:1]))
    assert "1 scored · truth set 3f9c21 (1 case)" in text
    assert "worst" not in text
    assert "errors" not in text


def test_a_recorded_run_is_told_to_correct_its_recording_and_not_to_call_again() -> None:
    recorded = Origin(cases="cases", recorded="my answers.jsonl", again="karat run --suite data_query")
    text = shown(RESULT, origin=recorded)
    assert "--resume" not in text
    assert (
        "               → karat show late --run r-0142\n"
        "               the answers are recorded: fix my answers.jsonl, then\n"
        "               → karat run --suite data_query\n"
    ) in text


def test_answers_that_cannot_be_read_are_looked_at_and_not_asked_for_again() -> None:
    text = shown(RESULT, origin=Origin(failed_calls=0))
    assert "--retry-errors" not in text
    assert "               → karat show late --run r-0142\n" in text


def test_commands_say_where_the_store_is_and_are_never_cut() -> None:
    far = Origin(failed_calls=1, flags=("--store", "a folder/with a rather long name/where-the-runs-are.db"))
    text = shown(RESULT, 60, origin=far)
    end = "--store 'a folder/with a rather long name/where-the-runs-are.db'\n"
    assert f"→ karat show imports_vietnam --run r-0142 {end}" in text
    assert f"→ karat run --resume r-0142 --retry-errors {end}" in text


def test_a_result_that_is_not_stored_points_to_no_stored_run() -> None:
    text = shown(RunResult(msgspec.structs.replace(RUN, id=""), SUMMARY, CASES))
    assert "karat show" not in text
    assert "--resume" not in text


def test_ids_that_look_like_options_or_move_the_cursor() -> None:
    dashed = msgspec.structs.replace(CASES[1], id="--json", name="")
    assert "→ karat show --run r-0142 -- --json\n" in shown(RunResult(RUN, SUMMARY, (dashed,)))
    moving = msgspec.structs.replace(CASES[1], id="a\x1b[2Jb", name="")
    assert "karat show" not in shown(RunResult(RUN, SUMMARY, (moving,)))


def test_a_right_case_is_never_among_the_worst() -> None:
    """Right by the rate, and yet not perfect by a share: fast enough, all defaults left in, found at rank 2."""
    right = case("right_but_late", 1.0, 0.5)
    right = msgspec.structs.replace(right, scores={**right.scores, "fully_right": Score(1.0)})
    text = shown(RunResult(RUN, SUMMARY, (right, CASES[1])))
    assert "worst cases    imports_vietnam" in text
    assert "right_but_late" not in text
    assert "worst cases" not in shown(RunResult(RUN, SUMMARY, (right,)))


def test_label_drift_is_counted() -> None:
    drift = {"dimension": "INDICATOR", "id": "LP", "expected": "Population", "found": "Population (Persons)"}
    drifted = msgspec.structs.replace(CASES[0], details={"dimensions": [], "label_drift": [drift, drift]})
    text = shown(RunResult(RUN, SUMMARY, (drifted, *CASES[1:])))
    assert (
        "label drift    2 in 1 case: right id, another name\n"
        "               → karat check cases --suite data_query --structure FILE --fix-names"
        "   (FILE: the SDMX structures, or a CSV with codelist,id,name)\n"
    ) in text
    known = msgspec.structs.replace(RUN, options={"structures": ["my codes.csv", "b.xml"]})
    text = shown(RunResult(known, SUMMARY, (drifted, *CASES[1:])))
    end = "--suite data_query --structure 'my codes.csv' --structure b.xml --fix-names\n"
    assert f"               → karat check cases {end}" in text


def test_reasons_of_the_worst() -> None:
    cases = (
        case("a", 0.1, 0.5, dimension("COUNTRY", 0, 0, 0, everything_selected=True)),
        case("b", 0.2, 0.5, dimension("INDICATOR", 1, 0, 1), dimension("FREQ", 0, 1, 0, in_target=False)),
        case("c", 0.3, 0.5, dimension("I", 1, 0, 1), dimension("I", 0, 1, 1, turn=1)),
        case("d", 0.4, 0.5),
    )
    text = shown(RunResult(RUN, SUMMARY, cases))
    assert "worst cases    a  0.10  COUNTRY everything selected\n" in text
    assert "               b  0.20  INDICATOR 1 of 2: M1 missing; FREQ not asked for\n" in text
    assert "               c  0.30  turn 1: I 1 of 2: M1 missing; turn 2: I 0 of 1: asked M1, got W1\n" in text
    assert "               d  0.40\n" in text


def test_a_long_id_gives_way_to_the_name() -> None:
    named = msgspec.structs.replace(CASES[1], id="c48d7624-d376-48ca-b2d8-386999befb45", name="imports_vietnam")
    assert "worst cases    imports_vietnam  0.00" in shown(RunResult(RUN, SUMMARY, (named,)))


def test_markup_and_control_characters_are_only_text() -> None:
    hostile = "[bold red]x[/] :smile: \x1b[2J\x1b]8;;http://example.org\x07 \u202eabc\nnext"
    cases = (
        case(hostile, 0.1, 0.5, dimension(hostile, 0, 1, 1), tags=(hostile, "b")),
        case("z", 0.5, 0.5, tags=(hostile, "b")),
        failed("f", hostile),
    )
    run = msgspec.structs.replace(RUN, suite=hostile, truth_set=hostile, id=hostile)
    text = shown(RunResult(run, SUMMARY, cases), 400, (hostile,))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    assert text.count("[bold red]x[/] :smile: \\x1b[2J") >= 6
    assert "\nnext" not in text


def test_an_ascii_terminal_gets_ascii() -> None:
    raw = io.BytesIO()
    out = io.TextIOWrapper(raw, encoding="ascii")
    print_result(RESULT, METRICS, Console(file=out, width=120))
    out.flush()
    text = raw.getvalue().decode("ascii")
    assert "4 scored | 1 error" in text
    assert "0.000 - 0.750" in text


@given(st.text(st.characters(exclude_categories=()), max_size=60), st.integers(2, 30))
@settings(max_examples=100, deadline=None)
def test_any_text_becomes_one_harmless_line_of_the_right_width(text: str, width: int) -> None:
    safe = plain(text)
    assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in safe)
    safe.encode("utf-8")
    assert cell_len(fit(safe, width)) <= width


def test_where_things_were_saved_is_never_cut() -> None:
    long = "a-folder-with-a-rather-long-name/and-another-one/report-of-the-whole-run.xlsx"
    text = shown(RESULT, width=60, saved=["run r-0142", long])
    assert f"saved          run r-0142\n               {long}" in text


def test_the_rate_with_reviews_stands_beside_the_rule() -> None:
    before, line, *after = shown(REVIEWED).splitlines()[6:]
    assert before == "  per case      2.50 s · 1,840 tokens"
    assert line == "with reviews   fully right 0.250 (0.05–0.70) over 4 · by rule 0.250 · 3 reviewed"
    assert after[0].startswith("weakest tags")


def test_every_headline_rate_has_its_line_with_reviews() -> None:
    second = msgspec.structs.replace(SUMMARY[4], metric="strict", mean=None, n=0, low=None, high=None)
    cases = [
        msgspec.structs.replace(one, scores={**one.scores, "strict": Score(None, "not_applicable")}) for one in CASES
    ]
    result = RunResult(RUN, (*SUMMARY, second), tuple(cases), reviews=REVIEWS[1:2])
    strict = Metric("strict", "strict", "", METRICS[0].score, kind="rate", headline=True)
    out = io.StringIO()
    print_result(result, (*METRICS, strict), Console(file=out, width=100, color_system=None))
    lines = out.getvalue().splitlines()
    place = next(number for number, text in enumerate(lines) if text.startswith("with reviews"))
    assert lines[place : place + 2] == [
        "with reviews   fully right 0.000 (0.00–0.56) over 3 · by rule 0.250 · 1 reviewed",
        "               strict n/a over 0 · by rule n/a",
    ]


def test_what_several_tries_tell_is_on_one_line_where_it_fits() -> None:
    wide = (
        "tries          3 per case · fully right: "
        "pass@3 0.67 (0.21–0.94) · pass^3 0.33 (0.06–0.79) · spread 0.31 · 3 cases left out\n"
    )
    assert wide in shown(TRIED, 140)
    narrow = """\
tries          3 per case · fully right: pass@3 0.67 (0.21–0.94)
               pass^3 0.33 (0.06–0.79) · spread 0.31 · 3 cases left out
"""
    assert narrow in shown(TRIED, 80)


def test_a_worst_case_quotes_the_first_try_that_is_not_right() -> None:
    right = next(one for one in CASES if explanation_of(RUN.suite, one).outcome == "right" and one.details)
    wrong = next(one for one in CASES if explanation_of(RUN.suite, one).outcome == "wrong" and one.details)

    def tried(*tries: CaseResult) -> str:
        repeats = tuple(RepeatResult(one.status, one.scores, one.details) for one in tries)
        case = msgspec.structs.replace(wrong, details=tries[0].details, repeats=repeats)
        return shown(RunResult(msgspec.structs.replace(RUN, repeats=3), SUMMARY, (case,)), 200)

    why = explanation_of(RUN.suite, wrong).headline
    assert f"try 2 of 3: {why}" in tried(right, wrong, right)
    first = tried(wrong, right, wrong)
    assert why in first and "try 1 of" not in first and "try 3 of" not in first


def test_tries_by_which_nothing_can_be_said() -> None:
    nothing = RunResult(msgspec.structs.replace(RUN, repeats=2), SUMMARY, (CASES[5],))
    assert "\ntries          up to 2 per case\n" in shown(nothing)


@pytest.mark.parametrize("width", [40, 60, 200])
def test_lines_of_tries_and_reviews_keep_to_the_width(width: int) -> None:
    both = msgspec.structs.replace(TRIED, reviews=REVIEWS)
    lines = [line for line in shown(both, width).splitlines() if "→ karat" not in line]
    assert max(cell_len(line) for line in lines) <= width


def test_nothing_is_cut_where_there_is_no_screen() -> None:
    result = RunResult(RUN, SUMMARY, (*CASES, failed("f", f"{'long ' * 60}end of it")))
    recorded = Origin(recorded=f"{'folder/' * 20}answers.jsonl", again="karat score")
    text = shown(result, 80, screen=False, origin=recorded)
    assert "end of it" in text
    assert f"fix {recorded.recorded}, then" in text
    assert "…" not in text


def test_file_to_correct_is_whole_on_a_screen_too() -> None:
    result = RunResult(RUN, SUMMARY, (*CASES, failed("f", f"{'long ' * 20}end of it")))
    recorded = Origin(recorded=f"{'folder/' * 20}answers.jsonl", again="karat score")
    text = shown(result, 80, origin=recorded)
    assert f"fix {recorded.recorded}, then" in text
    assert "end of it" in text


def test_tags_at_the_best_value_are_not_weak() -> None:
    right = [case(name, 1.0, 1.0, tags=("catch",) if name < "c" else ("haul",)) for name in "abcd"]
    assert "weakest tags" not in shown(RunResult(RUN, SUMMARY, tuple(right)))
    weak = [case(name, 0.5, 1.0, tags=("storm",)) for name in ("y", "z")]
    line = next(x for x in shown(RunResult(RUN, SUMMARY, (*right, *weak))).splitlines() if x.startswith("weakest"))
    assert line.split() == ["weakest", "tags", "storm", "0.50", "(2)"]


def test_worst_case_shows_the_metric_that_is_bad() -> None:
    only_precision = case("p", 1.0, 0.25, dimension("D", 1, 3, 0))
    text = shown(RunResult(RUN, SUMMARY, (only_precision,)))
    assert "macro precision 0.25" in next(x for x in text.splitlines() if x.startswith("worst cases"))


@pytest.mark.parametrize(("reasons", "said"), [("aab", "mostly a"), ("aabc", "among them a"), ("aaa", "a")])
def test_the_commonest_reason_is_the_reason_of_most_only_where_it_is(reasons: str, said: str) -> None:
    cases = [
        msgspec.structs.replace(CASES[0], id=str(at), scores={"macro_recall": Score(None, "not_applicable", reason)})
        for at, reason in enumerate(reasons)
    ]
    summary = (MetricSummary("macro_recall", None, 0, None, None, len(cases)),)
    text = shown(RunResult(RUN, summary, tuple(cases)))
    assert f"{len(cases)} undefined: {said}\n" in re.sub(" +", " ", text)
