"""Gates: floors and ceilings for the figures of a run. The verdict and its words come from one place, so they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from karat.core.problems import UserError
from karat.core.result import RunResult


class Gate(msgspec.Struct, frozen=True, omit_defaults=True):
    """A floor or a ceiling for one figure, ``suite.metric``. A run that breaks it ends with exit code 1."""

    metric: str
    at_least: float | None = None
    at_most: float | None = None

    def __post_init__(self) -> None:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a gate needs at_least or at_most")


def parse_gate(text: str) -> Gate:
    """A gate in short: ``data_query.macro_recall>=0.85`` or ``…<=0.1``."""
    found = re.fullmatch(r"\s*([\w.]+)\s*(>=|<=)\s*([0-9.eE+-]+)\s*", text)
    try:
        if found is None:
            raise ValueError
        limit = float(found[3])
    except ValueError:
        raise UserError(f'"{text}" is no gate', hint="Write it as data_query.macro_recall>=0.85, or with <=.") from None
    return Gate(found[1], at_least=limit) if found[2] == ">=" else Gate(found[1], at_most=limit)


class Verdict(msgspec.Struct, frozen=True):
    """What became of one gate, in words."""

    metric: str
    passed: bool
    words: str


def judge(gates: Sequence[Gate], result: RunResult) -> list[Verdict]:
    """A verdict for each gate on this suite. A figure that is undefined passes no gate."""
    verdicts: list[Verdict] = []
    for gate in gates:
        suite, _, metric = gate.metric.partition(".")
        if suite != result.run.suite:
            continue
        mean = next((item.mean for item in result.summary if item.metric == metric), None)
        wanted = " and ".join(
            f"{word} {limit:g}"
            for word, limit in (("at least", gate.at_least), ("at most", gate.at_most))
            if limit is not None
        )
        if mean is None:
            verdicts.append(Verdict(gate.metric, False, f"{gate.metric} is undefined, wanted {wanted}"))
            continue
        passed = (gate.at_least is None or mean >= gate.at_least) and (gate.at_most is None or mean <= gate.at_most)
        verdicts.append(Verdict(gate.metric, passed, f"{gate.metric} is {mean:.4g}, wanted {wanted}"))
    return verdicts
