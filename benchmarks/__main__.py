"""``python -m benchmarks``: all of them, then one table of every claim. ``python -m benchmarks NAME …``: some.

- ``--json``: each claim as a line of JSON at the end, in the place of the table.
- ``record [NAME …]``: keep the figures in ``results.json`` and write docs/benchmarks.md.
- ``check [NAME …]``: compare the figures with those that are kept; exit code 1 when one got worse.
- ``page``: write docs/benchmarks.md from ``results.json`` again.
- ``CHECK --option …``: one check of the code.
"""

from __future__ import annotations

import compileall
import importlib
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks import claims, measure, recorded

NAMES = (
    "startup",
    "structures",
    "data_query_checks",
    "yaml_cases",
    "scoring",
    "judged",
    "executors",
    "two_runners",
    "excel",
    "harness",
    "answers_spider2",
    "answers_strict",
    "text_to_sql",
    "retrieval_metrics",
    "retrieval_ranks",
    "retrieval_ranks_gpu",
    "retrieval_tune",
    "sandbox",
    "sandbox_steps",
    "codegen_scores",
    "codegen_plots",
    "codegen_mutants",
    "viewer",
    "viewer_load",
    "scale_run",
    "store_size",
    "compare_runs",
    "coverage",
)
CHECKS = ("same_demos", "before_after", "walk", "growth_model", "ds1000_references")
"""Not about cost, so not part of all; each takes options of its own."""
VERBS = ("record", "check", "page")


def main(words: Sequence[str]) -> int:
    if words and words[0] in CHECKS:
        code: int = importlib.import_module(f"benchmarks.{words[0]}").main(list(words[1:]))
        return code
    verb = words[0] if words and words[0] in VERBS else ""
    wanted = [word for word in words[bool(verb) :] if word != "--json"]
    unknown = [name for name in wanted if name not in NAMES]
    if unknown:
        known = ", ".join((*NAMES, *CHECKS, *VERBS))
        print(f"no benchmark {', '.join(unknown)}; there are: {known}", file=sys.stderr)
        return 2
    if verb == "page":
        recorded.write_page()
        return 0
    found, failed = run(wanted or NAMES, record=verb == "record")
    code = _conclude(verb, found, lines="--json" in words)
    if failed:
        print(f"\n  failed, see above: {', '.join(failed)}")
    return code or int(bool(failed))


def _compiled() -> None:
    """Karat's modules with their bytecode, as an installation has them. Where Python may not write any, each command
    would compile hundreds of modules again."""
    import karat

    compileall.compile_dir(Path(karat.__file__).parent, quiet=2)


def run(names: Sequence[str], *, record: bool = False) -> tuple[list[claims.Claim], list[str]]:
    """The claims of these benchmarks, and which of them failed. One that fails does not end the others, and what was
    measured before is recorded."""
    _compiled()
    found: list[claims.Claim] = []
    failed = []
    for name in names:
        claims.begin(name)
        try:
            importlib.import_module(f"benchmarks.{name}").main()
        except (Exception, SystemExit):
            traceback.print_exc()
            failed.append(name)
        own = claims.take()
        found += own
        if record:
            recorded.record(own)
    return found, failed


def _conclude(verb: str, found: list[claims.Claim], *, lines: bool) -> int:
    print()
    if lines:
        print("\n".join(msgspec.json.encode(claim).decode() for claim in found))
    else:
        measure.table(claims.HEAD, claims.rows(found))
    if verb == "record":
        print(f"\n  recorded in {recorded.RESULTS.name}, shown in docs/{recorded.PAGE.name}")
    if verb == "check":
        worse = recorded.got_worse(found, recorded.read())
        print("\n".join(f"  {words}" for words in worse) or "  nothing got worse")
        return int(bool(worse))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
