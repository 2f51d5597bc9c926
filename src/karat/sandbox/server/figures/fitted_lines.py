"""Lines that seaborn fits to what it draws: through the points of ``regplot``, and the density over the bars of
``histplot``. They say nothing that the points and bars do not."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any  # Any: classes and axes of seaborn, which is there only where code imports it

Watched = list[tuple[Any, str, Any]]


def watch_fitted_lines(found: Callable[[Any], None]) -> Watched:
    """Tell ``found`` of every such line from now on. Returns what was replaced."""
    watched: Watched = []
    regression = getattr(sys.modules.get("seaborn.regression"), "_RegressionPlotter", None)
    distribution = getattr(sys.modules.get("seaborn.distributions"), "_DistributionPlotter", None)
    if regression is not None:
        watched.append(_replace(regression, "lineplot", found, lambda _: True))
    if distribution is not None:
        bars = "plot_univariate_histogram"
        watched.append(_replace(distribution, bars, found, lambda options: options.get("element") == "bars"))
    return watched


def _replace(
    owner: Any, name: str, found: Callable[[Any], None], fits: Callable[[dict[str, Any]], bool]
) -> tuple[Any, str, Any]:
    original = getattr(owner, name)

    @functools.wraps(original)
    def watched(plotter: Any, *args: Any, **options: Any) -> Any:
        from matplotlib.axes import Axes

        drawn: list[Any] = []
        plot = Axes.plot

        def noted(axes: Any, *its: Any, **ways: Any) -> Any:
            made = plot(axes, *its, **ways)
            drawn.extend(made)
            return made

        setattr(Axes, "plot", noted)  # noqa: B010 (a method cannot be assigned)
        try:
            return original(plotter, *args, **options)
        finally:
            setattr(Axes, "plot", plot)  # noqa: B010 (likewise)
            if fits(options):
                found(drawn)

    setattr(owner, name, watched)
    return owner, name, original
