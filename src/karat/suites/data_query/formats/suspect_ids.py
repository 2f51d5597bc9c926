"""Ids of an answer that are written in a way that no code is: several codes in one text, a code with its name, a
wildcard.

Scored as they are, they would be wrong terms: ``MEX+USA`` would miss both countries that the assistant selected. Such
an answer is unreadable, and the message says how to write it. An id that the target or a codelist has is never suspect,
whatever it looks like.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from karat.core.suite import Unreadable
from karat.suites.data_query.matching.known_codes import codes_at_hand
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Selection

_JOINTS = re.compile(r"[+,;|]")
_LABELLED = re.compile(r"[:=|()\[\]]|(?<=\s)[-–—](?=\s)")
_WILDCARDS = ("*", "%")
_EVERYTHING = ("all", "any", "everything")


def refuse_suspect_ids(targets: Iterable[Selection], selection: Selection, options: Options) -> None:
    """Raise Unreadable for an id of the answer that joins several codes, has more than a code, or is a wildcard."""
    wanted: dict[str, set[str]] | None = None
    for part in selection.indicator_selection:
        for dimension in part.dimensions:
            name = dimension.dimension_name
            for term in dimension.values:
                if term.id.isalnum() and term.id.casefold() not in _EVERYTHING:
                    continue
                wanted = _wanted(targets) if wanted is None else wanted
                known = wanted.get(name, set())
                if term.id not in known:
                    codes = codes_at_hand(part.dataset_id, name, options) or ()
                    if term.id not in codes and (fault := _fault(term.id, known, codes)):
                        raise Unreadable(f'"{term.id}" in {name} {fault}')


def _wanted(targets: Iterable[Selection]) -> dict[str, set[str]]:
    """The ids that are expected in each dimension."""
    found: dict[str, set[str]] = {}
    for target in targets:
        for part in target.indicator_selection:
            for dimension in part.dimensions:
                found.setdefault(dimension.dimension_name, set()).update(term.id for term in dimension.values)
    return found


def _fault(text: str, wanted: Collection[str], codes: Collection[str]) -> str:
    """Why a text can be no code; empty where nothing says so."""
    if not text.strip():
        return "is an empty id: give the code"
    if any(sign in text for sign in _WILDCARDS) or text.casefold() in _EVERYTHING:
        return 'is a wildcard, not a code: list the codes, or select everything with "operator": "all"'
    joined = [part for part in map(str.strip, _JOINTS.split(text)) if part]
    if len(joined) > 1 and any(part in wanted or part in codes for part in joined):
        return "joins several codes: give each as a value of its own"
    for part in map(str.strip, _LABELLED.split(text)):
        if part != text and (part in wanted or part in codes):
            return f'is more than a code: give "{part}" as its id and the rest as its name'
    return ""
