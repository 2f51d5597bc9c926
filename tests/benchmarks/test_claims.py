"""Every claim in one form: the figures that are recorded, the page that shows them, and what counts as worse."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import msgspec
import pytest

from benchmarks import claims, measure, recorded
from benchmarks.__main__ import NAMES, run
from benchmarks.claims import Claim, Cost, fitted_exponent

FASTER = Claim(benchmark="harness", what="theirs / ours", value=100.0, at_least=50, date="2026-11-15")
SMALLER = Claim(benchmark="yaml_cases", what="ours / theirs", value=0.8, at_most=1.5)
SECONDS = Claim(benchmark="startup", what="karat --help", value=0.1, unit="s", at_most=0.3)


def test_the_page_shows_what_is_recorded() -> None:
    found = recorded.read()
    assert recorded.PAGE.read_text() == recorded.page(found)
    assert {claim.benchmark for claim in found} <= set(NAMES)
    assert all(claim.date and claim.machine for claim in found)
    assert len({claim.key for claim in found}) == len(found)


@pytest.mark.parametrize(
    ("before", "value", "worse"),
    [
        (FASTER, 85.0, False),
        (FASTER, 75.0, True),
        (FASTER, 140.0, False),
        (SMALLER, 0.95, False),
        (SMALLER, 1.1, True),
        (SMALLER, 0.2, False),
        (SECONDS, 0.14, False),
        (SECONDS, 0.16, True),
    ],
)
def test_worse_is_what_noise_does_not_explain(before: Claim, value: float, worse: bool) -> None:
    found = msgspec.structs.replace(before, value=value)
    assert bool(recorded.got_worse([found], [before])) == worse


def test_a_target_that_was_met_and_is_missed_is_worse() -> None:
    near = msgspec.structs.replace(FASTER, value=51.0)
    (said,) = recorded.got_worse([msgspec.structs.replace(near, value=49.0)], [near])
    assert said == "harness, theirs / ours: 49×, was 51× (2026-11-15): misses ≥ 50×"


def test_a_new_claim_is_not_worse() -> None:
    assert recorded.got_worse([FASTER], []) == []


def test_growth_is_that_of_the_large_sizes() -> None:
    assert fitted_exponent({10: 5.0, 100: 5.0, 1_000: 5.0, 10_000: 50.0, 100_000: 500.0}) == pytest.approx(1.0)
    assert fitted_exponent({1_000: 1.0, 10_000: 100.0}) == pytest.approx(2.0)


def test_a_row_has_both_sides() -> None:
    claim = msgspec.structs.replace(FASTER, ours=Cost(1.5, 2.0, 90.0), peer=Cost(30.0, 20.0))
    (row,) = claims.rows([claim])
    assert row == ["harness", "theirs / ours", "100×", "≥ 50×", "met", "2 s", "1.5 s", "90 MB", "20 s", "30 s", ""]
    assert len(row) == len(claims.HEAD)


def test_two_claims_of_one_name_are_refused() -> None:
    claims.begin("scale_run")
    claims.add(Claim(benchmark="", what="light, function: CPU over cases", value=1.0, unit="n^"))
    claims.add(Claim(benchmark="", what="light, replay: CPU over cases", value=1.1, unit="n^"))
    with pytest.raises(ValueError, match="twice"):
        claims.add(Claim(benchmark="", what="light, replay: CPU over cases", value=1.2, unit="n^"))
    assert [one.value for one in claims.take()] == [1.0, 1.1]


def test_every_target_is_a_claim() -> None:
    """Whatever says of itself that a target is met is in the table, in results.json and in the check."""
    files = [file for file in Path(claims.__file__).parent.glob("*.py") if "MISSED" in file.read_text()]
    assert sorted(file.stem for file in files) == ["claims", "measure"]


def test_a_figure_without_a_target_is_compared_too(capsys: pytest.CaptureFixture[str]) -> None:
    measure.figure("CPU of the caller", 20.0, "µs")
    (claim,) = claims.take()
    assert "CPU of the caller: 20 µs\n" in capsys.readouterr().out
    assert recorded.got_worse([msgspec.structs.replace(claim, value=40.0)], [claim])
    assert not recorded.got_worse([msgspec.structs.replace(claim, value=22.0)], [claim])


def test_a_benchmark_that_fails_costs_only_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails() -> None:
        sys.exit("its peer is not installed")

    def works() -> None:
        claims.add(Claim(benchmark="", what="quick", value=2.0, at_least=1.0))

    for name, main in (("fails", fails), ("works", works)):
        module = ModuleType(f"benchmarks.{name}")
        monkeypatch.setattr(module, "main", main, raising=False)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(recorded, "RESULTS", tmp_path / "results.json")
    monkeypatch.setattr(recorded, "PAGE", tmp_path / "benchmarks.md")
    found, failed = run(("fails", "works", "fails"), record=True)
    assert [(claim.benchmark, claim.what) for claim in found] == [("works", "quick")]
    assert failed == ["fails", "fails"]
    assert [claim.value for claim in recorded.read()] == [2.0]
    assert "its peer is not installed" in capsys.readouterr().err
