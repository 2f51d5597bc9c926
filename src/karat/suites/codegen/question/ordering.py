"""Whether a question asks for rows in an order, in whichever words, or for the order they are in.

- words that sort: "sorted by", "ranked", "chronological"
- a comparison with a place: "smaller date ahead", "latest first"; from one end to the other: "from the lowest price to
  the highest"; one before the other: "higher pay before lower pay", "starting with the oldest", "from the highest down"
- words that keep: "keep the order", "in the same order as", "the order of the rows must not change"

The noun alone asks for nothing: "order id", "in order to", "each order". Where a column or table is called ``order``,
only words that can mean nothing else count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from karat.suites.codegen.question.vocabulary import Vocabulary
from karat.suites.codegen.question.words import Mention, Word, find_phrases, name_parts
from karat.suites.codegen.records import Schema

_BEFORE = 4
_AFTER = 8
_SENTENCE = (".", ";", "?", "!")
_GAP = 3
"""Words between a comparison and its place: "smaller order date ahead"."""

Found = list[tuple[int, int, str]]
Direction = tuple[str, str, tuple[int, ...]]
"""What is said, the direction where there is one, and the places of the comparing words."""


def ordering_of(
    words: Sequence[Word], taken: Sequence[bool], known: Vocabulary, schema: Schema, *, counted: bool
) -> tuple[tuple[str, ...], bool]:
    """The words that ask for an order with its direction, and whether rows are to stay as they are."""
    free = list(taken)
    for start, end, _ in find_phrases(words, known.not_order, taken):
        free[start:end] = [True] * (end - start)
    thing = _is_thing(schema, known)
    found = [
        phrase
        for start, end, phrase in find_phrases(words, known.sorting, free)
        if (not thing or _sorts(words, end, phrase, known)) and not _is_noun(words, start, end, phrase, known)
    ]
    directions = [_by_age(one, known, schema) for one in _directions(words, free, known)]
    found += [phrase for phrase, _, _ in directions]
    downwards = find_phrases(words, known.descending, free)
    for start, end, _ in downwards:  # "reverse alphabetical" is not alphabetical
        free[start:end] = [True] * (end - start)
    if downwards or any(way == "descending" for _, way, _ in directions):
        found.append("descending")
    if find_phrases(words, known.ascending, free) or any(way == "ascending" for _, way, _ in directions):
        found.append("ascending")
    if counted:
        found.append("top or bottom")
    return tuple(dict.fromkeys(found)), _keeps(words, free, known, thing)


def _by_age(direction: Direction, known: Vocabulary, schema: Schema) -> Direction:
    """ "oldest first" goes up by date; where a column holds ages it may go down by age, and no direction is said."""
    said, way, places = direction
    first, *_, last = said.split()
    aged = {part for name in schema.columns for part in name_parts(name)} & set(known.age_words)
    if way or aged or first not in known.old_words or last in known.behind_words:
        return direction
    return said, "ascending", places


def order_keys(words: Sequence[Word], mentions: Sequence[Mention], known: Vocabulary) -> tuple[str, ...]:
    """The columns that rows are sorted by, one within the other: "sorted by city, then by pay"."""
    free = [False] * len(words)
    verbs = [start for start, _, _ in find_phrases(words, known.sorting, free)]
    if not verbs:
        return ()
    ends = [at for at, word in enumerate(words) if word.text in _SENTENCE]
    end = next((at for at in ends if at > verbs[0]), len(words))
    by = {phrase.split()[-1] for phrase in known.sort_lists}
    led = next((at for at in range(verbs[0], end) if words[at].lower in by), end)
    if led == end:  # "nach Stadt und Gehalt sortiert"
        begin = next((at for at in reversed(ends) if at < verbs[0]), -1)
        led = next((at for at in range(begin + 1, verbs[0]) if words[at].lower in by), verbs[0])
        end = verbs[0]
    joining = _between_keys(known)
    found: list[str] = []
    at = led
    for mention in mentions:
        if led <= mention.start < end:
            if not all(
                words[place].lower in joining or words[place].kind == "mark" for place in range(at, mention.start)
            ):
                break
            found.append(mention.column)
            at = mention.end
    return tuple(dict.fromkeys(found))


def _between_keys(known: Vocabulary) -> set[str]:
    """The words that may be between two columns that rows are sorted by: "by city in ascending order, then by pay"."""
    phrases = (
        *known.sorting, *known.sort_lists, *known.ascending, *known.descending, *known.low_words, *known.high_words,
        *known.ahead_words, *known.first_words, *known.from_words, *known.to_words, *known.list_words,
    )  # fmt: skip
    said = {word for phrase in phrases for word in phrase.split()}
    return said | (set(known.clause_words) - set(known.comparisons["=="]) - set(known.group_lists))


def places_of_order(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> set[int]:
    """Where words say which end comes first: the "highest" of "highest first" is no maximum."""
    directions = _directions(words, taken, known)
    found = {at for _, _, places in directions for at in places}
    phrases = [phrase for phrase in (*known.ascending, *known.descending) if " " in phrase]
    return found | {at for start, end, _ in find_phrases(words, phrases, taken) for at in range(start, end)}


def _is_thing(schema: Schema, known: Vocabulary) -> bool:
    names = [part for name in (*schema.columns, *schema.tables) for part in name_parts(name)]
    return bool(set(names) & set(known.order_things))


def _sorts(words: Sequence[Word], end: int, phrase: str, known: Vocabulary) -> bool:
    """Whether "ordered" sorts, where it may as well mean bought: "ordered by", "ordered from low to high"."""
    following = words[end].lower if end < len(words) else ""
    return phrase not in known.ordered_words or following in known.after_ordered


def _is_noun(words: Sequence[Word], start: int, end: int, phrase: str, known: Vocabulary) -> bool:
    """Whether "rank" is one of the columns that are asked for: "return name, dept and rank"."""
    listed = start > 0 and words[start - 1].lower in known.list_words
    return phrase in known.noun_words and listed and (end >= len(words) or words[end].kind == "mark")


def _keeps(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary, thing: bool) -> bool:
    phrases = known.keep_order if thing else (*known.keep_order, *known.keep_order_loosely)
    if find_phrases(words, phrases, taken):
        return True
    nouns = [start for start, _, _ in find_phrases(words, known.order_nouns, taken)]
    for noun in nouns:
        before = _unbroken(words, range(noun - 1, max(noun - 1 - _BEFORE, -1), -1))
        adjectives = {words[at].lower for at in before} & set(known.keep_adjectives)
        if any(words[at].lower in known.keep_verbs for at in before) and (adjectives or not thing):
            return True
        after = _unbroken(words, range(noun + 1, min(noun + 1 + _AFTER, len(words))))
        said = find_phrases([words[at] for at in after], known.keep_after, [False] * len(after))
        if said and (not thing or any(words[at].lower in known.keep_adjectives for at in after)):
            return True
    return False


def _unbroken(words: Sequence[Word], places: range) -> list[int]:
    """These places up to the first punctuation mark."""
    found: list[int] = []
    for at in places:
        if words[at].kind == "mark":
            break
        found.append(at)
    return found


def _directions(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[Direction]:
    said = (_placed, _ranges, _begun, _before_the_rest)
    return [one for way in said for one in way(words, taken, known)]


def _placed(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[Direction]:
    """ "smaller date ahead": what is said, and the direction where there is one."""
    ends: dict[int, tuple[int, bool]] = {}
    for start, end, _ in find_phrases(words, known.ahead_words, taken):
        ends[start] = (end, True)
    for start, end, _ in find_phrases(words, known.first_words, taken):
        if _said_last(words, end, known):
            ends.setdefault(start, (end, True))
    for start, end, _ in find_phrases(words, known.behind_words, taken):
        if _said_last(words, end, known):
            ends.setdefault(start, (end, False))
    found: list[Direction] = []
    for start, end, low in _compared(words, taken, known):
        for at in _unbroken(words, range(end, min(end + _GAP + 1, len(words)))):
            if at in ends:
                ahead = ends[at][1]
                way = _way(None if low is None else low == ahead)
                found.append((f"{words[end - 1].lower} {words[at].lower}", way, tuple(range(start, end))))
                break
    return found


def _said_last(words: Sequence[Word], end: int, known: Vocabulary) -> bool:
    """Whether no noun follows: "latest first", no "latest first name"."""
    return end >= len(words) or words[end].kind == "mark" or words[end].lower in known.clause_words


def _compared(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[tuple[int, int, bool | None]]:
    """Where a comparing word begins and ends, and whether it means the low end; None when that depends on what is
    compared."""
    kinds: tuple[tuple[tuple[str, ...], bool | None], ...] = (
        (known.low_words, True),
        (known.high_words, False),
        (known.either_words, None),
    )
    found = [(start, end, low) for phrases, low in kinds for start, end, _ in find_phrases(words, phrases, taken)]
    joined = [  # "the highest-paid"
        (at, at + 1, low)
        for at, word in enumerate(words)
        for phrases, low in kinds
        if word.kind == "word" and "-" in word.lower and word.lower.partition("-")[0] in phrases
    ]
    return found + joined


def _ranges(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[Direction]:
    """ "from the lowest price to the highest", "oldest to newest", "higher pay before lower pay"."""
    compared = sorted(_compared(words, taken, known), key=lambda item: item[1])
    between = {start for start, _, _ in find_phrases(words, known.to_words, taken)}
    between |= {start for start, _, _ in _befores(words, known)}
    found: list[Direction] = []
    for (start, first, low), (begin, second, other) in pairwise(compared):
        gap = _unbroken(words, range(first, begin))
        joined = len(gap) == begin - first <= _GAP + 2 and bool(between & set(gap))
        if joined and (low != other or None in (low, other)) and words[first - 1].lower != words[second - 1].lower:
            way = _way(None if other is None else low)
            found.append(
                (
                    f"{words[first - 1].lower} to {words[second - 1].lower}",
                    way,
                    (*range(start, first), *range(begin, second)),
                )
            )
    return found


def _begun(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[Direction]:
    """ "starting with the highest", "from the highest down": the end where the rows begin."""
    starts = {end for _, end, _ in find_phrases(words, known.starting_words, taken)}
    froms = {end for _, end, _ in find_phrases(words, known.from_words, taken)}
    onward = {
        start for start, end, _ in find_phrases(words, known.onward_words, taken) if _said_last(words, end, known)
    }
    found: list[Direction] = []
    for start, end, low in _compared(words, taken, known):
        before = {start}
        nouns = 1 if known.counted_reach else 0  # "par le salaire le plus élevé"
        for at in _unbroken(words, range(start - 1, -1, -1)):  # past articles and the name of a column
            if not (taken[at] or words[at].lower in known.list_words):
                nouns -= 1
            if nouns < 0:
                break
            before.add(at)
        after = _unbroken(words, range(end, min(end + _GAP + 1, len(words))))
        if before & starts or (before & froms and onward & set(after)):
            found.append((f"{words[end - 1].lower} on", _way(low), tuple(range(start, end))))
    return found


def _before_the_rest(words: Sequence[Word], taken: Sequence[bool], known: Vocabulary) -> list[Direction]:
    """ "the better paid before the others"."""
    rest = {start for start, _, _ in find_phrases(words, known.rest_words, taken)}
    before = [(start, end) for start, end, _ in _befores(words, known)]
    found: list[Direction] = []
    for start, end, low in _compared(words, taken, known):
        for begin, after in before:
            if 0 <= begin - end <= _GAP and rest & set(_unbroken(words, range(after, min(after + 2, len(words))))):
                found.append((f"{words[end - 1].lower} {words[begin].lower}", _way(low), tuple(range(start, end))))
    return found


def _befores(words: Sequence[Word], known: Vocabulary) -> Found:
    """ "before", also where it may begin a condition: between two comparisons it begins none."""
    return find_phrases(words, known.before_words, [False] * len(words))


def ends_of_comparisons(words: Sequence[Word], known: Vocabulary) -> dict[int, int]:
    """Where "plus bas" begins, and where it ends."""
    return {start: end for start, end, _ in _compared(words, [False] * len(words), known)}


def _way(low: bool | None) -> str:
    return "" if low is None else "ascending" if low else "descending"
