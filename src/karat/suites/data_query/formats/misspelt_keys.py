"""Keys of an answer that are nearly ones we know.

Left alone, ``indicator_selecton`` or ``value`` would read as "nothing was selected" and score 0. Such an answer is
unreadable, and the message names the nearest key.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from karat.core.json_types import JsonMapping
from karat.core.problems import nearest
from karat.core.suite import Unreadable

_ALIKE = 82.0
"""How alike two keys are, of 100, from which on one is taken for a slip of the other."""


_PERIODS = (
    "startperiod", "endperiod", "startdate", "enddate", "startyear", "endyear", "starttime", "endtime",
    "timeperiod", "timerange", "daterange", "dates", "years", "year", "time", "start", "end", "from", "to",
    "since", "until", "periods",
)  # fmt: skip
_COUNTS = ("lastnobservations", "firstnobservations", "lastn", "firstn", "lastnperiods", "firstnperiods")
CONDITIONS = frozenset((*_PERIODS, *_COUNTS, "period", "key", "serieskey", "where", "conditions"))
"""Keys of a query that would cut it further."""
NEGATIONS = frozenset(("not", "negate", "negated", "exclude", "excluded", "inverse", "invert"))
"""Keys of a filter that would turn it round."""
_JOINING = frozenset((
    "logic", "logical", "logicaloperator", "combinator", "combine", "conjunction", "join", "match", "mode", "operator",
    "relation", "boolean", "bool", "type",
))  # fmt: skip
_OTHERWISE = frozenset(("or", "any", "anyof", "union", "not", "none", "noneof", "nor", "xor", "should", "mustnot"))
"""What such a key says where the filters do not all have to hold."""
SELECTING = frozenset((
    "dimension", "dimensions", "dimensionid", "dimensionname", "value", "values", "label", "code", "codes", "term",
    "terms", "filter", "filters", "queries", "selection", "selections", "datasetid", "datasetids", "dataseturn",
    "serieskey", "exclude", "excluded", "exclusions", "except", "remove", "removed", *_COUNTS,
))  # fmt: skip
"""Keys that are a part of a selection, and none beside it."""
_ON = frozenset(
    ("enabled", "isenabled", "active", "isactive", "selected", "isselected", "checked", "included", "applied")
)
_OFF = frozenset((
    "disabled", "isdisabled", "inactive", "excluded", "isexcluded", "exclude", "removed", "deleted", "ignored",
    "skipped", "deselected",
))  # fmt: skip
"""Keys by which a part of a selection is there and does not count."""
SELECTING_ALONE = SELECTING | frozenset((
    "dataset", "datasets", "dataflow", "dataflows", "indicator", "indicators", "key", "query", "url", "urn",
    "structuredcontent",
))  # fmt: skip
"""Keys that would be the selection where none is given; beside one they only describe it."""
_OTHER_WORDS = {
    **dict.fromkeys(("label", "title"), ("name",)),
    **dict.fromkeys(("id", "name", "concept", "component"), ("dimension_name",)),
    **dict.fromkeys(("code", "codeid", "valueid"), ("id",)),
    **dict.fromkeys(("codes", "ids", "codeids", "valueids", "members", "terms"), ("values",)),
    **dict.fromkeys(("op", "comparison", "condition"), ("operator",)),
    **dict.fromkeys(("key", "serieskey", "dimensions", "where", "conditions", "selection"), ("filters",)),
    **dict.fromkeys(("dataset", "datasetid", "dataseturn", "dataflow"), ("datasetUrn", "dataset_id")),
    **dict.fromkeys(_PERIODS, ("period",)),
}
"""Keys that others use, without capitals and underscores → ours."""
_FOLD = str.maketrans("", "", "_- ")


def refuse_misspelt(holder: JsonMapping, known: Collection[str], what: str) -> None:
    """Raise Unreadable for a key that is not known and nearly equal to one that is known and not there, or that others
    use for it."""
    for key in holder:
        if key in known:
            continue
        folded = key.lower().translate(_FOLD)
        for other in _OTHER_WORDS.get(folded, ()):
            if other in known and holder.get(other) is None and _says(folded, holder[key]):
                raise Unreadable(f'unknown key "{key}" in {what}. Did you mean {other}?')
        near = next((name for name in nearest(key, known, count=len(known), cutoff=_ALIKE) if name not in holder), None)
        if near is not None:
            raise Unreadable(f'unknown key "{key}" in {what}. Did you mean {near}?')


def refuse_lost_conditions(holder: JsonMapping, words: Collection[str], what: str, instead: str) -> None:
    """Raise Unreadable for a key that would change what is selected, and that nothing reads."""
    for key, value in holder.items():
        folded = key.lower().translate(_FOLD)
        if folded in words and _says(folded, value):
            raise Unreadable(f'unknown key "{key}" in {what}. {instead}')


def refuse_other_joints(holder: JsonMapping, what: str) -> None:
    """Raise Unreadable for filters that are joined by something else than "and", which is how they are read."""
    for key, value in holder.items():
        joint = isinstance(value, str) and value.lower().translate(_FOLD)
        if joint in _OTHERWISE and key.lower().translate(_FOLD) in _JOINING:
            raise Unreadable(f'"{key}": "{value}" in {what}: filters are read as "and". Write one query for each.')


def refuse_switched_off(holder: JsonMapping, what: str) -> None:
    """Raise Unreadable for a part of a selection that is there and, by a key of its own, does not count."""
    for key, value in holder.items():
        folded = key.lower().translate(_FOLD)
        if (folded in _ON and value is False) or (folded in _OFF and value is True):
            said = "true" if value else "false"
            raise Unreadable(f'"{key}": {said} in {what}: all that is listed is read as selected. Leave it out.')


def _says(word: str, value: object) -> bool:
    """Whether a value says something about the selection. The time of a call is not the period of the data."""
    if value in (None, "", [], {}, False):
        return False
    if word not in _PERIODS:
        return True
    if isinstance(value, int | float):
        return isinstance(value, int) and 1000 <= value <= 9999
    return not (isinstance(value, str) and re.search(r"\d[T ]\d\d:", value))
