"""A suite whose parts do not fit, and a system that offers what none has, is an error of the type checker, not of the
first run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

SUITE = """
from pathlib import Path
from karat.core.records import Case, Prediction
from karat.core.report import Report
from karat.core.results.result import Estimator, RunResult
from karat.core.scores import Score, scored
from karat.core.case_files.loaded import LoadedCases, LoadedPredictions
from karat.core.metric import Metric
from karat.core.suite import Suite, SuiteOptions

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


def test_metrics_must_take_what_compare_returns_and_a_system_offers_what_it_declares(tmp_path: Path) -> None:
    texts = {
        "suite_fits.py": SUITE.replace("{takes}", "bool"),
        "suite_broken.py": SUITE.replace("{takes}", "str"),
        "system_fits.py": SYSTEM.replace("{again}", "False"),
        "system_broken.py": SYSTEM.replace("{again}", '"no"'),
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    # With the project's own settings and what mypy has worked out for them already, where it has.
    command = [sys.executable, "-m", "mypy", *(str(tmp_path / name) for name in texts)]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    lines = {name: [line for line in said.splitlines() if f"{name}:" in line] for name in texts}
    assert (lines["suite_fits.py"], lines["system_fits.py"]) == ([], [])
    assert any("error:" in line for line in lines["suite_broken.py"])
    assert any('base class "System" defined the type as "bool"' in line for line in lines["system_broken.py"])
    assert all("_broken.py" in line for line in said.splitlines()[:-1]), said
