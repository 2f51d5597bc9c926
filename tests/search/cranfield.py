"""The Cranfield collection, read from its SMART files: titles, questions, and which documents answer which question."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from karat.search.records import Floats


class Cranfield(NamedTuple):
    titles: list[str]
    questions: list[str]
    truths: list[set[int]]


def read(folder: Path) -> Cranfield:
    """Questions count from 1 in the judgements, by their place in the file; a judgement of -1 says "no"."""
    titles = _parts(folder / "cran.all.1400", ".T")
    questions = _parts(folder / "cran.qry", ".W")
    truths: list[set[int]] = [set() for _ in questions]
    for line in (folder / "cranqrel").read_text().splitlines():
        if line.strip():
            question, document, grade = map(int, line.split())
            if grade > 0:
                truths[question - 1].add(document - 1)
    return Cranfield(titles, questions, truths)


def recall(scores: Floats, truths: list[set[int]], n: int) -> float:
    """The mean over the questions of the share of a question's documents among its n best; ties in the documents'
    order."""
    best = np.argsort(-scores, axis=1, kind="stable")[:, :n]
    return float(
        np.mean([len(truth & set(row.tolist())) / len(truth) for truth, row in zip(truths, best, strict=True)])
    )


def _parts(path: Path, wanted: str) -> list[str]:
    texts: list[list[str]] = []
    inside = False
    for line in path.read_text(encoding="latin-1").splitlines():
        if line.startswith(".I "):
            texts.append([])
            inside = False
        elif len(line.strip()) == 2 and line.startswith("."):
            inside = line.strip() == wanted
        elif inside:
            texts[-1].append(line)
    return [" ".join(" ".join(lines).split()) for lines in texts]
