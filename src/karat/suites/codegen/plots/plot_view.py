"""A plot as a case shows it: given beside expected, and every stated item."""

from __future__ import annotations

from karat.core.case_form import Picture as ShownPicture
from karat.core.case_form import Pictures
from karat.suites.codegen.plots.messages import item_words
from karat.suites.codegen.plots.records import Picture, PlotVerdict

_SENTENCES = {
    "": "the plot shows what is expected",
    "no_plot": "no plot was drawn",
    "plot_data": "the plot shows other data than expected",
    "plot_type": "the plot is of another type than expected",
    "plot_order": "the plot shows its categories in another order",
    "plot_text": "a text of the plot is not the expected one",
    "plot_scale": "an axis of the plot is not as expected",
    "only_fits_this_data": "the plot is right on these tables only, not on changed copies of them",
    "test_failed": "tests fail",
    "did_not_run": "the code did not run",
}


def plot_sentence(reason: str) -> str:
    """What is wrong with a plot, or that nothing is."""
    return _SENTENCES.get(reason, reason.replace("_", " "))


def plot_view(verdict: PlotVerdict, reason: str, *, right: bool) -> Pictures:
    """Both pictures, and below them the items: the lost ones first."""
    lost = verdict.lost
    met = [item for item in verdict.items if item.score >= 1]
    items: list[tuple[str, bool | None]] = [(verdict.problem, False)] if verdict.problem else []
    items += [(item_words(item), False) for item in lost]
    items += [(f"{item.name.replace('_', ' ')}: {item.expected}", True) for item in met]
    given = _shown("Given", verdict.given, "no picture of it", right=right)
    expected = _shown("Expected", verdict.expected, "no picture of it", right=None)
    return Pictures("Plot", (given, expected), f"score {verdict.score:.3f}", tuple(items), "" if right else reason)


def _shown(title: str, picture: Picture | None, otherwise: str, *, right: bool | None) -> ShownPicture:
    if picture is None:
        return ShownPicture(title, otherwise, right=right)
    return ShownPicture(
        title, f"the {title.lower()} plot", picture.png, picture.vega_lite, picture.width, picture.height, right
    )
