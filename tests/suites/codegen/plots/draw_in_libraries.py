"""Code that draws one plot in each of five libraries; empty where a library has no such plot, or computes its own
figures."""

from __future__ import annotations

from typing import NamedTuple

LIBRARIES = ("matplotlib", "pandas", "seaborn", "plotly", "altair")


class Plot(NamedTuple):
    """One plot: the names of its series, x, and a row of values for each series."""

    kind: str
    x: list[object]
    names: list[str]
    values: list[list[float]]
    stacked: bool
    flat: bool
    title: str
    x_label: str
    y_label: str


def code_of(plot: Plot, library: str) -> str:
    """The code; its last line shows the figure, so that many can follow each other."""
    return _DRAW[library](plot)


def _head(plot: Plot) -> str:
    """x (dates as dates), names and values, as a wide and as a long table."""
    return f"""
import numpy as np, pandas as pd, matplotlib.pyplot as plt
x, names, values = {plot.x!r}, {plot.names!r}, {plot.values!r}
x = pd.to_datetime(x) if str(x[0]).startswith('2021-') else x
wide = pd.DataFrame(dict(zip([name or 'y' for name in names], values)), index=x)
long = pd.concat([pd.DataFrame({{'x': x, 'y': row, 'series': name}}) for name, row in zip(names, values)])
edges = np.arange(len(x) + 1) * 2.0
raw = np.repeat(edges[:-1] + 1.0, np.ceil(np.abs(values[0])).astype(int))
matrix = pd.DataFrame(np.outer(np.arange(1, 4), values[0]), index=list('uvw'), columns=[str(one) for one in x])
boxes = [np.array([1.0, 2, 3, 4, 9]) + abs(value) for value in values[0]]
several = len(names) > 1
"""


_LABELS = "ax.set(title={title!r}, xlabel={x!r}, ylabel={y!r})\nplt.show()\nplt.close('all')\n"


def _labels(plot: Plot) -> str:
    if plot.kind == "pie":
        return f"ax.set(title={plot.title!r}, xlabel='', ylabel='')\nplt.show()\nplt.close('all')\n"
    return _LABELS.format(title=plot.title, x=plot.x_label, y=plot.y_label)


def _matplotlib(plot: Plot) -> str:
    side = "h" if plot.flat else ""
    bars = f"""
places, base = np.arange(len(x)), np.zeros(len(x))
for number, (name, row) in enumerate(zip(names, values)):
    if {plot.stacked}:
        ax.bar{side}(places, row, 0.8, base, label=name)
        base = base + np.array(row)
    else:
        width = 0.8 / len(names)
        ax.bar{side}(places + width * (number - (len(names) - 1) / 2), row, width, label=name)
ax.set_{"y" if plot.flat else "x"}ticks(places, x)
"""
    body = {
        "bar": bars,
        "line": "for name, row in zip(names, values):\n    ax.plot(x, row, label=name)\n",
        "step": "for name, row in zip(names, values):\n    ax.step(x, row, where='post', label=name)\n",
        "scatter": "for name, row in zip(names, values):\n    ax.scatter(x, row, label=name)\n",
        "area": "ax.stackplot(x, *values, labels=names)\n",
        "pie": "ax.pie(values[0], labels=x)\n",
        "hist": "ax.hist(raw, bins=edges)\n",
        "box": "ax.boxplot(boxes, tick_labels=x)\n",
        "heatmap": "ax.pcolormesh(matrix.to_numpy())\nax.set_xticks(np.arange(len(x)) + 0.5, matrix.columns)\n"
        "ax.set_yticks(np.arange(3) + 0.5, matrix.index)\n",
    }[plot.kind]
    legend = "if several:\n    ax.legend()\n"
    return f"{_head(plot)}fig, ax = plt.subplots()\n{body}{legend}{_labels(plot)}"


def _pandas(plot: Plot) -> str:
    body = {
        "bar": f"ax = wide.plot.bar{'h' if plot.flat else ''}(stacked={plot.stacked}, legend=several)",
        "line": "ax = wide.plot(legend=several, x_compat=True)",
        "step": "ax = wide.plot(legend=several, drawstyle='steps-post', x_compat=True)",
        "area": "ax = wide.plot.area(legend=several, x_compat=True)",
        "pie": "ax = wide['y'].plot.pie()",
        "hist": "ax = pd.Series(raw).plot.hist(bins=edges)",
        "box": "ax = pd.DataFrame(dict(zip(x, boxes))).plot.box()",
    }.get(plot.kind)
    if plot.kind == "scatter":
        body = (
            "fig, ax = plt.subplots()\n"
            "for name, part in long.groupby('series', sort=False):\n"
            "    part.plot.scatter(x='x', y='y', ax=ax, label=name or None, color=f'C{names.index(name)}')\n"
            "ax.legend() if several else None"
        )
    if body is None or (plot.kind == "area" and not plot.stacked and len(plot.names) > 1):
        return ""
    return f"{_head(plot)}{body}\n{_labels(plot)}"


