"""Stored cases of the suite as a case file, see ``core.case_files.case_file``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.case_files.case_file import CaseFile, as_yaml
from karat.core.json_types import JsonMapping


def case_file(cases: Sequence[JsonMapping]) -> CaseFile:
    """The cases as YAML documents."""
    keys = ("id", "name", "tags", "cluster", "comments", "conversation")
    written = [{key: case[key] for key in keys if case.get(key)} for case in cases]
    return CaseFile("---\n".join(as_yaml(case) for case in written), "yaml", "Put it into the cases folder.")
