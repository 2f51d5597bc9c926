"""Figures that lie, that never end, that are too large: nothing of them is believed, and nothing hangs."""

import base64
import json
import zlib

import msgspec
import pytest

from karat.sandbox import Limits
from karat.suites.codegen.plots.pictures import Pixels
from karat.suites.codegen.plots.received_figures import figures_of, sent_figures
from karat.suites.codegen.running.sandbox_client import warm_box
from tests.suites.codegen.plots.drawn_plots import figures, scored

pytest.importorskip("matplotlib", reason="matplotlib is not installed")
GOLD = "{type: bar, series: [{x: [North, South, East], y: [5, 3, 4]}]}"
PLT = "import matplotlib.pyplot as plt\n"
WRONG = "bars = plt.bar(df.region, [1, 1, 1])\n"


@pytest.mark.parametrize(
    "lie",
    [
        "bars.datavalues = np.array([5, 3, 4])",
        "for bar, value in zip(bars, [5, 3, 4]):\n    bar.get_height = lambda value=value: value",
        "from matplotlib.patches import Rectangle as R\nh = iter([5, 3, 4] * 9)\nR.get_height = lambda self: next(h)",
        "import matplotlib.container as c\nc.BarContainer.patches = property(lambda self: [])",
        "plt.close('all')\nplt.bar(df.region, df.qty, alpha=0)",
        "plt.close('all')\nplt.bar(df.region, df.qty, visible=False)",
        "from matplotlib.patches import Rectangle\nclass Mine(Rectangle):\n    def draw(self, *a): pass\n"
        "plt.close('all')\nbars = plt.bar(df.region, df.qty)\nfor bar in bars:\n    bar.__class__ = Mine",
        "result = {'data': 5, 'layout': {}}\nplt.close('all')",
        "result = {'$schema': 'vega-lite', 'mark': 'bar', 'data': {'url': 'file:///etc/passwd'}}",
    ],
)
def test_a_figure_that_lies_about_its_data(lie: str) -> None:
    found = scored(GOLD, PLT + WRONG + lie).correctness
    assert not found.passed
    assert found.score is None or found.score < 0.5


def test_a_reader_that_was_replaced_is_seen() -> None:
    found = scored(GOLD, PLT + WRONG + "from matplotlib.lines import Line2D\nLine2D.draw = lambda *a: None").correctness
    assert (found.score, found.reason) == (0.0, "no_plot")
    assert "changed matplotlib's drawing classes" in found.evidence["problem"]


def test_endless_artists_are_not_read() -> None:
    many = PLT + "fig, ax = plt.subplots()\nax._children += [plt.Line2D([0], [0])] * 21_000"
    (found,) = figures(many)
    assert "artists" in found.problem
    points = PLT + "plt.scatter(np.arange(150_000), np.arange(150_000))"
    (found,) = figures(points)
    assert "more points" in found.problem
    several = figures(PLT + "for n in range(30):\n    plt.figure()\n    plt.bar(['a'], [n])")
    assert len(several) == 20


def test_a_huge_figure_has_no_picture_and_is_read() -> None:
    found = scored(GOLD, PLT + "plt.figure(figsize=(60000, 60000))\nplt.bar(df.region, df.qty)").correctness
    assert found.passed
    assert found.plot is not None
    assert found.plot.given is not None
    assert not found.plot.given.png


def _sent(**fields: object) -> bytes:
    return json.dumps({"library": "matplotlib", **fields}).encode()


@pytest.mark.parametrize(
    "text",
    [
        b"{}",
        b"[" * 5000,
        b'{"library": "excel"}',
        _sent(panels=[{"series": [{"type": "bar", "points": [["a", 1, 2]]}]}]),
        _sent(panels=[{"series": [{"type": "bar", "points": [["a", 10**400]]}]}]),
        _sent(panels=[{"series": [{"type": "bar", "points": [["a" * 5000, 1]]}]}]),
        _sent(panels=[{"series": [{"type": "bar", "points": [["a", {}]]}]}]),
        _sent(panels=[{"title": "t" * 100_000}]),
        _sent(panels=[{}] * 1000),
        _sent(unknown=1),
        _sent(picture={"width": 10**6, "height": 10**6, "rgba": ""}),
        json.dumps({"library": "plotly", "specification": "{"}).encode(),
        json.dumps(
            {"library": "plotly", "specification": '{"data": [{"y": {"dtype": "f8", "bdata": "AAA="}}]}'}
        ).encode(),
        json.dumps({"library": "vega", "specification": '{"mark": "bar", "data": {"url": "http://x"}}'}).encode(),
        json.dumps({"library": "vega", "specification": "[" * 3000}).encode(),
    ],
)
def test_what_no_honest_reader_sends_is_refused(text: bytes) -> None:
    (found,) = figures_of([text])
    assert found.problem
    assert not found.panels


def test_a_bomb_of_pixels_is_counted_before_it_is_used() -> None:
    bomb = base64.b64encode(zlib.compress(b"\0" * 10**7)).decode()
    (found,) = sent_figures([_sent(picture={"width": 800, "height": 600, "rgba": bomb})])
    assert found.pixels is not None
    assert len(found.pixels.rgba) < 20_000  # raw bytes are never unpacked
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"width": 801, "height": 1, "rgba": ""}, Pixels)


def test_a_forged_message_cannot_break_the_host() -> None:
    code = "import os, struct\ntext = b'{\"status\": \"ok\", \"figures\": [' + b'1,' * 999 + b'1]}'\n"
    code += "os.write(3, struct.pack('<I', len(text)) + text)\nos._exit(0)"
    outcome = warm_box().run(code, limits=Limits(figures=1))
    assert outcome.status == "bad_message"
