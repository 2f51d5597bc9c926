"""The claims as they were last recorded (``results.json``), the page that shows them, and what got worse since."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from benchmarks import claims, measure
from benchmarks.claims import Claim

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"
NOISE = {"×": 0.25, "n^": 0.15, "MB": 0.15, "B": 0.15}
"""By how much a figure may be worse before it counts: seconds depend on the machine, ratios much less."""
SECONDS = 0.5

_HEAD = """# Benchmarks: every claim

Made from `benchmarks/results.json` by `python -m benchmarks page`; do not edit it by hand. What each benchmark does is
in `benchmarks/README.md`.

    make bench                                       # run all benchmarks, then print this table
    .venv/bin/python -m benchmarks record startup    # run some and record their figures here
    .venv/bin/python -m benchmarks check startup     # run some; exit code 1 when one is worse than recorded

A figure with × is a ratio of this project and its peer on the same machine in the same run; the claim says which way.
`n^1.02` is the power of the size that the cost grows with, fitted over the three largest sizes. CPU, wall and memory
are those of this project, then of the peer.
"""


def read() -> list[Claim]:
    """The claims that were recorded last; none where there is no file yet."""
    return msgspec.json.decode(RESULTS.read_bytes(), type=list[Claim]) if RESULTS.exists() else []


def record(found: Sequence[Claim]) -> None:
    """Keep these in the place of earlier ones of the same name, and write the page."""
    today, machine = datetime.now(UTC).date().isoformat(), measure.machine()
    kept = {claim.key: claim for claim in read()}
    kept |= {claim.key: msgspec.structs.replace(claim, date=today, machine=machine) for claim in found}
    text = msgspec.json.format(msgspec.json.encode(list(kept.values())), indent=1)
    _write(RESULTS, text + b"\n")
    write_page()


def write_page() -> None:
    """The page from what is recorded."""
    _write(PAGE, page(read()).encode())


def page(found: Sequence[Claim]) -> str:
    """The claims as a page of the documentation."""
    lines = [_HEAD, _line(claims.HEAD), _line(["---"] * len(claims.HEAD))]
    lines += [_line(row) for row in claims.rows(found)]
    notes = [f"- {claim.benchmark}, {claim.what}: {claim.note}" for claim in found if claim.note]
    if notes:
        lines += ["", "## Before you believe them", "", *notes]
    sources: dict[tuple[str, str], list[str]] = {}
    for claim in found:
        names = sources.setdefault((claim.date, claim.machine), [])
        names += [claim.benchmark] if claim.benchmark not in names else []
    lines += ["", "## Where the figures come from", ""]
    lines += [f"- {date}, {machine}: {', '.join(names)}" for (date, machine), names in sources.items()]
    return "\n".join(lines) + "\n"


def got_worse(found: Sequence[Claim], before: Sequence[Claim]) -> list[str]:
    """What is worse than it was by more than noise, or misses a target that it met, in words."""
    known = {claim.key: claim for claim in before}
    said = []
    for claim in found:
        old = known.get(claim.key)
        if old is None:
            continue
        room = NOISE.get(claim.unit, SECONDS)
        worse = (
            claim.value < old.value / (1 + room) if claim.at_least is not None else claim.value > old.value * (1 + room)
        )
        lost = old.met and not claim.met
        if worse or lost:
            why = f"misses {claim.target}" if lost else f"worse by more than {room:.0%}"
            figures = f"{claims.shown(claim.value, claim.unit)}, was {claims.shown(old.value, old.unit)} ({old.date})"
            said.append(f"{claim.benchmark}, {claim.what}: {figures}: {why}")
    return said


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _write(path: Path, data: bytes) -> None:
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_bytes(data)
    fresh.replace(path)