def _seaborn(plot: Plot) -> str:
    hue = ", hue='series', hue_order=names" if len(plot.names) > 1 else ""
    axes = "x='y', y='x', orient='h'" if plot.flat else "x='x', y='y'"
    body = {
        "bar": f"ax = sns.barplot(long, {axes}{hue}, order={'list(x)[::-1]' if plot.flat else 'x'}, errorbar=None)",
        "line": f"ax = sns.lineplot(long, x='x', y='y'{hue}, errorbar=None)",
        "step": f"ax = sns.lineplot(long, x='x', y='y'{hue}, errorbar=None, drawstyle='steps-post')",
        "scatter": f"ax = sns.scatterplot(long, x='x', y='y'{hue})",
        "hist": "ax = sns.histplot(raw, bins=edges)",
        "box": "ax = sns.boxplot(dict(zip(x, boxes)))",
        "heatmap": "ax = sns.heatmap(matrix)",
    }.get(plot.kind)
    if body is None or (plot.kind == "bar" and plot.stacked):
        return ""
    return f"import seaborn as sns\n{_head(plot)}plt.figure()\n{body}\n{_labels(plot)}"


def _plotly(plot: Plot) -> str:
    pair = "y=[str(one) for one in x], x=row, orientation='h'" if plot.flat else "x=list(x), y=row"
    trace = {
        "bar": f"go.Bar({pair}, name=name)",
        "line": "go.Scatter(x=list(x), y=row, name=name, mode='lines')",
        "step": "go.Scatter(x=list(x), y=row, name=name, mode='lines', line_shape='hv')",
        "scatter": "go.Scatter(x=list(x), y=row, name=name, mode='markers')",
        "area": "go.Scatter(x=list(x), y=row, name=name, stackgroup='one')",
        "pie": "go.Pie(labels=x, values=row, sort=False)",
        "hist": "go.Histogram(x=raw, xbins=dict(start=0, end=edges[-1], size=2))",
        "heatmap": "go.Heatmap(z=matrix.to_numpy(), x=matrix.columns, y=matrix.index)",
    }.get(plot.kind)
    if trace is None:
        return ""  # quartiles of plotly.js are others
    axes = "" if plot.kind == "pie" else f", xaxis_title={plot.x_label!r}, yaxis_title={plot.y_label!r}"
    mode = "stack" if plot.stacked else "group"
    kind = "category" if plot.kind == "bar" else None
    order = f", {'y' if plot.flat else 'x'}axis_type={kind!r}" if kind else ""
    return (
        f"import plotly.graph_objects as go\n{_head(plot)}"
        f"fig = go.Figure([{trace} for name, row in zip(names, values)])\n"
        f"fig.update_layout(title={plot.title!r}, barmode={mode!r}{axes}{order})\nfig.show()\n"
    )


def _altair(plot: Plot) -> str:
    kind = {"bar": "N", "pie": "N"}.get(plot.kind, "T" if str(plot.x[0]).startswith("2021-") else "Q")
    sort = "sort=list(x)[::-1]" if plot.flat else "sort=list(x)"
    colour = ", color=alt.Color('series', sort=names)" if len(plot.names) > 1 else ""
    first = f"'x:{kind}', {sort}, title={(plot.y_label if plot.flat else plot.x_label)!r}"
    second = f"'y:Q', title={(plot.x_label if plot.flat else plot.y_label)!r}"
    xy = f"x=alt.X({second}), y=alt.Y({first})" if plot.flat else f"x=alt.X({first}), y=alt.Y({second})"
    offset = (", yOffset='series'" if plot.flat else ", xOffset='series'") if len(plot.names) > 1 else ""
    bar = f"mark_bar().encode({xy}{colour}{'' if plot.stacked else offset})"
    body = {
        "bar": bar,
        "line": f"mark_line().encode({xy}{colour})",
        "step": f"mark_line(interpolate='step-after').encode({xy}{colour})",
        "scatter": f"mark_point().encode({xy}{colour})",
        "area": f"mark_area().encode({xy}{colour})",
        "pie": "mark_arc().encode(theta='y', color='x')",
    }.get(plot.kind)
    data, names = "long", (plot.x_label, plot.y_label)
    if plot.kind == "hist":
        data = "pd.DataFrame({'raw': raw})"
        body = (
            f"mark_bar().encode(x=alt.X('raw', bin=alt.Bin(step=2, extent=[0, float(edges[-1])]), title={names[0]!r}), "
            f"y=alt.Y('count()', title={names[1]!r}))"
        )
    if plot.kind == "heatmap":
        data = "matrix.stack().rename_axis(['r', 'c']).rename('v').reset_index()"
        body = f"mark_rect().encode(x=alt.X('c', title={names[0]!r}), y=alt.Y('r', title={names[1]!r}), color='v')"
    if plot.kind == "box":
        data = "pd.DataFrame([(str(name), one) for name, box in zip(x, boxes) for one in box], columns=['c', 'v'])"
        body = (
            f"mark_boxplot().encode(x=alt.X('c', sort=list(x), title={names[0]!r}), y=alt.Y('v', title={names[1]!r}))"
        )
    return f"import altair as alt\n{_head(plot)}chart = alt.Chart({data}, title={plot.title!r}).{body}\nchart.show()\n"


_DRAW = {"matplotlib": _matplotlib, "pandas": _pandas, "seaborn": _seaborn, "plotly": _plotly, "altair": _altair}
