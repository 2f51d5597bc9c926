"""What a prediction lacks of gold and has too much, part by part, and the one sentence that says so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from karat.suites.answers.text_to_sql.components.parts import DIRECTION, INNER_TABLES, PARTS, Parts, Unparsed, parts_of
from karat.suites.answers.text_to_sql.components.qualified import NONE_REQUIRED, Required, Schema
from karat.suites.answers.text_to_sql.strict.gold_status import one_spelling

MOST_SPELLINGS = 4096
_spellings: dict[str, str] = {}

MOST_SAID = 3
LONGEST = 90
MOST_LISTED = 6
_COMPARED = re.compile(r"(.*?)\s*(<>|!=|>=|<=|=|>|<| like | in )\s*(.+)", re.IGNORECASE | re.DOTALL)
_AGGREGATE = re.compile(r"\b(?:count|sum|avg|min|max)\(")
"""Where one is compared, groups are kept and not rows."""
_PLACE = re.compile(r"^\d+\. ")
_TABLE = re.compile(r"""(?:"[^"]+"|`[^`]+`|\b[^\W\d]\w*(?: \d+)?)\.(?=[^\W\d]|["`*])""")


class Component(msgspec.Struct, frozen=True, omit_defaults=True):
    """One part in which two queries differ. ``value``: filters that differ only in the value they compare with."""

    part: str
    """The clause: ``tables``, ``filters``, ``grouping`` and so on."""
    missing: tuple[str, ...] = ()
    """What the gold query has and the prediction does not."""
    extra: tuple[str, ...] = ()
    """What the prediction has and the gold query does not."""


class Difference(msgspec.Struct, frozen=True, omit_defaults=True):
    """All parts that differ, one sentence, or why the queries cannot be compared so."""

    components: tuple[Component, ...] = ()
    sentence: str = ""
    problem: str = ""


def difference(gold: str, sql: str, dialect: str, schema: Schema, required: Required = NONE_REQUIRED) -> Difference:
    """The parts of two queries that differ. ``required``: the columns that hold no null."""
    return _difference(gold, _first_spelling(one_spelling(sql), sql), dialect, schema, required)


def _first_spelling(spelling: str, sql: str) -> str:
    """The first text that was seen of those that differ only in blanks and case: their parts are the same."""
    if len(_spellings) >= MOST_SPELLINGS:
        _spellings.clear()
    return _spellings.setdefault(spelling, sql)


@lru_cache(maxsize=1024)
def _difference(gold: str, sql: str, dialect: str, schema: Schema, required: Required) -> Difference:
    try:
        ours, theirs = (parts_of(one, dialect, schema, required) for one in (gold, sql))
    except Unparsed as error:
        return Difference(problem=f"the queries cannot be compared part by part: {error}")
    found = [one for name in PARTS for one in _compared(name, ours, theirs)]
    if not found and ours[DIRECTION] != theirs[DIRECTION]:
        part = "set operation" if ours["set operation"] else "joins"
        found = [Component(part, tuple(ours[DIRECTION]), tuple(theirs[DIRECTION]))]
    return Difference(tuple(found), _sentence(found))


def _compared(name: str, gold: Parts, given: Parts) -> list[Component]:
    if gold[name] == given[name]:  # sorted, so most parts are settled here
        return []
    ours, theirs = Counter(gold[name]), Counter(given[name])
    missing, extra = list((ours - theirs).elements()), list((theirs - ours).elements())
    if name == "tables":  # one that a sub-query reads is used, too
        missing = [table for table in missing if table not in given[INNER_TABLES]]
        extra = [table for table in extra if table not in gold[INNER_TABLES]]
    found = []
    if name in ("filters", "having"):
        pairs = [(a, b) for a in missing for b in extra if _same_but_value(a, b)]
        for a, b in pairs:
            if a in missing and b in extra:
                missing.remove(a)
                extra.remove(b)
                found.append(Component("value", (a,), (b,)))
    if missing or extra:
        found.append(Component(name, tuple(missing), tuple(extra)))
    return found


def _same_but_value(one: str, other: str) -> bool:
    a, b = _COMPARED.fullmatch(one), _COMPARED.fullmatch(other)
    return a is not None and b is not None and a[1] == b[1] and a[2].lower() == b[2].lower()


# -- in words ---------------------------------------------------------------------------------------------------------

_VERBS = {
    "tables": ("does not use the table", "uses the table", "uses the table"),
    "joins": ("misses the join", "has the extra join", "joins by"),
    "filters": ("misses the filter", "has the extra filter", "filters by"),
    "value": ("misses the filter", "has the extra filter", "filters by"),
    "grouping": ("does not group by", "groups by", "groups by"),
    "having": ("misses the condition on groups", "has the extra condition on groups", "keeps groups with"),
    "aggregates": ("misses", "also computes", "computes"),
    "select": ("does not select", "also selects", "selects"),
    "distinct": ("misses DISTINCT", "has DISTINCT, gold has not", "has"),
    "ordering": ("does not order by", "orders by", "orders by"),
    "limit": ("has no", "has", "has"),
    "set operation": ("misses the set operation", "has the extra set operation", "combines by"),
    "sub-queries": ("misses the sub-query", "has the extra sub-query", "uses the sub-query"),
}
"""Part → what is said where something is missing, too much, or other than in gold."""


def _sentence(components: Sequence[Component]) -> str:
    chosen = list(components)
    if any(one.part == "aggregates" for one in chosen):  # an aggregate is most often selected: said once
        chosen = [one for one in chosen if one.part != "select" or len(one.missing) != len(one.extra)]
    said = [_clause(one) for one in chosen[:MOST_SAID]]
    rest = len(chosen) - MOST_SAID
    return "; ".join(said) + (f"; and {rest} more" if rest > 0 else "")


def _clause(one: Component) -> str:
    of_groups = one.part == "value" and _AGGREGATE.search(" ".join((*one.missing, *one.extra))) is not None
    missing, extra, other = _VERBS["having" if of_groups else one.part]
    if one.part == "distinct" and not (one.missing and one.extra):
        return missing if one.missing else extra
    ours, theirs = _shown(one.missing, one.extra)
    if one.missing and one.extra:
        preposition = "by " if other.endswith(" by") else ""
        return f"{other} {theirs}, gold {preposition}{ours}"
    return f"{missing} {ours}" if one.missing else f"{extra} {theirs}"


def _shown(missing: Sequence[str], extra: Sequence[str]) -> tuple[str, str]:
    """Both in code marks; columns without their table where they can still be told apart."""
    whole = [[_PLACE.sub("", text) for text in texts] for texts in (missing, extra)]
    short = [[_TABLE.sub("", text) for text in texts] for texts in whole]
    same = {_words(text) for text in short[0]} & {_words(text) for text in short[1]}
    texts = whole if same else short
    return _listed(texts[0]), _listed(texts[1])


def _words(text: str) -> tuple[str, ...]:
    """What a text is made of: ``boss = id`` and ``id = boss`` need their tables to be told apart."""
    return tuple(sorted(text.split()))


def _listed(texts: Sequence[str]) -> str:
    """Each text once, with how often it is there; the first of many."""
    counts = Counter(texts)
    said = [f"`{text if len(text) <= LONGEST else f'{text[:LONGEST]}…'}`" for text in counts]
    said = [text if count == 1 else f"{text} {count} times" for text, count in zip(said, counts.values(), strict=True)]
    return ", ".join(said[:MOST_LISTED]) + (f" and {len(said) - MOST_LISTED} more" if len(said) > MOST_LISTED else "")
