"""Answers by rules: the first pattern that occurs in the question gives the answer.

This is the baseline that an assistant must beat.

::

    systems:
      baseline: {type: rules, rules: rules.csv, otherwise: unknown}

``rules.csv`` has the columns ``pattern`` (a regular expression, capitals do not count) and ``answer``.
"""

import csv
import re
from pathlib import Path

from karat import NoAnswer, Problem, Request, Response, Suite, System, SystemConfig, SystemType, UserError


class RulesConfig(SystemConfig, frozen=True, forbid_unknown_fields=True, kw_only=True):
    rules: str
    otherwise: str = ""
    """The answer where no pattern fits; left out: there is none, and the case is missing."""


class Rules(System):
    measures_time = False  # a look-up has no latency worth the name

    def __init__(self, rules: list[tuple[re.Pattern[str], str]], otherwise: str) -> None:
        self._rules, self._otherwise = rules, otherwise

    async def call(self, request: Request) -> Response:
        answer = next((said for pattern, said in self._rules if pattern.search(request.question)), self._otherwise)
        if not answer:
            raise NoAnswer("no rule fits the question")
        return Response(answer.encode())


def open_rules(config: RulesConfig, suite: Suite) -> Rules:
    rules: list[tuple[re.Pattern[str], str]] = []
    problems: list[Problem] = []
    try:
        with Path(config.rules).open(encoding="utf-8-sig", newline="") as file:
            lines = csv.DictReader(file)
            for line in lines:
                try:
                    rules.append((re.compile(line["pattern"], re.IGNORECASE), line["answer"]))
                except KeyError as error:
                    problem = f"{config.rules} has no column {error}"
                    raise UserError(problem, hint="Its first line is: pattern,answer") from None
                except re.error as error:
                    wrong = f"not a regular expression: {error}"
                    problems.append(Problem(wrong, file=config.rules, line=lines.line_num))
    except OSError as error:
        raise UserError(f"cannot read the rules in {config.rules}: {error.strerror}") from error
    if problems:
        raise UserError("the rules cannot be used", problems=problems)
    return Rules(rules, config.otherwise)


system = SystemType("rules", "answers by rules: patterns in the question", RulesConfig, open_rules, paths=("rules",))
