"""The sentences of an opened case."""

from __future__ import annotations

from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.form import form
from karat.suites.data_query.selection.selection import Term


def test_a_code_under_another_name_is_not_said_to_be_another_code() -> None:
    part = DimensionDetails(
        "INDICATOR",
        false_negatives=(Term("GGXWDG_NGDP", "General government gross debt"),),
        false_positives=(Term("GGXWDG_NGDP", "Gross debt"),),
    )
    shown = form(Details((part,)), None, None)
    expected = "GGXWDG_NGDP under another name: expected “General government gross debt”, given “Gross debt”"
    assert shown.sentence == expected
    assert shown.because == "INDICATOR: GGXWDG_NGDP under another name."
