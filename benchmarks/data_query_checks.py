"""``karat check`` of 5,000 cases against a list of 200,000 codes; and the series of 100,000 cases beside parsing them.

The time of the check is to be compared with that of an earlier commit: ``PYTHONPATH=EARLIER/src python -m
benchmarks.data_query_checks check`` measures any tree that has the suite.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import generated, measure

CASES = 5_000
CODES = 200_000
SERIES = 100_000


def main() -> None:
    measure.heading("data_query checks", f"{CASES:,} cases against {CODES:,} codes; series of {SERIES:,} cases")
    cost = measure.in_fresh_process(__name__, "check")
    print(f"  karat check: {cost.wall:.2f} s, CPU {cost.cpu:.2f} s, {cost.peak_mb:.0f} MB")
    parsing, series = (measure.in_fresh_process(__name__, side) for side in ("parse", "series"))
    print(f"  parsing: CPU {parsing.cpu:.1f} s; series: CPU {series.cpu:.1f} s")
    measure.verdict("series / parsing, CPU", series.cpu / parsing.cpu, at_most=1.0)


def _check() -> measure.Cost:
    from importlib import import_module

    from karat.suites.data_query.cases import load_cases
    from karat.suites.data_query.options import Options

    try:
        check_cases = import_module("karat.suites.data_query.checks.cases").check_cases
    except ModuleNotFoundError:  # an earlier tree
        check_cases = import_module("karat.suites.data_query.structures.codelists").check_cases
    with TemporaryDirectory() as name:
        folder = Path(name)
        texts = "---\n".join(_case(number) for number in range(CASES))
        (folder / "cases.yaml").write_text(texts)
        lines = "".join(f"C{number:06d},Name of {number}\n" for number in range(CODES))
        (folder / "CL_INDICATOR.csv").write_text(f"id,name\n{lines}")
        cases = load_cases(folder / "cases.yaml").cases
        if len(cases) != CASES:
            raise AssertionError(f"{len(cases)} cases")
        return measure.of_call(lambda: check_cases(cases, [folder / "CL_INDICATOR.csv"], Options()))


def _case(number: int) -> str:
    """Five terms, one in fifty of them drifted and one in a hundred unknown."""
    terms = []
    for place in range(5):
        code = (number * 37 + place * 1_009) % CODES
        wrong = (number * 5 + place) % 100
        name = f"Nam of {code}" if wrong in (1, 2) else f"Name of {code}"
        terms.append(f"        - {{id: {'X' if wrong == 3 else 'C'}{code:06d}, name: {name}}}\n")
    held = "".join(terms)
    return (
        f"id: c{number}\nconversation:\n- role: user\n  content: q\n  target:\n    indicator_selection:\n"
        f"    - dataset_id: X:D\n      dimensions:\n      - dimension_name: INDICATOR\n        values:\n{held}"
    )


def _series() -> measure.Cost:
    import msgspec

    from karat.suites.data_query.selection.selection import Target, dataset_keys
    from karat.suites.data_query.series.comparison import compare_series

    targets = (case["conversation"][0]["target"] for case in generated.cases(SERIES))
    cases = [msgspec.convert(target, Target) for target in targets]

    def work() -> None:
        for place, target in enumerate(cases):
            other = cases[place - 1] if place % 2 else target
            left, right = target.indicator_selection, other.indicator_selection
            keys = dataset_keys(
                [one.dataset_id for one in left], [one.dataset_id for one in right], strict_versions=False
            )
            found = compare_series(left, right, *keys, lambda _dataset, _dimension: None)
            _ = (found.precision, found.recall, found.f1, found.exact)

    return measure.of_call(work)


def _parse() -> measure.Cost:
    import yaml

    texts = [generated.as_yaml(case) for case in generated.cases(SERIES)]
    return measure.of_call(lambda: [yaml.load(text, Loader=yaml.CSafeLoader) for text in texts])


if __name__ == "__main__":
    measure.say({"check": _check, "series": _series, "parse": _parse}[sys.argv[1]]())
