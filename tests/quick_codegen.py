"""What makes runs of the codegen example shorter where a test is about something else."""

from __future__ import annotations

from pathlib import Path


def take_few_pairs() -> None:
    """Time code in three pairs of runs, until this process ends. Beside other tests every interval is too wide, and all
    33 pairs would be taken."""
    from karat.suites.codegen.timing import pairs

    pairs.PATIENCE = 0.0


def try_few_tables(project: Path, timing: str = "performance: false") -> None:
    """Let the example run right code on one changed copy of each kind, not on three, and time little or nothing."""
    config = project / "karat.yaml"
    text = config.read_text(encoding="utf-8")
    assert text.count("    options:\n") == 1
    config.write_text(
        text.replace("    options:\n", f"    options:\n      perturb: quick\n      {timing}\n"), encoding="utf-8"
    )
