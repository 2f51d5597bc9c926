"""A result in JSON against the schemas that are shipped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

from karat.core import plugins
from karat.core.suite import Suite
from karat.reports.json_schema import RESULT_FILE, schema_file


def own_file(suite: Suite) -> Path:
    """The schema of a suite's details."""
    file = schema_file(suite)
    assert file is not None
    return file


def validated(data: bytes | str) -> dict[str, Any]:
    """The result, after both of its schemas have accepted it."""
    found: dict[str, Any] = json.loads(data)
    jsonschema.validate(found, json.loads(RESULT_FILE.read_bytes()))
    suite = plugins.load_suite(found["run"]["suite"])
    details = jsonschema.Draft202012Validator(json.loads(own_file(suite).read_bytes()))
    for case in found["cases"]:
        details.validate(case["details"])
    return found
