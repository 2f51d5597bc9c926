"""What a case touches, and what there is to touch: datasets, dimensions, codes, outcomes, periods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from karat.core.records import Case
from karat.suites.data_query.options import Options
from karat.suites.data_query.prompts import used_codelists
from karat.suites.data_query.selection.outcomes import OUTCOMES
from karat.suites.data_query.selection.selection import Selection, Target, split_version


def covers(case: Case[Target], _options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → what the targets of a case name. Alternatives count: they are right too."""
    targets = [turn.target for turn in case.conversation if turn.target is not None]
    selections: list[Selection] = [one for target in targets for one in (target, *target.alternatives)]
    parts = [part for one in selections for part in one.indicator_selection]
    dimensions = [one for part in parts for one in part.dimensions]
    return {
        "dataset": [split_version(part.dataset_id)[0] for part in parts if part.dataset_id],
        "dimension": [one.dimension_name for one in dimensions],
        "code": [f"{one.dimension_name}={term.id}" for one in dimensions for term in one.values],
        "outcome": [word for one in selections for word in one.outcomes],
        "period": ["with a period" if _has_period(one) else "without" for one in selections],
    }


def _has_period(one: Selection) -> bool:
    return one.period is not None or any(part.period is not None for part in one.indicator_selection)


def coverable(_cases: Sequence[Case[Target]], options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → everything that the structures have. Without structures: the outcomes alone."""
    found: dict[str, list[str]] = {"outcome": [one for one in OUTCOMES if one != "error"]}
    found["period"] = ["with a period", "without"]
    for dataset, dimension, codelist in used_codelists(options) if options.structures else ():
        found.setdefault("dataset", []).extend([split_version(dataset)[0]] if dataset else [])
        found.setdefault("dimension", []).append(dimension)
        found.setdefault("code", []).extend(f"{dimension}={code}" for code in codelist.codes)
    return found
