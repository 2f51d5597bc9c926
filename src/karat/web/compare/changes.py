"""Which cases of two runs to show: by section, by verdict in both, with another answer, by tag."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.json_types import JsonMapping
from karat.core.records import Prediction, is_wrapped
from karat.core.replies.answer_text import answer_text, answers_of
from karat.reports.compare.changes import SECTIONS, Answers, Change, Changes, StoredCases
from karat.reports.compare.comparison import Compared
from karat.stats.compare.pairing import pair_columns
from karat.stats.compare.right_wrong import VERDICTS
from karat.store import RunRow
from karat.store.cases.case_pages import CaseQuery
from karat.store.predictions.answer_blocks import error_at
from karat.web.compare.baseline_diff import columns_in
from karat.web.lookup import scoring_of
from karat.web.page import Viewer

BATCH = 1000
SAME_VERDICT = {"right": "right in both", "wrong": "wrong in both"}
OTHER_ANSWER = {"wrong_otherwise": "wrong in both, another answer", "answer": "another answer, same verdict"}
WORDS = {**SECTIONS, **OTHER_ANSWER, **SAME_VERDICT}
"""What may follow ``kind=`` in an address, in words."""


def counts_of(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, tag: str = "") -> dict[str, int | None]:
    """How many cases each kind has. None: not counted yet, as all answers of both runs would have to be read."""
    known = _answers_key(viewer, first, second) in viewer.kept
    if not tag:
        table = found.comparison.right_wrong
        every: dict[str, int | None] = {**found.changes.sections()}
        every |= {kind: getattr(table, kind) if table is not None else 0 for kind in SAME_VERDICT}
    else:
        every = {
            kind: len(chosen(viewer, first, second, found, kind, tag)) for kind in WORDS if kind not in OTHER_ANSWER
        }
    for kind in OTHER_ANSWER:
        every[kind] = len(chosen(viewer, first, second, found, kind, tag)) if known else None
    return {kind: every[kind] for kind in WORDS}


def chosen(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, kind: str, tag: str = "") -> list[str]:
    """The ids of the cases of one kind, or of all that changed, in the order of the comparison; only those with the
    tag where one is named."""
    ids = _of_kind(viewer, first, second, found, kind)
    if not tag:
        return ids
    tagged = _tagged(viewer, first, second, tag)
    return [case for case in ids if case in tagged]


def _of_kind(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, kind: str) -> list[str]:
    if kind in SAME_VERDICT:
        return with_verdict(found, kind)
    if kind in OTHER_ANSWER:
        moved = {*with_verdict(found, "newly_wrong"), *with_verdict(found, "newly_right")}
        kept = set(with_verdict(found, "wrong")) if kind == "wrong_otherwise" else None
        return [
            case
            for case in changed_answers(viewer, first, second)
            if (case not in moved if kept is None else case in kept)
        ]
    changes: Changes = found.changes.of_section(kind) if kind else found.changes
    return changes.ids


def with_verdict(found: Compared, verdict: str) -> list[str]:
    """The ids of the cases in one cell of the table of right and wrong, in the order of the run before."""
    table = found.comparison.right_wrong
    names: Sequence[str] = VERDICTS
    return [] if table is None else found.comparison.cases.ids_where(table.verdicts() == names.index(verdict))


def _tagged(viewer: Viewer, first: RunRow, second: RunRow, tag: str) -> set[str]:
    """The ids of the cases that have the tag in either run; kept, as scorings never change."""

    def read() -> set[str]:
        found: set[str] = set()
        for row in (first, second):
            ids = columns_in(viewer, row).case_ids
            found |= {ids[place] for place in viewer.viewing.case_order(row.id, scoring_of(row), CaseQuery(tag=tag))}
        return found

    return viewer.kept(("tagged", scoring_of(first), scoring_of(second), tag), read)


def tags_in(viewer: Viewer, row: RunRow, most: int = 200) -> list[str]:
    """The tags of a run's cases."""
    return sorted({tag for one in viewer.viewing.tag_counts(scoring_of(row)) for tag in one.tags})[:most]


def changed_answers(viewer: Viewer, first: RunRow, second: RunRow) -> tuple[str, ...]:
    """The cases of both runs whose answers are not the same, letter for letter; kept. Only cases with several answers
    are read in batches, as people read them; of the others the blocks are gone through."""

    def compare() -> tuple[str, ...]:
        shared = pair_columns(columns_in(viewer, first), columns_in(viewer, second)).ids
        often = viewer.viewing.answered_often(first.id) | viewer.viewing.answered_often(second.id)
        before, after = _hashed_answers(viewer, first), _hashed_answers(viewer, second)
        found = {case for case in shared if before.get(case) != after.get(case)} - often
        several = [case for case in shared if case in often] if often else []
        for begin in range(0, len(several), BATCH):
            batch = several[begin : begin + BATCH]
            a, b = (_answers(viewer, row, batch) for row in (first, second))
            found.update(case for case in batch if a.get(case) != b.get(case))
        return tuple(case for case in shared if case in found)

    return viewer.kept(_answers_key(viewer, first, second), compare)


def _hashed_answers(viewer: Viewer, row: RunRow) -> dict[str, int]:
    """A hash of the answer to each case, without an object for each; of a case with several answers, of one of them."""
    found: dict[str, int] = {}
    for block in viewer.viewing.answer_blocks(row.id):
        data, plain = block.responses, block.keys.unfolded is not None
        begin = 0
        for place, (case, end) in enumerate(zip(block.keys.cases, block.ends, strict=True)):
            response = data[begin:end]
            begin = end
            if not plain and (place in block.keys.errors or is_wrapped(response)):
                one = Prediction(case, response=response, error=error_at(block.keys, place))
                response = answer_text(one).encode("utf-8", "surrogatepass")
            found[case] = hash(response)
    return found


def read_changes(viewer: Viewer, first: RunRow, second: RunRow, found: Compared, ids: Sequence[str]) -> list[Change]:
    """These cases with both answers and how they differ; no other case is read. Kept for those who come back."""
    key = ("changes", *_answers_key(viewer, first, second)[1:], *ids)
    return viewer.kept_pages(key, lambda: with_texts(viewer, first, second, found).changes.of_cases(ids))


def with_texts(viewer: Viewer, first: RunRow, second: RunRow, found: Compared) -> Compared:
    """The comparison with both answers of each case, and the cases as they were asked; read when they are looked at."""
    changes = found.changes.with_answers(answers_in(viewer, first), answers_in(viewer, second))
    changes = changes.with_cases(cases_in(viewer, first), cases_in(viewer, second))
    return msgspec.structs.replace(found, changes=changes)


def _answers(viewer: Viewer, row: RunRow, ids: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for begin in range(0, len(ids), BATCH):
        batch = ids[begin : begin + BATCH]
        found |= answers_of(viewer.store.case_predictions(row.id, batch), set(batch))
    return found


def answers_in(viewer: Viewer, row: RunRow) -> Answers:
    """The answers of a run, read for the cases that are asked for."""
    return lambda ids: _answers(viewer, row, ids)


def cases_in(viewer: Viewer, row: RunRow) -> StoredCases:
    """The cases of a run as they were asked."""

    def read(ids: Sequence[str]) -> dict[str, JsonMapping]:
        return {case: msgspec.json.decode(data) for case, data in viewer.viewing.cases(row.id, ids).items()}

    return read


def _answers_key(viewer: Viewer, first: RunRow, second: RunRow) -> tuple[str | int, ...]:
    newest = (viewer.viewing.newest_prediction(row.id) for row in (first, second))
    return ("answers", scoring_of(first), scoring_of(second), *newest)
