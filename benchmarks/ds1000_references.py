"""DS-1000's references in an environment: how many pass their own tests, and whether the verdicts are the native ones.

``python -m benchmarks ds1000_references PROBLEMS.jsonl [--verdicts VERDICTS.json] [--environment NAME]``: the name is
that of an environment in the karat.yaml of this folder; without it, the Python that runs this is taken. Exit code 1
where a verdict differs.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from karat.core.records import Case
from karat.core.suite import NotApplicable
from karat.suites.codegen.cases import load_cases
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.environments import box_for, tasks_of
from karat.suites.codegen.running.references import reference_outcome
from karat.verbs.inputs.projects import environments_here


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks ds1000_references")
    parser.add_argument("problems", type=Path)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--environment", default="")
    given = parser.parse_args(list(words))
    options = Options(environment=given.environment, environments=environments_here() if given.environment else {})
    cases = load_cases(given.problems).cases
    box = box_for(next(tasks_of(cases[0])), options)
    version = box.versions().pandas
    began = time.perf_counter()

    def verdict(case: Case[Task]) -> str:
        try:
            reference_outcome(box, next(tasks_of(case)))
        except NotApplicable as error:
            return str(error)
        return "pass"

    with ThreadPoolExecutor(box.workers) as threads:
        found = dict(zip([case.id for case in cases], threads.map(verdict, cases), strict=True))
    passed = sum(said == "pass" for said in found.values())
    print(f"pandas {version}: {passed} of {len(found)} references pass, {time.perf_counter() - began:.0f} s")
    native = json.loads(given.verdicts.read_text())["problems"] if given.verdicts else {}
    differing = {
        number: said
        for number, said in found.items()
        if version in native.get(number, {}) and (said == "pass") != (native[number][version] == "pass")
    }
    if native:
        known = sum(version in native.get(number, {}) for number in found)
        print(f"native verdicts known for {known}: {len(differing)} differ")
    for number, said in differing.items():
        print(f"  {number}: {said[:200]} (native: {native[number][version][:100]})")
    return 1 if differing else 0
