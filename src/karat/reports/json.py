"""A result as JSON, in the same layout for all suites.

``{"run": {…}, "summary": [{"metric", "mean", "n", "low", "high", "undefined", "with_errors_as_zero"}…], "cases": [{"id", "status",
"scores": {metric: number or null}, "details": {…}, …}…]}``. There is no NaN: a number that is none is null, and ``reasons`` says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from karat.core.atomic import write_bytes
from karat.core.report import visible
from karat.core.result import CaseResult, RunResult
from karat.core.scores import Score


def result_json(result: RunResult) -> bytes:
    """The whole result, indented, UTF-8, with a line end."""
    plain = {
        "run": msgspec.structs.asdict(result.run),
        "summary": [msgspec.structs.asdict(item) for item in result.summary],
        "cases": [_case(case) for case in result.cases],
    }
    try:
        data = msgspec.json.encode(plain)
    except UnicodeEncodeError:  # half of a surrogate pair, which UTF-8 cannot hold
        data = msgspec.json.encode(_mended(msgspec.to_builtins(plain, str_keys=True)))
    return msgspec.json.format(data, indent=2) + b"\n"


def write_json(result: RunResult, path: Path) -> None:
    """The whole result as a file, replaced in one step."""
    write_bytes(path, result_json(result))


def _case(case: CaseResult) -> dict[str, Any]:
    found: dict[str, Any] = {
        "id": case.id,
        "status": case.status,
        "name": case.name,
        "tags": case.tags,
        "question": case.question,
        "error": case.error,
        "scores": _values(case.scores),
        "reasons": {name: score.reason for name, score in case.scores.items() if score.value is None and score.reason},
        "details": case.details,
    }
    if case.repeats:
        found["repeats"] = [
            {"status": one.status, "scores": _values(one.scores), "error": one.error} for one in case.repeats
        ]
    return found


def _values(scores: Mapping[str, Score]) -> dict[str, float | None]:
    return {name: score.value for name, score in scores.items()}


def _mended(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {_mended(key): _mended(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_mended(item) for item in value]
    return value
