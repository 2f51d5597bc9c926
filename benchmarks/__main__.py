"""``python -m benchmarks``: all of them. ``python -m benchmarks NAME …``: some."""

from __future__ import annotations

import importlib
import sys

NAMES = (
    "startup",
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


def main(wanted: list[str]) -> int:
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        print(f"no benchmark {', '.join(unknown)}; there are: {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in wanted or NAMES:
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


sys.exit(main(sys.argv[1:]))
