"""The conditions that a question puts on rows: ``column operator value``, each an item of its own.

Found are comparisons in words or signs with a value beside them (``older than 30``, ``price >= 10``, ``30 or older``),
``between A and B`` as two conditions, ``<column> is <value>``, missing or not missing, and values of a table's own text
columns (``in Germany``). The column is the one that the comparison leans on (``salary of at least``), else the one
right after the value (``more than 5 orders``); it stays empty when none is.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from karat.suites.codegen.analysis.records import Filter
from karat.suites.codegen.question.vocabulary import Vocabulary
from karat.suites.codegen.question.words import Mention, Word, find_phrases, number_of, words_of

_SIGNS = {"≥": ">=", "≤": "<=", "≠": "!=", "=": "==", "!": "!="}
_YEAR = re.compile(r"(?:1[89]|20|21)\d\d")
_CODE = 2
"""A value of so few letters, all capitals, may also be a small word."""
_REACH = 3
"""A value is at most this many words after its comparison."""


def conditions_of(
    words: Sequence[Word],
    mentions: Sequence[Mention],
    vocabulary: Vocabulary,
    values: Mapping[str, Collection[str]],
) -> list[tuple[int, Filter]]:
    """All conditions with the places of their values, in that order."""
    return _Reader(words, mentions, vocabulary, values).read()


def or_more(words: Sequence[Word], vocabulary: Vocabulary, taken: Sequence[bool]) -> list[tuple[int, int, str]]:
    """Where "or older" and the like are; "above 10 or below 5" and "or older than 50" have none: a value follows."""
    compared = [phrase for said in vocabulary.comparisons.values() for phrase in said]
    longer = {start: end for start, end, _ in find_phrases(words, compared, taken)}
    return [
        (start, end, phrase)
        for start, end, phrase in find_phrases(words, tuple(vocabulary.or_more), taken)
        if longer.get(start + 1, end) <= end and (end >= len(words) or number_of(words[end], vocabulary) is None)
    ]


class _Reader:
    """One question being read; a value belongs to one condition only."""

    def __init__(
        self,
        words: Sequence[Word],
        mentions: Sequence[Mention],
        vocabulary: Vocabulary,
        values: Mapping[str, Collection[str]],
    ) -> None:
        self.words = words
        self.mentions = mentions
        self.vocabulary = vocabulary
        self.taken = [False] * len(words)
        for mention in mentions:
            self.taken[mention.start : mention.end] = [True] * (mention.end - mention.start)
        self.used: set[int] = set()
        self.found: list[tuple[int, Filter]] = []
        self.ends: dict[int, tuple[str, str]] = {}
        """Where known values end, and the conditions they are."""
        self.known = self._known_values(values)

    def read(self) -> list[tuple[int, Filter]]:
        self._between()
        self._or_more()
        self._missing()
        self._comparisons()
        self._years()
        self._known()
        return sorted(self.found, key=lambda item: item[0])

    # -- the forms ----------------------------------------------------------------------------------------------------

    def _between(self) -> None:
        for start, end, _ in find_phrases(self.words, self.vocabulary.between, self.taken):
            numbers = [at for at in range(end, min(end + 6, len(self.words))) if self._value(at) is not None]
            for low, high in pairwise(numbers[:2]):
                linked = [word.lower for word in self.words[low + 1 : high]]
                if set(linked) & set(self.vocabulary.and_):
                    column = self._column(start, high)
                    self._add(low, column, ">=")
                    self._add(high, column, "<=")
        for start, end, _ in find_phrases(self.words, self.vocabulary.from_words, self.taken):
            self._from_to(start, end)

    def _from_to(self, start: int, low: int) -> None:
        """ "a year from 2010 to 2015": a column, and two values with nothing between them but the word."""
        for begin, high, _ in find_phrases(self.words, self.vocabulary.to_words, self.taken):
            if begin != low + 1 or high >= len(self.words):
                continue
            column = self._column(start, start, reach=0)
            if column and self._value(low) is not None and self._value(high) is not None:
                self._add(low, column, ">=")
                self._add(high, column, "<=")

    def _or_more(self) -> None:
        for start, _, phrase in or_more(self.words, self.vocabulary, self.taken):
            at = next((at for at in range(start - 1, max(start - 3, -1), -1) if self._value(at) is not None), None)
            if at is not None:
                self._add(at, self._column(at, at), self.vocabulary.or_more[phrase])

    def _missing(self) -> None:
        denied = find_phrases(self.words, self.vocabulary.not_missing, self.taken)
        covered = {at for start, end, _ in denied for at in range(start, end)}
        for start, _, _ in denied:
            self._add_missing(start, "notnull")
        for start, _, _ in find_phrases(self.words, self.vocabulary.missing, self.taken):
            if start not in covered:
                self._add_missing(start, "notnull" if self._excluded(start, _REACH + 2) else "isnull")

    def _add_missing(self, start: int, operator: str) -> None:
        column = self._column(start, start, _REACH + 2)
        around = {word.lower for word in self.words[max(start - _REACH, 0) : start + 2 * _REACH]}
        if column and not around & set(self.vocabulary.filling):
            self.found.append((start, Filter(column, operator, "")))

    def _comparisons(self) -> None:
        phrases = [
            (start, end, operator, operator == "==" or phrase in self.vocabulary.directly)
            for operator, said in self.vocabulary.comparisons.items()
            for start, end, phrase in find_phrases(self.words, said, self.taken)
        ]
        signs = [(at, _SIGNS.get(word.text, word.text)) for at, word in enumerate(self.words) if word.kind == "sign"]
        phrases += [(at, at + 1, sign, sign == "==") for at, sign in signs]
        covered: set[int] = set()
        for start, end, operator, strict in sorted(phrases, key=lambda item: (-(item[1] - item[0]), item[0])):
            if covered & set(range(start, end)):
                continue
            at = self._value_after(end, strict=strict)
            if at is None:
                continue
            column = self._column(start, at)
            if operator == "==" and not self._stands_beside(column, start, at):
                continue  # "the average of 3 numbers", "a threshold of 3" compare no column
            covered |= set(range(start, end))
            self._add(at, column, operator)

    def _stands_beside(self, column: str, start: int, value: int) -> bool:
        """Whether the column is named right before the comparison or right after its value."""
        return any(
            mention.column == column and (mention.end == start or mention.start == value + 1)
            for mention in self.mentions
        )

    def _known(self) -> None:
        for start, end, column, value in self.known:
            if not self.used & set(range(start, end)):
                self.used |= set(range(start, end))
                listed = self._listed_after(start)
                operator = "!=" if self._excluded(start, _REACH) or listed == (column, "!=") else "=="
                self.found.append((start, Filter(column, operator, value)))
                self.ends[end] = (column, operator)

    def _listed_after(self, start: int) -> tuple[str, str] | None:
        """The condition that this value continues a list of: "not in Berlin, Rome or Paris"."""
        at = start
        while at > 0 and self.words[at - 1].lower in self.vocabulary.listing:
            at -= 1
        return self.ends.get(at) if at < start else None

    def _excluded(self, start: int, reach: int) -> bool:
        """Whether the words before say that these rows are left out: "excluding people in Berlin"."""
        for at in range(start - 1, max(start - 1 - reach, -1), -1):
            if self.words[at].kind == "mark" or at in self.used:
                return False
            if self.words[at].lower in self.vocabulary.excluding:
                return True
        return False

    # -- values and columns -------------------------------------------------------------------------------------------

    def _known_values(self, values: Mapping[str, Collection[str]]) -> list[tuple[int, int, str, str]]:
        """Values of the tables' own text columns that are in the question, the longest first at each place."""
        spoken = {
            tuple(word.lower for word in words_of(value)): (column, value)
            for column, known in values.items()
            for value in known
            if len(value) > 1
        }
        longest = max((len(words) for words in spoken), default=0)
        found = []
        at = 0
        while at < len(self.words):
            for length in range(min(longest, len(self.words) - at), 0, -1):
                words = tuple(word.lower for word in self.words[at : at + length])
                if words in spoken and not any(self.taken[at : at + length]) and self._is_said(at, words, spoken):
                    found.append((at, at + length, *spoken[words]))
                    at += length - 1
                    break
            at += 1
        return found

    def _is_said(self, at: int, words: tuple[str, ...], spoken: Mapping[tuple[str, ...], tuple[str, str]]) -> bool:
        """Whether a value is meant: "it" is no ``IT``, and "us" no ``US``, unless written so."""
        value = spoken[words][1]
        code = len(value) <= _CODE and value.isupper()
        return not (code or words[0] in self.vocabulary.stop_words) or len(words) > 1 or self.words[at].text == value

    def _years(self) -> None:
        """ "for the year 2020": a column with a single year right after it."""
        for mention in self.mentions:
            following = range(mention.end, min(mention.end + _REACH + 1, len(self.words)))
            years = [at for at in following if self.words[at].kind != "mark" and _YEAR.fullmatch(self.words[at].text)]
            if years == [mention.end]:
                self._add(mention.end, mention.column, "==")

    def _value_after(self, end: int, *, strict: bool) -> int | None:
        """The place of the value of a comparison that ends here. ``strict``: it must follow at once, and be quoted or a
        number."""
        reach = 1 if strict else _REACH
        for at in range(end, min(end + reach, len(self.words))):
            if at in self.used or self.words[at].kind == "mark":
                return None
            if self._value(at) is not None:
                return at
        return None

    def _value(self, at: int) -> str | None:
        word = self.words[at]
        if word.kind == "quoted" and not self.taken[at]:
            return word.text
        number = number_of(word, self.vocabulary) if not self.taken[at] else None
        return None if number is None else f"{number:g}"

    def _column(self, start: int, value: int, reach: int = 2) -> str:
        """The column of a comparison: the mention it leans on, else the one right after its value.

        In "names of people older than 30" nothing leans on ``name``: the condition has no column.
        """
        before = [mention for mention in self.mentions if mention.end <= start]
        if before and self._leans(before[-1].end, start):
            return before[-1].column
        after = [mention for mention in self.mentions if value < mention.start <= value + reach]
        return after[0].column if after and not self._parted(value + 1, after[0].start) else ""

    def _leans(self, end: int, start: int) -> bool:
        """Whether only small words are between a mention and its comparison: "salary of at least"."""
        return all(self.words[at].lower in self.vocabulary.linking for at in range(end, start))

    def _parted(self, start: int, end: int) -> bool:
        return any(self.words[at].kind == "mark" for at in range(start, end))

    def _add(self, at: int, column: str, operator: str) -> None:
        value = self._value(at)
        if value is not None and at not in self.used:
            self.used.add(at)
            self.found.append((at, Filter(column, operator, value)))
