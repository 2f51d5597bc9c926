"""A project in a folder: a stored run, verdicts on it, its patch, the patch applied by the real tools, and the run
scored again."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import karat
from karat.core.plugins import load_suite
from karat.core.results.result import CaseResult
from karat.reports.patches.patch import Patch, review_patch
from karat.runs.scores.run_scoring import rescore
from karat.store import Store, open_store

TOOLS = ("git", "patch")
Verdicts = Mapping[str, str | tuple[str, str]]
"""Case → verdict, or verdict and comment."""


class Project:
    """A folder with cases and a run of them, whose reviewer is called Ada."""

    def __init__(self, folder: Path, suite: str, cases: str) -> None:
        self.folder = folder
        self.suite = suite
        self.cases = folder / cases
        self.store = f"sqlite:///{folder / 'runs.db'}"

    def run(self, predictions: Path, verdicts: Verdicts, **options: object) -> None:
        karat.run(suite=self.suite, cases=self.cases, predictions=predictions, options=options, store=self.store)
        self.review(verdicts)

    def review(self, verdicts: Verdicts) -> None:
        with self.opened() as store:
            for case, verdict in verdicts.items():
                word, comment = verdict if isinstance(verdict, tuple) else (verdict, "")
                store.add_review(store.find_run("latest"), case, word, reviewer="Ada", comment=comment)

    def opened(self) -> Store:
        return open_store(self.store)

    def patch(self) -> Patch:
        with self.opened() as store:
            return review_patch(store, store.find_run("latest"), root=self.folder)

    def apply(self, patch: Patch, tool: str) -> None:
        """Apply the patch in the folder, strictly: no fuzz, no offset warnings become errors by themselves."""
        file = self.folder.parent / "cases.patch"
        file.write_bytes(patch.data)
        command = ["git", "apply", str(file)] if tool == "git" else ["patch", "-p1", "--fuzz=0", "-i", str(file)]
        if tool == "git":
            subprocess.run(["git", "init", "-q"], cwd=self.folder, check=True)
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr + patch.data.decode(errors="replace")
        assert not list(self.folder.rglob("*.rej")) and not list(self.folder.rglob("*.orig"))

    def scored(self, case: str) -> CaseResult:
        """A case of the newest run, scored against the files as they are now."""
        suite = load_suite(self.suite)
        loaded = suite.load_cases(self.cases)
        assert not [problem for problem in loaded.problems if problem.severity == "error"], loaded.problems
        with self.opened() as store:
            result = rescore(store, store.find_run("latest"), cases=loaded.cases)
        return next(one for one in result.cases if one.id == case)

    def value(self, case: str, metric: str) -> float | None:
        return self.scored(case).scores[metric].value


def fates(patch: Patch) -> dict[str, tuple[str, str]]:
    """Case → (what became of its review, why)."""
    return {one.review.case_id: (one.fate, one.why) for one in patch.reviews}
