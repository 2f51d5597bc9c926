"""Whether the plot is the expected one: 1 when every stated item is met, else half of its score.

By hand: a plot of score 0.643 has correctness 0.321.
"""

from __future__ import annotations

import msgspec

from karat.core.suite import NotApplicable
from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.metrics.correctness import PART, Correctness
from karat.suites.codegen.plots.expectation.gold_picture import gold_picture
from karat.suites.codegen.plots.messages import problem_of
from karat.suites.codegen.plots.pictures import picture_of
from karat.suites.codegen.plots.plot_runs import unread
from karat.suites.codegen.plots.received_figures import SentFigure, sent_figures
from karat.suites.codegen.plots.records import Figure, PanelGold, Picture, PlotGold, PlotVerdict, SeriesGold
from karat.suites.codegen.plots.score import NO_PLOT, chosen, passed, reason_of, verdict_of
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.references import reference_outcome
from karat.tables.options import CompareOptions

CHANGED = "the code changed matplotlib's drawing classes, so its figures cannot be trusted"


def plot_correctness(
    box: Sandbox, task: Task, gold: PlotGold, outcome: Outcome, options: CompareOptions
) -> Correctness:
    """The word on what one run drew. Raises NotApplicable when the reference's own figure cannot be used."""
    reference = _reference_figures(box, task, gold)
    full = with_reference(gold, reference)
    expected = _picture(reference) or gold_picture(full)
    if not outcome.ok:
        verdict = PlotVerdict(0.0, problem="the code did not run", expected=expected)
        return Correctness(0.0, reason="did_not_run", plot=verdict)
    sent = sent_figures(outcome.figures)
    figures = [one.figure for one in sent]
    if any(figure.changed for figure in figures):
        return _wrong(PlotVerdict(0.0, problem=CHANGED, expected=expected), NO_PLOT)
    problem = unread(figures)
    if problem:
        return Correctness(None, reason=f"needs review: the plot cannot be read: {problem}")
    verdict = verdict_of(full, figures, options)
    verdict = msgspec.structs.replace(verdict, given=_picture(sent), expected=expected)
    if passed(verdict):
        return Correctness(1.0, passed=True, cell_f1=1.0, plot=verdict)
    return _wrong(verdict, reason_of(verdict))


def figures_correctness(gold: PlotGold, figures: list[Figure], options: CompareOptions) -> Correctness:
    """The word on figures alone, such as the one that was saved in a file."""
    if any(figure.changed for figure in figures):
        return _wrong(PlotVerdict(0.0, problem=CHANGED), NO_PLOT)
    problem = unread(figures)
    if problem:
        return Correctness(None, reason=f"needs review: the plot cannot be read: {problem}")
    verdict = verdict_of(gold, figures, options)
    if passed(verdict):
        return Correctness(1.0, passed=True, cell_f1=1.0, plot=verdict)
    return _wrong(verdict, reason_of(verdict))


def _wrong(verdict: PlotVerdict, reason: str) -> Correctness:
    return Correctness(
        PART * verdict.score,
        reason=reason,
        evidence={"problem": problem_of(verdict)},
        cell_f1=verdict.score,
        plot=verdict,
    )


def _reference_figures(box: Sandbox, task: Task, gold: PlotGold) -> list[SentFigure]:
    """What the reference draws; nothing for a task without one."""
    wanted = any(panel.reference for panel in gold.panels)
    if not task.reference.strip():
        if wanted:
            raise NotApplicable("gold_error: the plot refers to the reference, but the task has no reference")
        return []
    sent = sent_figures(reference_outcome(box, task).figures)
    if wanted:
        figures = [one.figure for one in sent]
        panels, _, _ = chosen(figures, len(gold.panels))
        if unread(figures) or len(panels) != len(gold.panels):
            why = unread(figures) or f"it draws {len(panels)} panels, and {len(gold.panels)} are expected"
            raise NotApplicable(f"gold_error: the reference's figure cannot be used: {why}")
    return sent


def with_reference(gold: PlotGold, reference: list[SentFigure]) -> PlotGold:
    """The gold with the items that the reference's own figure says."""
    if not any(panel.reference for panel in gold.panels):
        return gold
    panels, _, _ = chosen([one.figure for one in reference], len(gold.panels))
    found: list[PanelGold] = []
    for stated, drawn in zip(gold.panels, panels, strict=True):
        full = stated
        if "type" in stated.reference:
            types = tuple(dict.fromkeys(series.type for series in drawn.series))
            full = msgspec.structs.replace(full, type=types)
        if "data" in stated.reference:
            several = len(drawn.series) > 1
            series = tuple(SeriesGold(one.points, one.name if several else "") for one in drawn.series)
            full = msgspec.structs.replace(full, series=series)
        if "order" in stated.reference:
            full = msgspec.structs.replace(full, order="given")
        found.append(full)
    return PlotGold(tuple(found))


def _picture(sent: list[SentFigure]) -> Picture | None:
    """The picture of the figure that is judged: its pixels, or its own specification in Vega-Lite."""
    last = next((one for one in reversed(sent) if one.figure.answer), sent[-1] if sent else None)
    if last is None:
        return None
    pixels = picture_of(last.pixels)
    if pixels is None and last.figure.panels:
        return gold_picture(last.figure)
    return pixels
