"""Stored cases of the suite as a case file, see ``core.case_files.case_file``."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from karat.core.case_files.case_file import CaseFile
from karat.core.json_types import JsonMapping, JsonObject


def case_file(cases: Sequence[JsonMapping]) -> CaseFile | None:
    """The instances as lines of a gold file; None where the gold has no entries of its own."""
    rows = []
    for case in cases:
        asked = next((turn for turn in case.get("conversation", ()) if turn.get("target") is not None), None)
        gold = asked["target"] if asked is not None else {}
        if not gold.get("entries") or gold.get("family") == "flat":
            return None
        entries = [{"func": entry["func"], "parameters": entry.get("parameters", {})} for entry in gold["entries"]]
        row: JsonObject = {"instance_id": case["id"], **case.get("metadata", {})}
        row |= {key: gold[key] for key in ("ties", "as_of", "temporal") if gold.get(key)}
        rows.append(row | {"evaluation": entries[0] if len(entries) == 1 else entries})
    text = "".join(msgspec.json.encode(row).decode() + "\n" for row in rows)
    note = "Add it to the gold file as a separate line. Gold files that it names belong in the folder of the new id."
    return CaseFile(text, "jsonl", note)
