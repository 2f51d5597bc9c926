"""What a run needs at sizes that nobody has measured, from constants that somebody has: ``python -m benchmarks
growth_model``. It is a calculation, not a measurement; docs/scale.md shows its table, and a test compares the two."""

from __future__ import annotations

import msgspec

SIZES = (1_000_000, 10_000_000, 100_000_000)
LIMITS = {"GB of memory": 16.0, "GB of disk": 500.0, "hours": 24.0}
"""What one machine of a team has, and how long people wait."""


class Need(msgspec.Struct, frozen=True):
    """One thing that a job needs: ``base`` and ``per_case`` in MB or in seconds of one core. ``change``: what to do
    when it is too much."""

    what: str
    unit: str
    base: float
    per_case: float
    change: str

    def at(self, cases: int) -> float:
        """In the unit."""
        total = self.base + self.per_case * cases
        return total / (3600 if self.unit == "hours" else 1024)

    def fits(self, cases: int) -> bool:
        return self.at(cases) <= LIMITS[self.unit]


# Measured on two cores: scale_run (light, function) up to 1,000,000 cases, scale_run (data_query, replay) up to
# 100,000, compare_runs up to 1,000,000 (206 and 701 MB, 0.9 and 2.8 s at 200,000 and 1,000,000), store_size at
# 10,000. Memory of a run: 84 MB at 100,000, 233 MB at 1,000,000.
NEEDS = (
    Need("`karat run`", "GB of memory", 67, 166e-6, "split the case file: the ids of all cases are held"),
    Need("`karat run`, light cases, one core", "hours", 0, 123e-6, "several runners, `--executor`"),
    Need("`karat run`, data_query, one core", "hours", 0, 710e-6, "several runners, `--executor`"),
    Need("store, data_query", "GB of disk", 0, 227 / 1024**2, "delete runs that nobody needs"),
    Need("`karat compare`", "GB of memory", 82, 620e-6, "read the columns of one metric after the other"),
    Need("`karat compare`, one core", "hours", 0.4, 2.4e-6, "nothing"),
)


def rows() -> list[tuple[str, ...]]:
    """One row for each need: what, the figures, the first size at which one machine is not enough, what to change."""
    found = []
    for need in NEEDS:
        figures = [f"{need.at(size):.2g} {need.unit}" for size in SIZES]
        broken = next((f"{size:,}" for size in SIZES if not need.fits(size)), "")
        found.append((need.what, *figures, broken or "none of these", need.change))
    return found


HEAD = ("", *(f"{size:,} cases" for size in SIZES), "too much at", "what to change")


def markdown() -> str:
    """The table as docs/scale.md has it."""
    lines = [HEAD, ("---",) * len(HEAD), *rows()]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def main(_arguments: list[str]) -> int:
    print(markdown())
    return 0
