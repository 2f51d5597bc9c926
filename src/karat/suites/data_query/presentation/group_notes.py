"""What failure groups and notes of the suite mean, for ``karat explain``."""

from __future__ import annotations

from karat.core.metrics.worked_examples import ReasonNote

_DRIFT = ReasonNote(
    "The answer has the right code under another name than the target. It counts as right.",
    "The name in the case is old or in another language; karat check --structure FILE --fix-names corrects it.",
    "Expected: NO, Norway. Selected: NO, Kingdom of Norway.",
)
GROUP_NOTES = {
    "label_drift": _DRIFT,
    "label drift": _DRIFT,
    "nothing selected": ReasonNote(
        "The case expects a selection, and the response selects nothing in any dimension.",
        "The search found nothing, or the response is a text.",
        "Expected: INDICATOR NGDP, COUNTRY MEX. Response: no selection.",
    ),
    "answered …": ReasonNote(
        "The response selects data, where the case expects that it declines.",
        "The assistant picks the nearest dataset rather than saying that none fits.",
        'Expected outcome: out_of_scope ("Will it rain in Oslo?"). Response: a selection of precipitation.',
    ),
    "declined …": ReasonNote(
        "The response declines, where the case expects an answer.",
        "The prompt is too strict about what is in scope, or the search found nothing.",
        'Expected: GDP of Mexico. Response: {"outcome": "out_of_scope"}.',
    ),
    "… everything selected": ReasonNote(
        "All values of this dimension are selected, where the case asks for some of them.",
        "The assistant leaves the dimension out, and the service then gives everything.",
        "COUNTRY everything selected: expected MEX, and the response names no country.",
    ),
}
