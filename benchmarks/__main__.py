"""``python -m benchmarks``: all of them. ``python -m benchmarks NAME …``: some. ``python -m benchmarks CHECK --option
…``: one check of the code."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "startup",
    "structures",
    "data_query_checks",
    "yaml_cases",
    "scoring",
    "excel",
    "harness",
    "answers_spider2",
    "answers_strict",
    "retrieval_metrics",
    "retrieval_ranks",
    "retrieval_ranks_gpu",
    "retrieval_tune",
    "sandbox",
    "codegen_scores",
    "codegen_mutants",
    "viewer",
    "coverage",
)
CHECKS = ("same_demos", "walk")
"""Not about cost, so not part of all; each takes options of its own."""


def main(wanted: list[str]) -> int:
    if wanted and wanted[0] in CHECKS:
        code: int = importlib.import_module(f"benchmarks.{wanted[0]}").main(wanted[1:])
        return code
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join((*NAMES, *CHECKS))}", file=sys.stderr)
        return 2
    for name in wanted or NAMES:
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


sys.exit(main(sys.argv[1:]))
