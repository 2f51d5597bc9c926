"""Truths, answers and files for the tests, made from a few words."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from karat.core.scores import Score
from karat.suites.retrieval.comparison import Comparison, compare_truths
from karat.suites.retrieval.metrics import METRICS
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Ranked, Retrieved, Truths


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files; texts as UTF-8, and packed where the name ends in .gz."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        place.write_bytes(gzip.compress(data) if name.endswith(".gz") and data[:2] != b"\x1f\x8b" else data)
    return root


def comparison(wanted: dict[str, int] | list[str], keys: list[str], **options: Any) -> Comparison:
    """One field: what is wanted (relevance 1 where only keys are given) against keys, best first."""
    judged = dict.fromkeys(wanted, 1) if isinstance(wanted, list) else wanted
    return compare_truths(Truths({DOCUMENTS: judged}), Retrieved({DOCUMENTS: Ranked(keys)}), Options(**options))


def fields(wanted: dict[str, list[str]], keys: dict[str, list[str]], **options: Any) -> Comparison:
    """Several fields, relevance 1."""
    truths = Truths({name: dict.fromkeys(found, 1) for name, found in wanted.items()})
    return compare_truths(truths, Retrieved({name: Ranked(found) for name, found in keys.items()}), Options(**options))


def score(name: str, found: Comparison) -> Score:
    return next(metric for metric in METRICS if metric.name == name).score(found)


def value(name: str, found: Comparison) -> float | None:
    return score(name, found).value
