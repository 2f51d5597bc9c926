"""What each reason of the suite means, what usually causes it, and an example; for ``karat explain``."""

from __future__ import annotations

from karat.core.metrics.worked_examples import ReasonNote

REASON_NOTES = {
    "call_failed": ReasonNote(
        "The system gave no answer: the call failed or timed out, and retries did not help.",
        "The endpoint was overloaded or unreachable, a key expired, or timeout is too short for long answers.",
        "The endpoint answers 503 five times in a row. The case has the status error and is in no mean.",
    ),
    "unreadable": ReasonNote(
        "There is a response, but no selection can be read from it.",
        "The model wrote prose where JSON was asked for, broke off in the middle, or used keys of its own.",
        'The response is "Mexico\'s GDP grew by 3 %." and no selection. karat check --response shows what is read.',
    ),
    "refused": ReasonNote(
        "An answer was expected, and the response refuses, says that there is no data, or selects nothing.",
        "The search found nothing for the words of the question, or the prompt is too strict about what is in scope.",
        'Expected: GDP of Mexico. Response: {"outcome": "out_of_scope"}.',
    ),
    "clarified": ReasonNote(
        "The response asks back, and the case does not expect that.",
        "The question names something that has several codes, and the prompt does not say which one is usual.",
        'Expected: inflation in Norway. Response: {"outcome": "clarification"} with "CPI or HICP?".',
    ),
    "answered_instead": ReasonNote(
        "The response answers, where the case expects a refusal, a clarification or no data.",
        "The assistant picks the nearest dataset rather than saying that none fits.",
        'Expected outcome: out_of_scope ("Will it rain in Oslo?"). Response: a selection of precipitation.',
    ),
    "other_outcome": ReasonNote(
        "The response does something else than the case expects, and neither of the two is an answer.",
        "Words for several ways of declining are mixed up.",
        "Expected outcome: no_data. Response: invalid_period.",
    ),
    "wrong_dataset": ReasonNote(
        "An expected dataset is not used, or another one is.",
        "Two datasets hold the same indicator, or the version in the id differs under strict_versions.",
        "Expected: IMF.RES:WEO. Selected: WB:WDI.",
    ),
    "unknown_code": ReasonNote(
        "A selected code is not in the codelist of its dimension. Needs structures.",
        "The model made the code up, or knows it from an older version of the codelist.",
        "COUNTRY = MEXICO, where the codelist has MEX.",
    ),
    "not_available": ReasonNote(
        "A selected code is in the codelist, but the dataset has no data for it. Needs structures with constraints.",
        "Availability is not part of what the assistant searches in.",
        "FREQ = D selected in a dataset that is published monthly.",
    ),
    "dimension_missing": ReasonNote(
        "Nothing is selected in a dimension of the target.",
        "The assistant leaves a dimension open that the question settles.",
        "Expected: COUNTRY {MEX}, INDICATOR {GDP}. Selected: INDICATOR {GDP}.",
    ),
    "label_only": ReasonNote(
        "All codes are right, and a name differs from that in the target.",
        "Names changed in the codelist after the case was written, or the answer gives names in another language.",
        "Expected: TUR Turkey. Selected: TUR Türkiye. karat check --structure FILE --fix-names updates the cases.",
    ),
    "parent_or_child": ReasonNote(
        "A wrong code is a parent or a child of the expected one. Needs a codelist with parents.",
        "The question is more general, or more specific, than the code that was chosen.",
        "Expected: CPI of food. Selected: CPI of all items.",
    ),
    "wrong_term": ReasonNote(
        "In a dimension of the target, an expected code is missing and another one is selected.",
        "Two codes have similar names, and the search ranks the wrong one first.",
        "Expected: COUNTRY {PRK}. Selected: COUNTRY {KOR}.",
    ),
    "too_few": ReasonNote(
        "Expected codes are missing in a dimension, and no wrong one is selected there.",
        "The question lists several things, and the answer keeps only some of them.",
        "Expected: COUNTRY {BRA, IND, ZAF}. Selected: COUNTRY {BRA, IND}.",
    ),
    "too_many": ReasonNote(
        "All expected codes of a dimension are selected, and further ones.",
        "A region is expanded to more members than were meant, or all candidates of the search are kept.",
        "Expected: COUNTRY {ITA, GRC}. Selected: COUNTRY {ITA, GRC, ESP}.",
    ),
    "defaults_only": ReasonNote(
        "What is selected beside the target was filled in by the system itself (is_default).",
        "The assistant settles dimensions that the question leaves open. The option ignore_defaults lets that pass.",
        "Expected: COUNTRY {MEX}. Selected: COUNTRY {MEX}, FREQ {A} with is_default: true.",
    ),
    "dimension_added": ReasonNote(
        "Codes are selected in a dimension that the target does not have.",
        "The assistant narrows the answer down further than was asked.",
        "Expected: COUNTRY {MEX}. Selected: COUNTRY {MEX}, SECTOR {S13}.",
    ),
    "wrong_combination": ReasonNote(
        "All codes are right when they are pooled, and their combinations are not.",
        "Two entries of the answer have their dimensions swapped, or were merged into one.",
        "Expected: GDP of Mexico and CPI of the USA. Selected: GDP of the USA and CPI of Mexico.",
    ),
    "wrong_period": ReasonNote(
        "The start or the end of the period differs from the target.",
        'Words such as "last ten years" are counted from another day or year. The option today says from which.',
        "Expected: 2010 to 2020. Selected: 2011 to 2020.",
    ),
}
