"""Every gold plot of DA-Code, drawn as it says it is, scores 1.0 against itself; turned values score less."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from karat.core.problems import UserError
from karat.suites.codegen.options import Options
from karat.suites.codegen.plots.expectation.da_code import read_gold
from karat.suites.codegen.plots.records import PlotGold
from karat.suites.codegen.plots.score import passed, verdict_of
from tests.suites.codegen.plots.drawn_plots import figures

DATA = Path(__file__).resolve().parents[5] / "shared/data/codegen2/da_code"
GOLDS = sorted(DATA.glob("gold/plot-*"))
OPTIONS = Options().compare_options()

DRAW = """
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
for name, points in {series!r}:
    x, y = [point[0] for point in points], [np.nan if point[1] is None else point[1] for point in points]
    if {kind!r} == 'pie':
        ax.pie(y, labels=x)
    elif {kind!r} == 'bar':
        place, width = len(ax.containers), 0.8 / len({series!r})
        (ax.barh if {flat!r} else ax.bar)(np.arange(len(x)) + place * width - 0.4 + width / 2, y, width, label=name)
        (ax.set_yticks if {flat!r} else ax.set_xticks)(np.arange(len(x)), x)
    else:
        (ax.scatter if {kind!r} == 'scatter' else ax.plot)(x, y, label=name)
ax.set(title={title!r}, xlabel={x_label!r}, ylabel={y_label!r})
{legend}
"""


def drawn(gold: PlotGold) -> str:
    panel = gold.panels[0]
    texts = {
        name: text.equal[0] if (text := getattr(panel, name)) is not None else ""
        for name in ("title", "x_label", "y_label")
    }
    series = [(one.name, one.points) for one in panel.series]
    legend = ""
    if isinstance(panel.legend, tuple):
        legend = f"ax.legend([plt.Line2D([], []) for _ in {panel.legend!r}], {panel.legend!r})"
    return DRAW.format(series=series, kind=panel.type[0], flat=bool(panel.horizontal), legend=legend, **texts)


@pytest.mark.skipif(not GOLDS, reason="the DA-Code golds are not here")
def test_every_gold_against_itself() -> None:
    lines = (DATA / "eval_visual.jsonl").read_text().splitlines()
    keys = {row["id"]: row["options"][0]["keys"] for row in map(json.loads, lines)}
    assert len(GOLDS) == 10
    golds = [read_gold(folder, keys[folder.name]) for folder in GOLDS]
    found = figures("\n".join(drawn(gold) + "\nplt.show()\nplt.close('all')" for gold in golds))
    for folder, gold, figure in zip(GOLDS, golds, found, strict=True):
        verdict = verdict_of(gold, [figure], OPTIONS)
        assert (verdict.score, passed(verdict)) == (1.0, True), (folder.name, verdict.lost)
        others = [(folder.name, other) for other in found if other is not figure]
        assert not any(passed(verdict_of(gold, [other], OPTIONS)) for _, other in others)


def test_a_gold_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "plot.json").write_text('{"type": "bar", "xtick_labels": ["a", "b"]}')
    np.save(tmp_path / "result.npy", np.array([[1.0, np.nan]]))
    assert read_gold(tmp_path).panels[0].series[0].points == (("a", 1), ("b", None))
    np.save(tmp_path / "result.npy", np.array([["x", {}]], dtype=object), allow_pickle=True)
    with pytest.raises(UserError, match="cannot be read"):
        read_gold(tmp_path)
