"""What reading a plot costs: code that draws and saves a chart in the sandbox, beside the same with its figure read,
and with its picture too.

Each snippet runs by turns with and without, in the same warm server; the median of the server's own clock and of
processor time counts. The claim: a plot that is read costs at most twice its drawing.
"""

from __future__ import annotations

import os
from statistics import median

from benchmarks import measure
from karat.sandbox import Limits, Outcome, Sandbox

ROUNDS = int(os.environ.get("KARAT_BENCHMARK_ROUNDS", "9"))
TARGET = 2.0
TABLE: dict[str, list[object]] = {
    "region": [f"region {number}" for number in range(12)],
    "qty": [number * 7 % 13 for number in range(12)],
    "price": [number / 3 for number in range(12)],
}
PLT = "import matplotlib.pyplot as plt\n"
SNIPPETS = {
    "bars": PLT + "plt.bar(df.region, df.qty)\nplt.savefig('a.png')",
    "pandas, two series": PLT + "df.plot.bar(x='region', y=['qty', 'price'])\nplt.savefig('a.png')",
    "line of 10,000": PLT + "plt.plot(np.arange(10_000), np.arange(10_000) % 97)\nplt.savefig('a.png')",
    "cloud of 10,000": PLT + "plt.scatter(np.arange(10_000) % 89, np.arange(10_000) % 97)\nplt.savefig('a.png')",
    "histogram": PLT + "plt.hist(np.arange(5_000) % 101, bins=30)\nplt.savefig('a.png')",
    "four panels": PLT
    + "fig, axes = plt.subplots(2, 2)\nfor ax in axes.flat:\n    ax.bar(df.region, df.qty)\nfig.savefig('a.png')",
}
KINDS = {
    "drawn": Limits(wall=30),
    "read": Limits(wall=30, figures=20),
    "read, with picture": Limits(wall=30, figures=20, pictures=1),
}


def main() -> None:
    """Print a row for each snippet."""
    rows = []
    with Sandbox() as box:
        for name, code in SNIPPETS.items():
            found: dict[str, list[Outcome]] = {kind: [] for kind in KINDS}
            for _ in range(ROUNDS + 1):
                for kind, limits in KINDS.items():
                    outcome = box.run(code, {"sales": TABLE}, limits=limits)
                    if not outcome.ok:
                        raise SystemExit(f"{name}: {outcome.status}: {outcome.error}")
                    found[kind].append(outcome)
            wall = {kind: median(one.wall for one in outcomes[1:]) for kind, outcomes in found.items()}
            cpu = {kind: median(one.cpu for one in outcomes[1:]) for kind, outcomes in found.items()}
            rows.append((name, wall, cpu))
    measure.heading("codegen_plots", "reading a plot beside drawing it")
    measure.table(
        ("snippet", *(f"{kind}, wall (processor)" for kind in KINDS), "read / drawn"),
        [
            (
                name,
                *(f"{1000 * wall[kind]:.0f} ms ({1000 * cpu[kind]:.0f})" for kind in KINDS),
                f"{wall['read'] / wall['drawn']:.2f}, {wall['read, with picture'] / wall['drawn']:.2f} with picture",
            )
            for name, wall, cpu in rows
        ],
    )
    worst = max(wall["read"] / wall["drawn"] for _, wall, _ in rows)
    measure.limit("the worst ratio of a plot that is read to its drawing", worst, TARGET, "×")


if __name__ == "__main__":
    main()
