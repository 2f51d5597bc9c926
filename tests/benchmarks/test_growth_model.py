"""The table of docs/scale.md is the one that the model prints."""

from __future__ import annotations

from benchmarks.growth_model import NEEDS, SIZES, markdown
from tests.conftest import ROOT


def test_the_docs_show_what_the_model_says() -> None:
    assert markdown() in (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")


def test_what_breaks_first_is_the_memory_of_a_comparison() -> None:
    """As the page says: the smallest number of cases that one machine cannot take."""
    most = {
        need.what + need.unit: max(size for size in range(0, SIZES[-1], 500_000) if need.fits(size)) for need in NEEDS
    }
    first = min(most, key=lambda name: most[name])
    assert first.startswith("`karat compare`") and 25_000_000 < most[first] < 27_000_000
