"""``expect`` of a row of JSON, whose file has no positions inside a line."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.expect.records import Expect
from karat.core.json_types import Json
from karat.core.problems import Problem
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, reader_for

_read = reader_for(Expect)


def read_expect(value: Json, file: str, line: int) -> tuple[Expect | None, Sequence[Problem]]:
    """The expectations of a row, and what is wrong with them; neither where the row has none."""
    if value is None:
        return None, ()
    findings = Findings(file)
    found = _read(node_of(value, file, line), findings)
    return (found if isinstance(found, Expect) else None), findings.problems
