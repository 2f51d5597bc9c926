"""The sentences of an opened case."""

from __future__ import annotations

from karat.suites.data_query.details import Details, DimensionDetails
from karat.suites.data_query.presentation.form import form
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


def test_of_many_parts_the_line_below_the_sentence_names_few() -> None:
    wrong = [DimensionDetails(f"W{n}", false_negatives=(Term(f"w{n}"),)) for n in range(8)]
    right = [DimensionDetails(f"R{n}", true_positives=(Term(f"r{n}"),)) for n in range(5)]
    because = form(Details((*wrong, *right)), None, None).because
    assert because.endswith("W5: w5 missing. 2 more parts differ. The other 5 parts are right.")
    assert form(Details((wrong[0], *right[:4])), None, None).because == "W0: w0 missing. R0, R1, R2 and R3 are right."


def test_a_code_without_a_name_is_said_to_have_none() -> None:
    part = DimensionDetails("A", false_negatives=(Term("a", "Its name"),), false_positives=(Term("a", ""),))
    shown = form(Details((part,)), None, None)
    assert (shown.sentence, shown.because) == ("a without a name: expected “Its name”", "A: a without a name.")
