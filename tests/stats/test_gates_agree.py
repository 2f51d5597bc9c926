"""Whatever the rules and the runs: exit code, words and every file say the same."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

from hypothesis import given, settings
from hypothesis import strategies as st

from karat.core.results.result import CaseResult
from karat.reports.github import github_annotations
from karat.reports.junit import junit_xml
from karat.reports.markdown.gates import gate_markdown
from karat.stats.gates.verdicts import CaseFilter, Gate, exit_code, judge, settle
from tests.stats.gate_results import METRICS, baselines, case, run

NUMBER = r"(-?[0-9.]+(?:e[+-]?[0-9]+)?)"


def holds(words: str) -> bool:
    """The verdict that a reader draws from the words alone: the number, and what was wanted."""
    if re.search(
        "it holds only because (errors|cases without an answer|errors and cases without an answer) were", words
    ):
        return False
    if found := re.search(rf" is {NUMBER} over \d+ cases?, wanted (.*)", words):
        least, most = (re.search(rf"{word} {NUMBER}", found[2]) for word in ("at least", "at most"))
        value = float(found[1])
        return (least is None or value >= float(least[1])) and (most is None or value <= float(most[1]))
    if found := re.search(rf"confidence at least {NUMBER}, wanted above {NUMBER}", words):
        return float(found[1]) > float(found[2])
    if found := re.search(rf"confidence at most {NUMBER}, wanted below {NUMBER}", words):
        return float(found[1]) < float(found[2])
    if found := re.search(r": (\d+) of \d+ cases? right in the baseline .* no longer right, wanted 0", words):
        return int(found[1]) == 0
    if found := re.search(
        rf"difference {NUMBER.replace('-?', '[+-]?')} in each of .*, wanted at (least|most) {NUMBER}", words
    ):
        value, limit = float(found[1]), float(found[3])
        return value >= limit if found[2] == "least" else value <= limit
    assert re.search(
        r"is undefined|none of \d+ cases? in both runs was right|only \d+ case|no case|there is no run", words
    ), words
    return False


numbers = st.sampled_from([0.0, 0.02, 0.25, 1 / 3, 0.5, 2 / 3, 0.85, 1.0]) | st.floats(0, 1)
figures = st.sampled_from(["demo.recall", "demo.right", "demo.wrong_dataset", "demo.errors", "demo.latency"])
names = st.sampled_from(["baseline", "r-0001", "nobody"])
limits = st.one_of(
    st.builds(
        lambda m, x, how: Gate(m, at_least=x, missing=how), figures, numbers, st.sampled_from(["count", "leave_out"])
    ),
    st.builds(lambda m, x: Gate(m, at_most=x), figures, numbers),
    st.builds(lambda m, x, y: Gate(m, at_least=min(x, y), at_most=max(x, y)), figures, numbers, numbers),
)
no_worse = st.builds(
    lambda m, than, x, c: Gate(m, no_worse_than=than, margin=x, confidence=c),
    figures,
    names,
    numbers,
    st.sampled_from([None, 0.6, 0.95, 0.999]),
)
new_failures = st.builds(
    lambda tag, metric, than: Gate(no_new_failures=CaseFilter(tag, metric, than)),
    st.sampled_from(["", "x", "y", "nowhere"]),
    st.sampled_from(["", "demo.recall", "demo.wrong_dataset"]),
    names,
)


@st.composite
def cases(draw: Any) -> list[CaseResult]:
    found = []
    for number in range(draw(st.integers(0, 14))):
        status = draw(st.sampled_from(["scored"] * 5 + ["error", "missing", "not_applicable"]))
        value = draw(st.sampled_from([1.0, 1.0, 0.0, 0.5, None]))
        found.append(case(f"c{number}", value, status, draw(st.sets(st.sampled_from("xy")))))
    return found


@settings(max_examples=200, deadline=None)
@given(cases(), cases() | st.none(), st.lists(limits | no_worse | new_failures, min_size=1, max_size=6))
def test_every_combination_of_rules(now: list[CaseResult], before: list[CaseResult] | None, rules: list[Gate]) -> None:
    known = {} if before is None else {name: run(before, "r-0001") for name in ("baseline", "r-0001")}
    verdicts = settle(judge(rules, run(now), METRICS, baselines(known)))
    assert {verdict.rule for verdict in verdicts} >= {v.rule for v in verdicts if not v.passed}
    for verdict in verdicts:
        assert holds(verdict.words) == verdict.passed, verdict.words
    code = exit_code(verdicts)
    assert code == (0 if all(holds(verdict.words) for verdict in verdicts) else 1)
    broken = sum(not verdict.passed for verdict in verdicts)
    assert (broken > 0) == (code == 1)
    assert len(list(ElementTree.fromstring(junit_xml(verdicts)).iter("failure"))) == broken
    assert sum(line.startswith("::error ") for line in github_annotations(verdicts)) == broken
    page = gate_markdown(verdicts)
    assert page.count("| **failed** |") == broken
    assert ("failed" in page.splitlines()[0]) == (code == 1)
