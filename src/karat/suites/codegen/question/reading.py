"""Reading a question: which columns it mentions, which statistics, rows, groups, order and joins it asks for.

Words that name a column ask for nothing else: in "average max speed" with a column ``max_speed`` only the average is
asked for.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence

from karat.suites.codegen.question.conditions import conditions_of
from karat.suites.codegen.question.links import links_of
from karat.suites.codegen.question.ordering import ends_of_comparisons, order_keys, ordering_of, places_of_order
from karat.suites.codegen.question.precision import precision_of
from karat.suites.codegen.question.records import Asked
from karat.suites.codegen.question.vocabulary import LONGEST, Vocabulary, vocabulary
from karat.suites.codegen.question.words import (
    Mention,
    Word,
    find_phrases,
    mentions_of,
    number_of,
    singular,
    without_compounds,
    words_of,
)
from karat.suites.codegen.records import Schema

_REACH_OF_TOP = 5
""""top 3 cities by": the ``by`` is at most this many words after ``top``."""


def read_question(
    question: str,
    schema: Schema,
    *,
    values: Mapping[str, Collection[str]] | None = None,
    words_known: Vocabulary | None = None,
) -> Asked:
    """What the question asks for. ``values`` are those of text columns with few of them, so that "in Germany" is a
    condition."""
    known = words_known or vocabulary()
    words = without_compounds(words_of(question[:LONGEST], known), schema.columns, known)
    mentions = [
        mention
        for mention in mentions_of(words, schema.columns, known)
        if not _names_table(words, mention, schema) and not _compares(words, mention, known)
    ]
    taken = [False] * len(words)
    for mention in mentions:
        taken[mention.start : mention.end] = [True] * (mention.end - mention.start)
    placed = conditions_of(words, mentions, known, values or {})
    conditions = [condition for _, condition in placed]
    compared = tuple(phrase for said in (*known.comparisons.values(), tuple(known.or_more)) for phrase in said)
    longer = ends_of_comparisons(words, known)
    for start, end, _ in find_phrases(words, [phrase for phrase in compared if " " in phrase], taken):
        if any(longer.get(at, end) > end for at in range(start, end)):
            continue  # "au plus bas" is no "au plus"
        taken[start:end] = [True] * (end - start)  # the "least" of "at least" is no minimum
    top, top_at = _counted(words, known.top, taken, known)
    bottom, bottom_at = _counted(words, known.bottom, taken, known)
    ranked, ranked_at = _ranked(words, mentions, taken, known)
    top, top_at = [*top, *ranked], top_at | ranked_at
    statistics = _statistics(words, taken, known, top_at | bottom_at | places_of_order(words, taken, known))
    measured = bool(set(statistics) - {"groupby"}) or bool(find_phrases(words, known.measures, taken))
    valued = {at for at, _ in placed}
    keys = _listed(
        words, [one for one in mentions if one.end not in valued], taken, known, measured, top_at | bottom_at
    )
    if keys and "groupby" not in statistics:
        statistics.append("groupby")
    ordering, keeps_order = ordering_of(words, taken, known, schema, counted=bool(top or bottom))
    return Asked(
        vocabulary=known.name,
        columns=tuple(dict.fromkeys(mention.column for mention in mentions)),
        top=tuple(top),
        bottom=tuple(bottom),
        filtering=bool(conditions) or bool(find_phrases(words, known.filtering, taken)),
        statistics=tuple(statistics),
        conditions=tuple(conditions),
        group_keys=tuple(keys),
        grouping="groupby" in statistics,
        ordering=ordering,
        keeps_order=keeps_order,
        order_keys=order_keys(words, mentions, known),
        joining=_joining(words, taken, known, schema) or _of_several_tables(mentions, schema),
        links=links_of(words, placed, known),
        whole_table=bool(find_phrases(words, known.whole_table, taken)),
        precision=precision_of(question[:LONGEST], words, taken, known),
        by_position=bool(find_phrases(words, known.by_position, [False] * len(words))),
        drawing=bool(find_phrases(words, known.drawing, [False] * len(words))),
        distinct=bool(find_phrases(words, known.distinct, taken)),
        says_ties=_says_ties(words, known),
        mentioned=_mentioned(words, values or {}, known),
        open_limits=bool(find_phrases(words, known.open_limits, taken))
        and not find_phrases(words, known.clear_limits, taken),
    )


def _says_ties(words: Sequence[Word], known: Vocabulary) -> bool:
    """ "they share the smallest rank", "tied": what equal values have."""
    if find_phrases(words, known.ties, [False] * len(words)):
        return True
    for at, word in enumerate(words):
        if word.lower in known.sharing:
            near = itertools.takewhile(lambda one: one.kind != "mark", words[at + 1 : at + 1 + _REACH_OF_TOP])
            if {one.lower for one in near} & set(known.ranks):
                return True
    return False


def _mentioned(words: Sequence[Word], values: Mapping[str, Collection[str]], known: Vocabulary) -> tuple[str, ...]:
    """Values of the tables that the question names, in the plural too: "deposits minus fees"."""
    said = [singular(word.lower, known.plurals, known.endings) | {word.lower, *word.forms} for word in words]
    found = []
    for value in dict.fromkeys(one for own in values.values() for one in own):
        parts = [word.lower for word in words_of(value)]
        places = range(len(said) - len(parts) + 1) if parts else ()
        if any(all(part in said[at + n] for n, part in enumerate(parts)) for at in places):
            found.append(value)
    return tuple(found)


def _compares(words: Sequence[Word], mention: Mention, known: Vocabulary) -> bool:
    """Whether the word is part of a comparison, and a column's name only without its accents: "älter als" says nothing
    of ``alter``."""
    word = words[mention.start]
    if mention.end != mention.start + 1 or mention.column.lower() in singular(word.lower, known.plurals):
        return False
    phrases = [phrase for said in (*known.comparisons.values(), tuple(known.or_more)) for phrase in said]
    return any(
        start <= mention.start < end and end - start > 1
        for start, end, _ in find_phrases(words, phrases, [False] * len(words))
    )


def _names_table(words: Sequence[Word], mention: Mention, schema: Schema) -> bool:
    """Whether the word is the name of a table, and that of a column only with its ending cut: in "how many loans"
    nobody asks for ``loan``."""
    word = words[mention.start]
    tables = {name.lower() for name in schema.tables}
    alone = mention.end == mention.start + 1 and word.kind == "word"
    return alone and word.lower in tables and word.lower != mention.column.lower()


def _statistics(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary, elsewhere: set[int]) -> list[str]:
    """The statistics asked for. A longer phrase has its words for itself: "total number of" is a count, no sum."""
    found = [
        (start, end, name)
        for name, phrases in known.statistics.items()
        for start, end, _ in find_phrases(words, phrases, taken)
        if start not in elsewhere
    ]
    covered: set[int] = set()
    names: set[str] = set()
    for start, end, name in sorted(found, key=lambda item: item[0] - item[1]):
        if not covered & set(range(start, end)):
            covered |= set(range(start, end))
            names.add(name)
    return [name for name in known.statistics if name in names]


def _counted(
    words: Sequence[Word], phrases: Sequence[str], taken: Sequence[bool], known: Vocabulary
) -> tuple[list[int | None], set[int]]:
    """``top 5``, ``5 largest``: how many, and where. ``top`` alone counts; ``largest`` without a number is a
    maximum."""
    counts: list[int | None] = []
    places: set[int] = set()
    for start, end, phrase in find_phrases(words, phrases, taken):
        places_beside = (end, *_before(words, start, known.counted_reach))
        beside = [number_of(words[at], known) for at in places_beside if at < len(words) and not taken[at]]
        numbers = [number for number in beside if number is not None and number > 0 and number == int(number)]
        if numbers or phrase == phrases[0]:
            counts.append(int(numbers[0]) if numbers else None)
            places.add(start)
    return counts, places


def _ranked(
    words: Sequence[Word], mentions: Sequence[Mention], taken: Sequence[bool], known: Vocabulary
) -> tuple[list[int | None], set[int]]:
    """ "les 3 premiers services selon le budget": the first ones of an order that a column gives. Without such a column
    they are the first rows."""
    columns = {mention.start for mention in mentions}
    counts: list[int | None] = []
    places: set[int] = set()
    for start, end, _ in find_phrases(words, known.ranked_words, taken):
        numbers = [number_of(words[at], known) for at in _before(words, start, 0) if not taken[at]]
        clause = next((at for at in range(end, len(words)) if words[at].kind == "mark"), len(words))
        by = [last for first, last, _ in find_phrases(words, known.ranked_by, taken) if end <= first < clause]
        led = any(set(range(last, min(last + _REACH_OF_TOP, clause))) & columns for last in by)
        if led and numbers and numbers[0] is not None and numbers[0] > 0 and numbers[0] == int(numbers[0]):
            counts.append(int(numbers[0]))
            places.add(start)
    return counts, places


def _before(words: Sequence[Word], start: int, reach: int) -> list[int]:
    """The place before a word, and those a little further before it in the same clause."""
    found: list[int] = []
    for at in range(start - 1, max(start - 2 - reach, -1), -1):
        if words[at].kind == "mark":
            break
        found.append(at)
    return found


def _listed(
    words: Sequence[Word],
    mentions: Sequence[Mention],
    taken: Sequence[bool],
    known: Vocabulary,
    statistics: bool,
    counted: set[int],
) -> list[str]:
    """The columns after ``by``, ``per``, ``for each``…: ``by city and year``; not those after ``sorted by`` or ``top 3
    cities by``."""
    named = {at for phrases in known.statistics.values() for at, _, _ in find_phrases(words, phrases, taken)} - counted
    sorting = {start for start, _, _ in find_phrases(words, known.sorting, taken)}
    sorted_by = {at for start, end, _ in find_phrases(words, known.sort_lists, taken) for at in range(start, end)}
    starts = {mention.start: mention for mention in mentions}
    found: list[str] = []
    for start, end, phrase in find_phrases(words, known.group_lists, taken):
        weak = phrase in known.group_list_needs_statistics
        if start in sorted_by or (start - 1 in sorting) or (weak and not statistics):
            continue
        if weak and {word.lower for word in words[max(start - _REACH_OF_TOP, 0) : start]} & set(known.arithmetic):
            continue
        ranked = [place for place in counted if start - _REACH_OF_TOP <= place < start]
        if weak and ranked and not named & set(range(max(ranked), start)):
            continue
        at = end
        while at < len(words):
            if at in starts:
                found.append(starts[at].column)
                at = starts[at].end
            elif words[at].lower in known.list_words:
                at += 1
            else:
                break
    return list(dict.fromkeys(found))


def _joining(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary, schema: Schema) -> bool:
    return bool(find_phrases(words, known.joining if len(schema.tables) > 1 else known.joining_always, taken))


def _of_several_tables(mentions: Sequence[Mention], schema: Schema) -> bool:
    """Columns that no one table holds together ask for a join, also without the word: "total amount by country"."""
    named = {mention.column for mention in mentions}
    return bool(named) and not any(named <= set(columns) for columns in schema.tables.values())
