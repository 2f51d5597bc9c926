"""Recorded runs: for each question the documents that a search returned, with scores.

Scores are compared as float32, as everywhere in this suite. A run without scores is taken as ranked, best first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from karat.core.problems import Problem, UserError
from karat.core.remote.paths import local_path
from karat.suites.retrieval.judged.judgements import refuse
from karat.suites.retrieval.predictions import read_predictions, read_response
from karat.suites.retrieval.ranking import Scores, as_scores
from karat.suites.retrieval.records import DOCUMENTS

_NAMED = re.compile(r"([^/\\=]+)=(.+)", re.DOTALL)
_PACKED = ".gz"


@dataclass(frozen=True)
class Run:
    """A run, by its name in rankers."""

    name: str
    results: dict[str, tuple[list[str], Scores]]
    """Question → documents and their scores."""

    def depth(self, questions: Sequence[str]) -> tuple[int, str]:
        """The length of the shortest list of these questions, and whose it is; lists that are not there do not
        count. 0 when there is none."""
        lengths = [(len(self.results[name][0]), name) for name in questions if name in self.results]
        return min(lengths, default=(0, ""), key=lambda found: found[0])


def read_runs(written: Sequence[str | Path]) -> list[Run]:
    """The runs of ``--run FILE`` or ``--run NAME=FILE``. Without a name it is that of the file, without its ending."""
    runs: dict[str, Run] = {}
    for one in written:
        named = _NAMED.fullmatch(str(one))
        path = local_path(named[2] if named else one)
        name = named[1].strip() if named else path.name.removesuffix(_PACKED).rpartition(".")[0] or path.name
        if not name or re.search(r"[(),;|]", name):
            raise UserError(f'"{name}" cannot be the name of a run', hint=f"Name it: --run NAME={path}")
        if name in runs:
            raise UserError(f'two runs have the name "{name}"', hint=f"Name one of them: --run NAME={path}")
        runs[name] = _read(path, name)
    return list(runs.values())


def _read(path: Path, name: str) -> Run:
    loaded = read_predictions(path)
    problems: list[Problem] = list(loaded.problems)
    refuse(problems, path)
    results: dict[str, tuple[list[str], Scores]] = {}
    for prediction in loaded.predictions:
        if prediction.response is None:
            raise UserError(f'the question "{prediction.case_id}" of {path} has no results')
        fields = read_response(prediction.response).fields
        if fields and set(fields) != {DOCUMENTS}:
            raise UserError(
                f'the question "{prediction.case_id}" of {path} has the fields {", ".join(fields)}',
                hint=f'A run of documents has one field, "{DOCUMENTS}".',
            )
        if not fields:
            continue
        ranked = fields[DOCUMENTS]
        if len(set(ranked.keys)) != len(ranked.keys):
            raise UserError(f'a document appears twice for the question "{prediction.case_id}" of {path}')
        given = ranked.scores if ranked.scores is not None else [-float(place) for place in range(len(ranked.keys))]
        scores = as_scores(given)
        if not np.isfinite(scores).all():
            raise UserError(f'the question "{prediction.case_id}" of {path} has a score that is not a finite number')
        if ranked.keys:
            results[prediction.case_id] = (list(ranked.keys), scores)
    return Run(name, results)
