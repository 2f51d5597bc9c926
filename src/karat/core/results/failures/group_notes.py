"""What the names of failure groups mean (``COUNTRY wrong``, ``no answer``), for ``karat explain``.

A name in these notes may hold ``…``, which stands for a part of the answer: a dimension, a clause, a field. A suite
adds the notes on groups of its own (``Suite.group_notes``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from karat.core.metrics.worked_examples import ReasonNote
from karat.core.results.failures.failure_groups import SINGLE
from karat.core.results.failures.failures import BEFORE

GROUP_NOTES: Mapping[str, ReasonNote] = {
    "… wrong": ReasonNote(
        "In this part of the answer, expected values are missing and others are given.",
        "The assistant took a neighbouring value for the right one.",
        "COUNTRY wrong: asked MEX, got USA.",
    ),
    "… missing": ReasonNote(
        "In this part of the answer, expected values are missing, and nothing else is given for them.",
        "The assistant found only a part of what was asked, or nothing.",
        "COUNTRY missing: MEX.",
    ),
    "… extra": ReasonNote(
        "This part of the answer has all that is expected, and more.",
        "The assistant selects more than was asked, to be safe.",
        "COUNTRY extra: USA.",
    ),
    BEFORE["missing"]: ReasonNote(
        "The run has no answer to these cases.",
        "The recorded answers do not have the case, or have it under another id.",
        "10 cases and one line of predictions: 9 cases have no answer.",
    ),
    BEFORE["error"]: ReasonNote(
        "The call failed, or the answer could not be scored. The message follows.",
        "An endpoint that cannot be reached, an answer in an unknown form, or gold that cannot be used.",
        "error: 429 after 5 tries.",
    ),
    BEFORE["needs_review"]: ReasonNote(
        "No rule can say whether the answer is right. The reason follows.",
        "The answer differs from the gold in a way that a person or a judge may accept.",
        "needs review: rows_scrambled.",
    ),
    SINGLE: ReasonNote(
        "Cases whose fault no other case has.",
        "Rare faults. The report and the viewer list them one by one.",
        "Three cases with three different faults are 3 single cases.",
    ),
}


def group_named(name: str, notes: Mapping[str, ReasonNote]) -> tuple[str, ReasonNote] | None:
    """The note on the group of this name, and the name that the note is under; the most exact one."""
    fitting = [known for known in notes if re.fullmatch(re.escape(known).replace("…", ".+"), name)]
    found = max(fitting, key=len, default=None)
    return None if found is None else (found, notes[found])
