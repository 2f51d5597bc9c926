"""Reading a written file in a sandbox of its own, whose servers never run an answer."""

from __future__ import annotations

import base64
from functools import cache
from importlib import resources

import msgspec

from karat.core.problems import UserError
from karat.sandbox import Limits, Outcome, Plain, Sandbox
from karat.suites.codegen.records import ExpectedFile

MB = 1024**2
LIMITS = Limits(wall=15.0, memory=768 * MB)
_CALL = """
import base64 as _base64
result = read_file({name!r}, _base64.b64decode(tables["file"]["data"].iloc[0]), {sheet!r}, {table!r})
"""


class Read(msgspec.Struct, frozen=True):
    """What a file holds, how it was read, and why it could not be."""

    content: Plain = None
    notes: dict[str, str] = {}
    problem: str = ""


def read_written(name: str, data: bytes, wanted: ExpectedFile, box: Sandbox) -> Read:
    """The content of a written file."""
    if not data:
        return Read(problem="it is empty")
    code = _source() + _CALL.format(name=name, sheet=wanted.sheet, table=wanted.from_table)
    outcome = box.run(code, {"file": {"data": [base64.b64encode(data).decode()]}}, limits=LIMITS)
    found = outcome.result
    if outcome.ok and isinstance(found, dict) and isinstance(found.get("notes"), dict):
        notes = {str(key): str(value)[:100] for key, value in found["notes"].items()}
        return Read(found.get("content"), notes)
    return Read(problem=_why(outcome))


def _why(outcome: Outcome) -> str:
    raised = outcome.error
    if raised is None:
        return outcome.detail or outcome.status
    if raised.class_ in ("ModuleNotFoundError", "ImportError"):
        raise UserError(f"a written file cannot be read here: {raised.message}", hint="Install that package.")
    if outcome.status == "memory":
        return "reading it takes more memory than allowed"
    return raised.message if raised.class_ == "Refused" else f"{raised.class_}: {raised.message}"[:300]


@cache
def _source() -> str:
    return (
        resources.files("karat.suites.codegen.written_files").joinpath("sandbox_reader.py").read_text(encoding="utf-8")
    )
