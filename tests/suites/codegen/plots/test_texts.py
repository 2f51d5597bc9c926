"""Texts over and beside the data: what they say must be what the marks show."""

import pytest

from karat.sandbox.server.figures.said_numbers import Label, Shown, claims, marks_of, other_values
from tests.suites.codegen.plots.drawn_plots import figures

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

BARS = "fig, ax = plt.subplots()\nbars = ax.bar(df.region, df.qty)\n"
LINE = (
    "fig, ax = plt.subplots()\nax.plot([1, 2, 3], df.qty, label='qty')\nax.plot([1, 2, 3], df.price, label='price')\n"
)
STACK = (
    "fig, ax = plt.subplots()\nlow = ax.bar(df.region, df.qty, label='qty')\n"
    "high = ax.bar(df.region, df.price, bottom=df.qty, label='price')\n"
)
HEAT = "fig, ax = plt.subplots()\nax.imshow([[1, 2], [3, 4]])\nax.set_xticks([0, 1], ['a', 'b'])\n"
CELLS = "for at, text in enumerate({}): ax.text(at % 2, at // 2, text, ha='center')"
PIE = "wedges, texts, numbers = plt.pie(df.qty, labels=df.region, autopct='%.0f%%')\n"
OVER = "for at, text in enumerate({}): ax.text(at, df.qty[at] + 0.1, text, ha='center')"

OTHER = [
    BARS + "ax.bar_label(bars, labels=['9', '8', '7'])",
    BARS + "ax.bar_label(bars, labels=['3', '4', '5'])",
    BARS + "ax.bar_label(bars, fmt='%.0f0')",
    BARS + "ax.bar_label(bars, labels=['50%', '20%', '30%'], label_type='center')",
    BARS + "ax.bar_label(bars, labels=['1', '3', '2'])",
    BARS + OVER.format("['$5', '$3', '$9']"),
    BARS + OVER.format("['North: 5', 'South: 4', 'East: 3']"),
    BARS + "for at, qty in enumerate(df.qty): fig.text(0.23 + 0.26 * at, qty / 6.9 + 0.14, str(9 - qty))",
    STACK + "ax.bar_label(low, labels=['1', '9', '6'], label_type='center')",
    STACK + "ax.bar_label(high, labels=['60', '50', '70'])",
    LINE + "ax.annotate('Peak: 50', xy=(1, 5), xytext=(2, 5), arrowprops={'arrowstyle': '->'})",
    LINE
    + "for x, y in ((1, 2), (2, 9), (3, 7)): ax.annotate(y, (x, df.qty[x - 1]), (0, 9), textcoords='offset pixels')",
    LINE + "ax.text(3, 4, 'price')\nax.text(3, 3, 'qty')",
    BARS + "ax.tick_params(labelbottom=False)\nfor at, name in enumerate(df.region[::-1]): ax.text(at, -0.3, name)",
    BARS + "ax.set_yticks([])\nfor at in range(6): ax.text(-0.02, at, at * 10, transform=ax.get_yaxis_transform())",
    BARS + "ax.table([['9', '1', '7']], colLabels=df.region)",
    BARS + "ax.table([['9'], ['1'], ['7']], rowLabels=df.region, colLabels=['qty'])",
    PIE + "texts[0].set_text('South')\ntexts[1].set_text('North')",
    PIE + "for text in numbers: text.set_text('33%')",
    PIE + "for text, number in zip(numbers, (5, 9, 4)): text.set_text(number)",
    HEAT + CELLS.format("'1243'"),
    HEAT + CELLS.format("['10%', '20%', '35%', '40%']"),
    BARS + "from collections import OrderedDict\nown = ax.xaxis.units\nimport copy\nother = copy.copy(own)\n"
    "other._mapping = OrderedDict(own._mapping)\nown._mapping.update(North=1, South=0)\nax.xaxis.units = other\n"
    "ax.bar_label(bars, labels=['', '', '7'])",
]
SAME = [
    BARS + "ax.bar_label(bars)",
    BARS + "ax.bar_label(bars, fmt='%.1f', padding=3)",
    BARS + "ax.bar_label(bars, labels=[f'{qty / 12:.1%}' for qty in df.qty])",
    BARS + OVER.format("['5\\n(41.7%)', '3\\n(25.0%)', '4\\n(33.3%)']"),
    BARS + OVER.format("['', '-40.0%', '+33.3%']"),
    BARS + OVER.format("['n=12', 'n=7', 'n=70']"),
    BARS + OVER.format("['#1', '#3', '#2']"),
    BARS + OVER.format("['5 units', '3 units', '4 units']"),
    BARS + OVER.format("['***', 'p < 0.05', 'Covid-19']"),
    BARS + "ax.set_ylabel('Sold (thousands)')\n" + OVER.format("['0.005', '0.003', '0.004']"),
    STACK + "for one in ax.containers: ax.bar_label(one, label_type='center')\nax.bar_label(high)",
    STACK + "ax.bar_label(low, labels=['83%', '55%', '57%'], label_type='center')",
    LINE + "ax.annotate('Best day\\n5 units', xy=(1, 5), xytext=(2, 5), arrowprops={'arrowstyle': '->'})",
    LINE + "ax.text(2, 3, 'launch of v2 (2023)')\nax.text(3.02, 4, 'qty 4')\nax.text(3.02, 3, 'price')",
    BARS + "ax.set_yticks([])\nfor at in range(6): ax.text(-0.02, at, at, transform=ax.get_yaxis_transform())",
    BARS + "ax.table([['5', '3', '4']], colLabels=df.region)\nax.text(1, 5, '2008 crisis')",
    PIE + "plt.text(0, 0, 'Total\\n12')",
    PIE + "for text, number in zip(numbers, (5, 3, 4)): text.set_text(f'{number} t')",
    HEAT + CELLS.format("['1.0', '2.0', '3.0', '4.0***']"),
    HEAT + CELLS.format("['33%', '67%', '43%', '57%']"),
    "fig, ax = plt.subplots()\nax.imshow([[0.25, 0.75], [0.5, 0.5]])\n" + CELLS.format("[10, 30, 20, 20]"),
    "plt.scatter(df.price, df.qty)\nfor at, x, y in zip((2020, 7, 9), df.price, df.qty): plt.annotate(at, (x, y))",
]


