"""How good the codegen scores themselves are: does a reference score above its wrong variants?

Each reference of ``tests/suites/codegen/mutants.py`` is changed in every way that is known there (a filter dropped,
mean for sum, another column, only a comment, dead code, a constant, …). Reference and mutant are judged on tables made
here, in the real sandbox. Beside karat's scores stands a plain regex scorer as the contract's text describes it
(``tests/suites/codegen/regex_scorer.py``).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping

from benchmarks import measure
from karat.sandbox import Sandbox
from karat.suites.codegen.comparison import judged
from karat.suites.codegen.options import Options
from karat.suites.codegen.records import TableSource, Task
from tests.suites.codegen.mutants import EXAMPLES, Example, mutants
from tests.suites.codegen.regex_scorer import regex_coverage, regex_understanding

TARGET = 0.95
ROWS = 120
CLOSE = 1e-9


def main() -> None:
    measure.heading("codegen_mutants", f"{len(EXAMPLES)} references and their mutants, {ROWS} rows a table")
    above: dict[str, int] = defaultdict(int)
    kinds: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    pairs = 0
    with Sandbox() as box:
        for example in EXAMPLES:
            right = _scores(example, example.code, box)
            for mutant in mutants(example):
                wrong = _scores(example, mutant.code, box)
                pairs += 1
                for name in right:
                    above[name] += right[name] > wrong[name] + CLOSE
                kinds[mutant.kind][0] += right["together"] > wrong["together"] + CLOSE
                kinds[mutant.kind][1] += 1
    rows = [[name, f"{count} of {pairs}", f"{count / pairs:.1%}"] for name, count in above.items()]
    measure.table(["reference above mutant", "pairs", "share"], rows)
    measure.table(["together, by change", "pairs", "of"], [[kind, str(n), str(of)] for kind, (n, of) in kinds.items()])
    measure.verdict("correctness + coverage + understanding", above["together"] / pairs, at_least=TARGET)


def _scores(example: Example, code: str, box: Sandbox) -> Mapping[str, float]:
    task = Task(tables=_tables(example), reference=example.code)
    found = judged(example.question, task, [code], Options(performance=False), box)
    parts = {
        "correctness": found.correctness.score or 0.0,
        "understanding": found.understanding.understanding_score,
        "coverage": found.coverage.coverage_score,
    }
    read = (
        regex_understanding(example.question, code, example.schema)
        + regex_coverage(example.question, code, example.schema)
    ) / 2
    return {**parts, "together": sum(parts.values()) / 3, "regex scorer": read}


def _tables(example: Example) -> dict[str, TableSource]:
    """Made-up rows for the example's schema; the same each time."""
    draw = random.Random(7)
    made = {}
    for name, columns in example.schema.tables.items():
        made[name] = TableSource(
            columns={column: [_cell(column, row, example, draw) for row in range(ROWS)] for column in columns}
        )
    return made


def _cell(column: str, row: int, example: Example, draw: random.Random) -> object:
    if column in example.values:
        return draw.choice([*example.values[column], "Elsewhere"])
    if column.endswith("_id"):
        return row % 40 if column == "customer_id" else row
    if "name" in column:
        return f"{column} {row}"
    if "date" in column:
        return f"20{row % 20 + 10}-0{row % 9 + 1}-15"
    if column == "age":
        return draw.randint(18, 70)
    if column == "salary":
        return draw.randint(20, 120) * 1000
    return None if column == "rainfall" and row % 11 == 0 else draw.randint(1, 400) / 4


if __name__ == "__main__":
    main()
