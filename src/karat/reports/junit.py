"""Verdicts of gates as JUnit XML, which GitLab, Jenkins, Azure and others show on their own pages: a rule is a test."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from karat.core.report import visible
from karat.stats.gates.verdicts import Verdict


def junit_xml(verdicts: Sequence[Verdict]) -> bytes:
    """One test suite a run, one test a rule; the words of a broken rule are its failure."""
    root = Element("testsuites", name="karat gate", tests=str(len(verdicts)), failures=str(_failures(verdicts)))
    for run in dict.fromkeys((verdict.suite, verdict.run) for verdict in verdicts):
        some = [verdict for verdict in verdicts if (verdict.suite, verdict.run) == run]
        name = visible(" ".join(part for part in run if part)) or "karat"
        counts = {"tests": str(len(some)), "failures": str(_failures(some)), "errors": "0", "skipped": "0"}
        suite = SubElement(root, "testsuite", {"name": name, **counts})
        for verdict in some:
            test = SubElement(
                suite, "testcase", classname=f"karat.{visible(verdict.suite)}", name=visible(verdict.rule)
            )
            if verdict.passed:
                SubElement(test, "system-out").text = visible(verdict.words)
            else:
                failure = SubElement(test, "failure", message=visible(verdict.words), type="gate")
                failure.text = "\n".join([visible(verdict.words), *(f"- {visible(case)}" for case in verdict.cases)])
    indent(root)
    written: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _failures(verdicts: Sequence[Verdict]) -> int:
    return sum(not verdict.passed for verdict in verdicts)
