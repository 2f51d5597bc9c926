"""What failure groups of queries mean, for ``karat explain``."""

from __future__ import annotations

from karat.core.metrics.worked_examples import ReasonNote

GROUP_NOTES = {
    "missing …": ReasonNote(
        "The query ran, and lacks a part that the gold query has, such as WHERE or GROUP BY.",
        "The question names a condition or a grouping that the assistant did not see.",
        "missing WHERE: the gold query has WHERE country = 'FR', and the answer has no WHERE.",
    ),
    "extra …": ReasonNote(
        "The query ran, and has a part that the gold query does not have, such as LIMIT or DISTINCT.",
        "The assistant adds what was not asked, such as LIMIT 10 or a column beside the one that was asked.",
        "extra LIMIT: the answer ends in LIMIT 10, and the gold query has no LIMIT.",
    ),
    "… differs": ReasonNote(
        "The query ran; it and the gold query both have this part, and the two differ.",
        "Another column or another value than the one that was asked.",
        "ORDER BY differs: the gold query orders by total DESC, and the answer by name.",
    ),
}
