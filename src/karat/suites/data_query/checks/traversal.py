"""Every entry and every term of the targets in a case, each with its place in the document."""

from __future__ import annotations

from collections.abc import Iterator

from karat.core.records import Case
from karat.core.yaml.structs import Path_
from karat.suites.data_query.selection.selection import DatasetSelection, Selection, Target, Term


def entries(case: Case[Target]) -> Iterator[tuple[Path_, DatasetSelection]]:
    """(path, entry) of every target and its alternatives."""
    root: Path_ = () if case.source.item is None else (case.source.item,)
    for turn, message in enumerate(case.conversation):
        if message.target is None:
            continue
        target: Path_ = (*root, "conversation", turn, "target")
        selections: list[tuple[Path_, Selection]] = [(target, message.target)]
        selections += [((*target, "alternatives", n), other) for n, other in enumerate(message.target.alternatives)]
        for path, selection in selections:
            for number, part in enumerate(selection.indicator_selection):
                if part.dataset_id.strip():  # an empty one is a mistake that is reported when the case is read
                    yield (*path, "indicator_selection", number), part


def terms(path: Path_, part: DatasetSelection) -> Iterator[tuple[Path_, str, Term]]:
    """(path, dimension, term) of an entry."""
    for number, dimension in enumerate(part.dimensions):
        for place, term in enumerate(dimension.values):
            if term.id.strip():
                yield (*path, "dimensions", number, "values", place), dimension.dimension_name, term
