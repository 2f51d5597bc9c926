"""Specifications of Vega-Lite and Vega read into the one form: what they compute is computed here, and no address is
ever opened."""

from __future__ import annotations

from karat.core.json_types import JsonMapping
from karat.suites.codegen.plots.records import Panel
from karat.suites.codegen.plots.vega.full import read_full
from karat.suites.codegen.plots.vega.views import read_lite

__all__ = ["read_vega"]


def read_vega(spec: JsonMapping) -> tuple[tuple[Panel, ...], str]:
    """The panels and the title of a figure. Raises CannotRead."""
    schema = str(spec.get("$schema", ""))
    if "vega-lite" not in schema and "/vega/" in schema:
        return read_full(spec)
    return read_lite(spec)