def _problems(codes: list[str]) -> list[str]:
    """Why each figure cannot be read; all are drawn in one run."""
    found: list[str] = []
    for place in range(0, len(codes), 15):
        part = codes[place : place + 15]
        drawn = figures("\n".join(["import matplotlib.pyplot as plt", *(f"{code}\nplt.close('all')" for code in part)]))
        assert len(drawn) == len(part)
        found += [figure.problem for figure in drawn]
    return found


def test_texts_that_say_other_numbers_and_names_need_review() -> None:
    said = (" says ", "stands at another place")
    found = zip(OTHER, _problems(OTHER), strict=True)
    assert [pair for pair in found if not any(part in pair[1] for part in said)] == []


def test_texts_that_say_what_is_shown() -> None:
    assert [pair for pair in zip(SAME, _problems(SAME), strict=True) if pair[1]] == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5", ["5"]),
        ("5\n(41.7%)", ["5", "41.7%"]),
        ("$1,200", ["$1,200"]),
        ("EUR 5", ["EUR 5"]),
        ("1.234,50 €", ["1.234,50 €"]),
        ("5.0±0.5", ["5.0"]),
        ("Peak: 5", ["5"]),
        ("North (5)", ["5"]),
        ("north 5", ["5"]),
        ("5.2 million USD", ["5.2 million USD"]),
        ("<b>5</b>", ["5"]),
        ("5<br>of it", ["5"]),
        *((text, []) for text in ("n=12", "+12%", "-40%", "Q3", "day 1", "2008 crisis", "1st", "x2.3", "#1", "5/12")),
        *((text, []) for text in ("3 stores open", "p<0.05", "mean = 4.0", "Covid-19", "Launch of v2", "▲ 12%")),
    ],
)
def test_what_a_text_claims(text: str, numbers: list[str]) -> None:
    assert claims(text, ["north"]) == numbers


def test_shares_hold_for_all_labels_or_for_none() -> None:
    shown = [Shown(place, 0, value, value) for place, value in enumerate((5.0, 3.0, 4.0))]
    marks = marks_of(shown)

    def said(*texts: str) -> str:
        return other_values([Label(text, (mark,)) for text, mark in zip(texts, marks, strict=True)])

    assert said("42%", "25%", "33%") == ""  # of the sum
    assert said("100%", "60%", "80%") == ""  # of the largest
    assert said("42%", "60%", "33%") == "60%"  # one of each
    assert said("5", "8", "12") == ""  # the sum so far
    assert said("", "", "9") == "9"
