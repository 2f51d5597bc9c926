"""What a gate may ask for, in ``karat.yaml`` or after ``--gate``. A rule that could never be judged is refused when it
is read.

Three kinds, one a gate:

- a floor or ceiling: ``{metric: data_query.macro_recall, at_least: 0.85}``, in short ``data_query.macro_recall>=0.85``.
  The figure ``errors`` of every suite is the share of cases without an answer that can be judged:
  ``data_query.errors<=0.02``;
- against a baseline: ``{metric: answers.strict, no_worse_than: baseline, margin: 0.02, confidence: 0.95}``;
- case by case: ``{no_new_failures: {tag: critical}}``.
"""

from __future__ import annotations

import math
import re
from typing import Literal

import msgspec

from karat.core.problems import Problem, UserError

CONFIDENCE = 0.95
BASELINE = "baseline"
"""The word that stands for the run of ``--baseline``, or of the project's ``baseline:``, or the newest run of that
name."""

Kind = Literal["limit", "no_worse_than", "no_new_failures"]


class CaseFilter(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which cases a rule looks at, and by which metric a case is right. All cases, and the suite's own, by default."""

    tag: str = ""
    """Only cases with this tag."""
    metric: str = ""
    """The metric that decides whether a case is right; by default the suite's own."""
    than: str = BASELINE
    """The baseline: a run, or the name of one."""

    def __post_init__(self) -> None:
        if self.metric and not all(self.metric.partition(".")):
            raise ValueError(f'the metric "{self.metric}" needs its suite in front, as in data_query.fully_right')
        if not self.than.strip():
            raise ValueError("than names the baseline, such as baseline or r-0012")


class Gate(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rule. A run that breaks it ends with exit code 1."""

    metric: str = ""
    """``suite.metric``, such as ``answers.strict``."""
    at_least: float | None = None
    """The mean must not be below this."""
    at_most: float | None = None
    """The mean must not be above this."""
    no_worse_than: str = ""
    """The run to compare with: its id, its name, or ``baseline``."""
    margin: float | None = None
    """With ``no_worse_than``: how much worse still counts as equally good."""
    confidence: float | None = None
    """With ``no_worse_than``: how certain that must be, by default 0.95."""
    no_new_failures: CaseFilter | None = None
    """No case that was right in the baseline may be wrong now."""
    by: Literal["rule", "corrected"] = "rule"
    """With a limit: ``corrected`` uses the interval of the rate that is corrected by people and judge."""
    missing: Literal["count", "leave_out"] = "count"
    """Whether the rule must also hold with every case that has no answer counted as the worst value."""

    def __post_init__(self) -> None:
        limits = [limit for limit in (self.at_least, self.at_most, self.margin) if limit is not None]
        if not all(math.isfinite(limit) for limit in limits):
            raise ValueError("a limit must be a number")
        asked = [bool(self.at_least is not None or self.at_most is not None), bool(self.no_worse_than)]
        asked.append(self.no_new_failures is not None)
        if sum(asked) != 1:
            raise ValueError("a gate needs exactly one of: at_least or at_most; no_worse_than; no_new_failures")
        if self.no_new_failures is not None and self.metric:
            raise ValueError("no_new_failures takes its metric inside: {no_new_failures: {metric: …}}")
        if self.no_new_failures is None and not all(self.metric.partition(".")):
            raise ValueError("a gate needs its metric as suite.metric, such as data_query.macro_recall")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least is above at_most: nothing could pass")
        if not self.no_worse_than and (self.margin is not None or self.confidence is not None):
            raise ValueError("margin and confidence go with no_worse_than")
        if self.no_worse_than and (self.margin is None or self.margin < 0):
            raise ValueError("no_worse_than needs a margin that is not negative, such as margin: 0.02")
        if self.by == "corrected" and self.kind != "limit":
            raise ValueError("by: corrected goes with at_least or at_most")
        if self.missing == "leave_out" and (self.kind == "no_new_failures" or self.by == "corrected"):
            raise ValueError("missing: leave_out goes with at_least, at_most or no_worse_than, without by: corrected")
        if self.confidence is not None and not 0.5 < self.confidence < 1:
            raise ValueError("confidence must be above 0.5 and below 1, such as 0.95")

    @property
    def kind(self) -> Kind:
        """Which of the three kinds of rule this is."""
        if self.no_new_failures is not None:
            return "no_new_failures"
        return "no_worse_than" if self.no_worse_than else "limit"

    @property
    def figure(self) -> str:
        """The ``suite.metric`` that the rule names; empty when it names none."""
        return self.no_new_failures.metric if self.no_new_failures is not None else self.metric

    @property
    def suite(self) -> str:
        """The suite that the rule is for; empty when it is for all."""
        return self.figure.partition(".")[0]

    @property
    def baseline(self) -> str:
        """The run that the rule compares with; empty when it compares with none."""
        return self.no_new_failures.than if self.no_new_failures is not None else self.no_worse_than


def number(value: float) -> str:
    """A limit as it was written: the shortest text that reads back as the same number."""
    return repr(float(value)).removesuffix(".0")


def rule_text(gate: Gate) -> str:
    """The rule in one line."""
    if gate.no_new_failures is not None:
        rule = gate.no_new_failures
        tag = f" in tag {rule.tag}" if rule.tag else ""
        by = f" by {rule.metric}" if rule.metric else ""
        return f"no new failures{tag}{by}" + (f" against {rule.than}" if rule.than != BASELINE else "")
    left_out = ", missing answers left out" if gate.missing == "leave_out" else ""
    if gate.no_worse_than:
        sure = f"{number(100 * (gate.confidence or CONFIDENCE))} % confidence"
        return f"{gate.metric} no worse than {gate.no_worse_than} by {number(gate.margin or 0.0)}, {sure}{left_out}"
    return f"{gate.metric}{', corrected,' if gate.by == 'corrected' else ''} {limits_text(gate)}{left_out}"


def limits_text(gate: Gate) -> str:
    """``at least 0.8 and at most 0.9``."""
    limits = (("at least", gate.at_least), ("at most", gate.at_most))
    return " and ".join(f"{word} {number(limit)}" for word, limit in limits if limit is not None)


def parse_gate(text: str) -> Gate:
    """A gate of the command line: ``data_query.macro_recall>=0.85``, or a rule as it is in karat.yaml."""
    found = re.fullmatch(r"([\w.@(),= -]+?)(>=|<=)\s*([0-9.eE+-]+)", text.strip())
    if found is None and ":" in text:
        return _from_yaml(text)
    try:
        if found is None:
            raise ValueError
        limit = float(found[3])
        name = found[1].strip()
        return Gate(name, at_least=limit) if found[2] == ">=" else Gate(name, at_most=limit)
    except ValueError:
        hint = (
            "Write data_query.macro_recall>=0.85, or with <=; or a rule of karat.yaml: no_new_failures: {tag: critical}"
        )
        raise UserError(f'"{text}" is not a gate', hint=hint) from None


def _from_yaml(text: str) -> Gate:
    from karat.core.yaml.structs import Findings, documents, read

    whole = text if text.lstrip().startswith("{") else f"{{{text}}}"
    findings = Findings("")
    gates = [read(Gate, node, findings) for node in documents(whole.encode(), findings)]
    if len(gates) != 1 or gates[0] is None:
        problems = [Problem(f"--gate: {problem.message}", hint=problem.hint) for problem in findings.problems]
        raise UserError(f'"{text}" is not a gate', problems=problems)
    return gates[0]
