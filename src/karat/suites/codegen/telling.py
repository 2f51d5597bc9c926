"""What a report tells of an answer, as plain JSON values: three parts in the contract's exact shapes, the others beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from karat.suites.codegen.records import Attempt

if TYPE_CHECKING:
    from karat.suites.codegen.comparison import Comparison


def details(turns: Sequence[tuple[int, Comparison]]) -> dict[str, Any]:
    """The evidence of a case: that of its last scored turn."""
    return told(turns[-1][1]) if turns else {}


def told(comparison: Comparison) -> dict[str, Any]:
    """One comparison, every score with what it is made of."""
    last = comparison.last
    return {
        "reason": last.error or comparison.correctness.reason,
        "prompt_understanding": _json(comparison.understanding),
        "requirement_coverage": _json(comparison.coverage),
        "error_recovery": _json(comparison.recovery),
        "correctness": _json(comparison.correctness),
        "quality": _json(comparison.quality),
        "performance": _json(comparison.performance),
        "overall": _json(comparison.overall),
        "code": last.code,
        "result": comparison.result,
        "error_class": last.error_class,
        "error": last.error or None,
        "line": last.line or None,
        "attempts": [_attempt(attempt) for attempt in comparison.attempts],
    }


def _json(record: msgspec.Struct) -> Any:
    """Exactly what JSON would hold: lists, not tuples."""
    return msgspec.json.decode(msgspec.json.encode(record))


def _attempt(attempt: Attempt) -> dict[str, Any]:
    """With every key, so that rows of attempts make a table."""
    return {name: getattr(attempt, name) for name in attempt.__struct_fields__}
