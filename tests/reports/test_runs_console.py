"""``karat runs list``: what people call a run is always there, beside the figures or below."""

from __future__ import annotations

import io

import msgspec
import pytest
from rich.console import Console

from karat.reports.console.runs import print_runs
from karat.store.records import RunRow

ROW = RunRow(
    id=1,
    suite="data_query",
    name="nightly-of-the-weo-assistant",
    system="assistant-with-a-long-name",
    status="finished",
    created="2026-01-01T00:00:00",
    started="2026-01-01T00:00:00",
    finished="",
    truth_set="3f9c21aa",
    cases=120,
    repeats=1,
    karat="0.1.0",
    tags=("baseline", "release"),
)


@pytest.mark.parametrize("screen", [True, False])
@pytest.mark.parametrize("width", [60, 80, 200])
def test_nothing_is_lost(width: int, screen: bool) -> None:
    out = io.StringIO()
    print_runs([ROW], {}, Console(file=out, width=width, force_terminal=screen, color_system=None))
    for text in ("r-0001", "data_query", ROW.name, ROW.system, "baseline, release", "3f9c21aa", "120", "finished"):
        assert text in " ".join(out.getvalue().split())
    lines = out.getvalue().splitlines()
    assert len(lines) == (2 if width == 200 or not screen else len(lines))


def test_a_name_without_end_is_cut() -> None:
    """A damaged row with a name of 100 MB kept the list busy for minutes."""
    out = io.StringIO()
    print_runs([msgspec.structs.replace(ROW, name="x" * 5_000)], {}, Console(file=out, width=160, color_system=None))
    assert "x" * 199 + "…" in out.getvalue() and "x" * 200 not in out.getvalue()
