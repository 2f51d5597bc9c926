"""Calls that retrieve values: the model or ranker that is named in them exists, and n is a number."""

from __future__ import annotations

from karat.sheet.check.findings import Findings
from karat.sheet.functions.definition import Function
from karat.sheet.text.tree import Call, Number, Text, Unary

RETRIEVING = frozenset({"RETRIEVE", "RETRIEVE_SCORES", "RECALL"})


def check_retrieval(call: Call, known: object, findings: Findings) -> None:
    """Only what is written in the call itself: what a formula gives is seen when it is computed."""
    taken = known.form(len(call.arguments)) if isinstance(known, Function) else None
    for parameter, argument in zip(taken or (), call.arguments, strict=False):
        if parameter.name == "n":
            _number(call, argument, findings)
        elif parameter.name == "model" and isinstance(argument, Text):
            from karat.search.chunks.rank import split_label
            from karat.search.rankers.load import wrong_ranker

            wrong = wrong_ranker(split_label(argument.value)[0])
            if wrong is not None:
                findings.add(argument.at, wrong.message, wrong.hint)


def _number(call: Call, argument: object, findings: Findings) -> None:
    """A text is a number where it reads as one, as everywhere in a sheet."""
    if isinstance(argument, Text):
        try:
            number = float(argument.value)
        except ValueError:
            findings.add(argument.at, f'n of {call.name} must be a number, but is the text "{argument.value}"')
            return
    elif isinstance(argument, Number):
        number = float(argument.value)
    elif isinstance(argument, Unary) and argument.operator == "-" and isinstance(argument.operand, Number):
        number = -float(argument.operand.value)
    else:
        return
    if number < 0 or not number.is_integer():
        findings.add(argument.at, f"n of {call.name} must be a whole number from 0 on, but is {number:g}")
