"""How plots are shown: both pictures, the items, the sheet Plots; and what a page carries of pictures."""

import base64
import struct
import zlib
from pathlib import Path

import msgspec
import numpy as np

from karat.core.case_form import CaseForm, Pictures
from karat.core.explanation import plain_details
from karat.core.results.result import CaseResult, RunInfo
from karat.core.scores import Score
from karat.reports.html.case_forms import MOST_PICTURES, rendered_form, rendered_forms, with_pictures
from karat.reports.html.gallery import gallery_of
from karat.runs.scores.summary import summarise
from karat.suites.codegen import suite
from karat.suites.codegen.metrics.correctness import Correctness
from karat.suites.codegen.plots.excel_plots import plots_sheet
from karat.suites.codegen.plots.pictures import LARGEST, Pixels, picture_of
from karat.suites.codegen.plots.plot_view import plot_view
from karat.suites.codegen.plots.records import Item, Picture, PlotVerdict
from karat.suites.codegen.presentation.form import form
from karat.suites.codegen.records import Attempt
from karat.verbs.report import write_reports
from tests.suites.codegen.tried_tasks import DETAILS

VERDICT = PlotVerdict(
    0.6,
    (Item("type", 4, 0.0, "bar", "line"), Item("data", 8, 1.0, "3 points in 1 series", "3 points in 1 series")),
    library="matplotlib",
    given=Picture(8, 6, png="aGk="),
    expected=Picture(8, 6, vega_lite='{"title": "a < b & \\"c\\""}'),
)
WRONG = msgspec.structs.replace(DETAILS, correctness=Correctness(0.3, reason="plot_type", plot=VERDICT))


def test_both_pictures_and_the_items() -> None:
    found = form(WRONG, None, None)
    assert found.sentence == "the plot is of another type than expected"
    view = found.views[0]
    assert isinstance(view, Pictures)
    assert [(one.title, bool(one.png), bool(one.vega_lite)) for one in view.pictures] == [
        ("Given", True, False),
        ("Expected", False, True),
    ]
    assert view.items == (("type: bar expected, line given", False), ("data: 3 points in 1 series", True))
    text = str(rendered_form(found))
    assert 'src="data:image/png;base64,aGk="' in text
    assert "a &lt; b &amp;" in text
    assert "a < b" not in text


def test_a_page_carries_so_many_pictures_and_no_more() -> None:
    views = (plot_view(VERDICT, "plot_type", right=False),)
    assert with_pictures(CaseForm(views=views), MOST_PICTURES) == CaseForm(views=views)
    bare = with_pictures(CaseForm(views=views), 0).views[0]
    assert isinstance(bare, Pictures)
    assert bare.pictures[0].png == ""
    assert "karat serve" in bare.pictures[0].text


def test_the_gallery_has_every_plot_with_its_reason(tmp_path: Path) -> None:
    passed = msgspec.structs.replace(DETAILS, correctness=Correctness(1.0, passed=True, plot=VERDICT))
    kept = {"a": WRONG, "b": passed, "c": WRONG, "d": DETAILS}
    ran = {name: msgspec.structs.replace(one, attempts=(Attempt("1", True),)) for name, one in kept.items()}
    cases = [CaseResult(name, "scored", {"plot": Score(0.6)}, plain_details(one)) for name, one in ran.items()]
    shots = [one.shot for one in rendered_forms("codegen", cases) if one.shot is not None]
    found = gallery_of(shots)
    assert [(shot.case, shot.group) for shot in found.shots] == [("a", "plot_type"), ("b", "right"), ("c", "plot_type")]
    assert found.groups == (("plot_type", "plot type", 2), ("right", "right", 1))
    assert found.shots[0].lost == ("type: bar expected, line given",)
    file = tmp_path / "out.html"
    write_reports(summarise(suite, RunInfo("codegen"), cases), html=file)
    page = file.read_text(encoding="utf-8")
    assert page.count('<article class="shot"') == 3 and '<option value="plot_type">plot type (2)</option>' in page
    assert page.count("base64,aGk=") == 3  # each picture once, in the form of its case


def test_the_sheet_of_plots() -> None:
    cases = [CaseResult("a", "scored", {"plot": Score(0.6)}, plain_details(WRONG))]
    sheet = plots_sheet(summarise(suite, RunInfo("codegen"), cases))
    assert sheet is not None
    assert sheet.tables[0].rows == (("type", 1),)
    assert sheet.tables[1].rows[0][:6] == ("a", 0.6, "plot_type", "matplotlib", "1 of 2", "type")
    assert plots_sheet(summarise(suite, RunInfo("codegen"), [])) is None


def _decoded(png: bytes) -> tuple[int, int, bytes]:
    width, height = struct.unpack(">II", png[16:24])
    at, data = 8, b""
    while at < len(png):
        size = struct.unpack(">I", png[at : at + 4])[0]
        if png[at + 4 : at + 8] == b"IDAT":
            data += png[at + 8 : at + 8 + size]
        at += 12 + size
    return width, height, zlib.decompress(data)


def test_pixels_become_a_png() -> None:
    red, clear = b"\xff\x00\x00\xff", b"\x00\x00\x00\x00"
    found = picture_of(Pixels(2, 1, red + clear))
    assert found is not None
    assert _decoded(base64.b64decode(found.png)) == (2, 1, b"\x00\xff\x00\x00\xff\xff\xff")
    assert picture_of(Pixels(2, 2, red)) is None
    assert picture_of(None) is None


def test_a_large_picture_is_made_to_fit() -> None:
    noise = np.random.default_rng(1).integers(0, 255, (600, 800, 4), dtype=np.uint8).tobytes()
    found = picture_of(Pixels(800, 600, noise))
    assert found is not None
    assert len(base64.b64decode(found.png)) <= LARGEST
    assert found.width in (100, 200, 400)
