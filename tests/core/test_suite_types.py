"""A suite whose parts do not fit, and a system that offers what none has, is an error of the type checker, not of the
first run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SUITE = """
from pathlib import Path
from karat.core.records import Case, Prediction
from karat.core.report import Report
from karat.core.results.result import Estimator, RunResult
from karat.core.scores import Score, scored
from karat.core.suite import LoadedCases, LoadedPredictions, Metric, Suite, SuiteOptions

def load_cases(path: Path) -> LoadedCases: raise NotImplementedError
def read_predictions(path: Path) -> LoadedPredictions: raise NotImplementedError
def compare(case: Case[str], turn: int, prediction: Prediction, options: SuiteOptions) -> bool: return True
def report(result: RunResult, estimate: Estimator) -> Report: raise NotImplementedError
def score(comparison: {takes}) -> Score: return scored(float(len([comparison])))

suite = Suite(
    name="tiny", summary="", target=str, options=SuiteOptions, metrics=(Metric("m", "m", "m", score),),
    load_cases=load_cases, read_predictions=read_predictions, compare=compare, report=report,
)
"""


SYSTEM = """
from karat.core.system import Request, Response, System

class Own(System):
    can_be_asked_again = {again}
    async def call(self, request: Request) -> Response: return Response(b"")
"""


def checked(folder: Path, takes: str) -> subprocess.CompletedProcess[str]:
    return check(folder, f"suite_{takes}.py", SUITE.replace("{takes}", takes))


def check(folder: Path, name: str, text: str) -> subprocess.CompletedProcess[str]:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder / "cache"), str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_metrics_must_take_what_compare_returns(tmp_path: Path) -> None:
    fits = checked(tmp_path, "bool")
    assert fits.returncode == 0, fits.stdout
    broken = checked(tmp_path, "str")
    assert broken.returncode == 1
    assert "suite_str.py" in broken.stdout
    # A system, with what mypy knows by now: what it offers is declared, so it must be of the right kind.
    assert check(tmp_path, "fits.py", SYSTEM.replace("{again}", "False")).returncode == 0
    assert (
        'base class "System" defined the type as "bool"'
        in check(tmp_path, "broken.py", SYSTEM.replace("{again}", '"no"')).stdout
    )
