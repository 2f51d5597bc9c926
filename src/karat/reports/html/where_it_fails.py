"""The head of the report: the answer in a sentence, right and wrong cases by tag as bars, and the failure groups."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.metric import Metric, right_words
from karat.core.problems import count_of
from karat.core.results.columns.columns import columns_of
from karat.core.results.result import RunResult
from karat.reports.html.text import cut, readable
from karat.reports.sections.failure_groups import GroupRow, failure_groups, further_words, group_rows
from karat.reports.sections.outcomes_by_tag import main_metric, outcomes_by_tag

MOST_TAGS = 10
MOST_GROUPS = 12
LONGEST = 200


class TagBar(msgspec.Struct, frozen=True):
    """A tag. Shares are of its cases, in per cent; ``ends``: the interval of the share right, on the same bar."""

    tag: str
    right: float
    wrong: float
    silent: float
    ends: tuple[float, float] | None
    wrong_cases: int
    scored: int
    silent_cases: int


class WhereItFails(msgspec.Struct, frozen=True):
    """What the page shows below its figures."""

    figure: str = ""
    bars: tuple[TagBar, ...] = ()
    more_tags: int = 0
    groups: tuple[GroupRow, ...] = ()
    words: str = ""
    further: str = ""

    @property
    def any(self) -> bool:
        """Whether a case with a tag is wrong or without an answer."""
        return any(bar.wrong_cases or bar.silent_cases for bar in self.bars)


def where_it_fails(result: RunResult, metrics: Sequence[Metric]) -> WhereItFails:
    """Empty parts where no case has a tag, or none failed."""
    main, table = main_metric(result, metrics), outcomes_by_tag(result, metrics)
    rows = table.rows if table is not None else ()
    bars = tuple(_bar(str(row[0]), *row[1:4], *row[5:7]) for row in rows[:MOST_TAGS])  # type: ignore[arg-type]  # as outcomes_by_tag makes them
    found = failure_groups(result)
    groups = group_rows(found)
    rest = len(groups) - MOST_GROUPS
    further = [f"{count_of(rest, 'smaller group')} in the table below"] if rest > 0 else []
    return WhereItFails(
        readable(main.title) if main is not None else "",
        bars,
        max(len(rows) - MOST_TAGS, 0),
        tuple(_short(row) for row in groups[:MOST_GROUPS]),
        f"{count_of(found.failing, 'case')} not right, each in one group",
        "; ".join([*further, *filter(None, [further_words(found)])]),
    )


def answer_sentence(result: RunResult, metrics: Sequence[Metric]) -> str:
    """``codes-by-search: 85 of 118 fully right``; empty where no figure says right or wrong of whole cases."""
    import numpy as np

    main = main_metric(result, metrics)
    if main is None or main.kind != "rate" or not result.cases or result.run.repeats > 1:
        return ""
    values = columns_of(result, groups=False).column(main.name)
    scored = int(np.isfinite(values).sum())
    right = int((values == (1.0 if main.higher_is_better else 0.0)).sum())
    name = result.run.name or result.run.id or result.run.suite
    said = right_words(right, scored, main.title, partly=int(((values > 0) & (values < 1)).sum()))
    held_out = next((item for item in result.summary if item.metric == main.held_out_by and item.n), None)
    if held_out is not None and held_out.mean is not None:  # what is to be expected of new cases comes first
        title = next((metric.title for metric in metrics if metric.name == main.held_out_by), "held out")
        said = f"{held_out.mean:.3f} {title}; {said}"
    return cut(f"{name}: {said}", LONGEST)


def _bar(tag: str, right: int, wrong: int, silent: int, low: float | None, high: float | None) -> TagBar:
    drawn, scored = right + wrong + silent or 1, right + wrong
    ends = None if low is None or high is None else (100 * low * scored / drawn, 100 * high * scored / drawn)
    return TagBar(
        cut(tag, 60), 100 * right / drawn, 100 * wrong / drawn, 100 * silent / drawn, ends, wrong, scored, silent
    )


def _short(row: GroupRow) -> GroupRow:
    return msgspec.structs.replace(row, head=cut(row.head, LONGEST), detail=cut(row.detail, LONGEST), link="")
