"""Keys of a gold row that nothing reads, though they were meant to count.

``excude`` for ``exclude`` would drop a condition without a word, and a wrong answer would pass. In gold of the own
family every key of an evaluation must be known, or the gold judges nothing. Public gold may have others, which the
public evaluator refuses in its own way; there a slip of a known key is only reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple  # Any: gold rows may hold anything until they are checked

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.problems import Severity, did_you_mean, slip_of
from karat.suites.answers.gold.lfs_pointers import POINTER
from karat.suites.answers.records import Gold

PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "string_match": ("pred", "gold", "exclude", "conj"),
    "number_match": ("pred", "gold", "percentage", "precision", "conj"),
    "table_match": ("result", "gold", "condition_cols", "ignore_order"),
    "tables_match": ("result", "gold", "condition_cols", "ignore_orders"),
    "duckdb_match": ("result", "gold", "condition_tabs", "condition_cols", "ignore_orders"),
}
"""The parameters of the contract. Any other makes the public tool fail the entry, whatever was answered."""
EVERYWHERE = ("sql",)
OWN_PARAMETERS = ("rel_tol", "abs_tol", "whole_numbers", "normalise", "allow_shape")
EVALUATION_KEYS = ("func", "parameters", "temporal")
NO_FILE = "there is no gold file"
STATED = "the gold row says"
DECIDING = ("evaluation", "temporal", "condition_cols", "ignore_order", "ties", "as_of", "status", "expect")
"""Keys of a row that decide what is right, and whether the row counts."""
DESCRIBING = ("instance_id", "question", "instruction", "tags", "type", "cluster")
"""Its other keys. What is like one of them may as well be a note of the user's."""


class Told(NamedTuple):
    """What is said of a gold as soon as it is read."""

    what: str
    hint: str = ""
    severity: Severity = "error"


class KeyFault(NamedTuple):
    """A key that is not known."""

    what: str
    hint: str
    severity: Severity
    slip: bool = True
    """Whether the key is nearly a known one."""


def key_faults(gold: Gold, row: JsonMapping) -> Iterator[KeyFault]:
    """Every key of a row, its evaluations and their parameters that is not known. Other keys of the row are free."""
    own = gold.family == "own"
    for key in row:
        if meant := slip_of(key, (*DECIDING, *DESCRIBING)):
            severity: Severity = "error" if own and meant in DECIDING else "warning"
            yield KeyFault(f'the key "{key}" is ignored', f'Did you mean "{meant}"?', severity)
    evaluation = row.get("evaluation")
    for part in evaluation if isinstance(evaluation, list) else [evaluation]:
        if isinstance(part, dict):
            yield from _evaluation_faults(part, own=own)


def told_on_reading(gold: Gold, fault: KeyFault) -> bool:
    """Whether a fault is reported as soon as the gold is read; the others are for ``karat check``."""
    return fault.slip or gold.family == "own"


def usable_keys(gold: Gold, row: JsonMapping) -> tuple[Gold, list[Told]]:
    """The gold, and what is said as soon as it is read. Gold of the own family with a lost key is unreadable: it would
    judge without a condition that it was meant to have."""
    faults = [fault for fault in key_faults(gold, row) if told_on_reading(gold, fault)]
    lost = [fault for fault in faults if fault.severity == "error"]
    said = [Told(trouble) for trouble in gold.problem.split("; ") if gold.family == "own" and _is_mistake(trouble)]
    said += [Told(fault.what, fault.hint, fault.severity) for fault in faults]
    if gold.family != "own" or not lost:
        return gold, said
    why = "; ".join(dict.fromkeys((*filter(None, (gold.problem,)), *(fault.what for fault in lost))))
    return msgspec.structs.replace(gold, status="unreadable", problem=why), said


def _is_mistake(trouble: str) -> bool:
    return bool(trouble) and not trouble.startswith((NO_FILE, STATED, POINTER))


def _evaluation_faults(part: Mapping[str, Any], *, own: bool) -> Iterator[KeyFault]:
    func, parameters = part.get("func"), part.get("parameters")
    known = PARAMETERS.get(func, ()) if isinstance(func, str) else ()
    for key in part:
        if key not in EVALUATION_KEYS:
            hint = f'Move "{key}" into "parameters".' if key in known else did_you_mean(key, EVALUATION_KEYS)
            slip = bool(slip_of(key, EVALUATION_KEYS))
            yield KeyFault(f'"{key}" is next to the parameters of {func}, where it is ignored', hint, "error", slip)
    if not known or not isinstance(parameters, dict):
        return
    known = (*known, *EVERYWHERE, *(OWN_PARAMETERS if own else ()))
    for key in parameters:
        if key not in known:
            slip = bool(slip_of(key, known))
            yield KeyFault(f'{func} has no parameter "{key}"', did_you_mean(key, known), "error", slip)
