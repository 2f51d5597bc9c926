"""Verdicts for machines: JUnit XML, GitHub's annotations, Markdown. Any text stays text."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from karat.reports.github import github_annotations, harmless
from karat.reports.junit import junit_xml
from karat.reports.markdown.gates import gate_markdown, headline
from karat.stats.gates.verdicts import Verdict

PASSED = Verdict("a.b at least 0.5", "passed", "a.b is 0.6 over 3 cases, wanted at least 0.5", "a", "r-0001")
BROKEN = Verdict("no new failures", "failed", "2 of 3 <cases> & more", "a", "r-0001", cases=("one", "t\x00wo"))
OTHER = Verdict("c.d at most 1", "failed", "c.d is undefined, wanted at most 1", "c")


def test_a_run_is_a_test_suite_and_a_rule_is_a_test() -> None:
    root = ElementTree.fromstring(junit_xml([PASSED, BROKEN, OTHER]))
    assert root.attrib == {"name": "karat gate", "tests": "3", "failures": "2"}
    first, second = root
    assert (first.get("name"), first.get("tests"), first.get("failures")) == ("a r-0001", "2", "1")
    assert (second.get("name"), second.get("tests"), second.get("failures")) == ("c", "1", "1")
    passed, broken = first
    assert passed.get("classname") == "karat.a"
    assert passed.find("failure") is None
    failure = broken.find("failure")
    assert failure is not None
    assert failure.get("message") == "2 of 3 <cases> & more"
    assert failure.text == "2 of 3 <cases> & more\n- one\n- t\\x00wo"


@given(st.text(), st.text())
def test_any_text_is_well_formed_xml_and_one_annotation(rule: str, words: str) -> None:
    verdict = Verdict(rule, "failed", words, words, rule, cases=(words,))
    assert len(list(ElementTree.fromstring(junit_xml([verdict])).iter("failure"))) == 1
    (line,) = github_annotations([verdict])
    assert "\n" not in line and "\r" not in line
    assert "##[" not in line
    title, _, data = line.removeprefix("::error title=karat gate%3A ").partition("::")
    assert "," not in title and ":" not in title
    assert "\n" not in data


def test_annotations() -> None:
    assert github_annotations([PASSED, OTHER]) == [
        "::notice title=karat gate%3A a.b at least 0.5::a.b is 0.6 over 3 cases, wanted at least 0.5",
        "::error title=karat gate%3A c.d at most 1::c.d is undefined, wanted at most 1",
    ]
    evil = Verdict("r", "failed", "95 %\n::add-mask::x ##[error]y")
    assert github_annotations([evil]) == ["::error title=karat gate%3A r::95 %25%0A::add-mask::x ## [error]y"]
    assert harmless("##[x") == "## [x"


def test_the_markdown_has_broken_rules_on_top() -> None:
    page = gate_markdown([PASSED, BROKEN])
    lines = page.splitlines()
    assert lines[0] == "### karat gate: 1 of 2 gates failed"
    assert lines[4].startswith("| **failed** | a r-0001 | no new failures | 2 of 3 &#60;cases&#62; &#38; more |")
    assert lines[5].startswith("| passed |")
    assert headline([PASSED]) == "1 gate passed"
