"""A question as words, and the columns of the schema that it mentions.

A column is mentioned by whole words only: ``average`` does not mention ``age``. Case, ``_`` against a space, camelCase
and plurals do not count. Of two columns that both fit, the longer one is meant (``total sales`` is ``total_sales``, not
``sales``). A name of one letter counts only in quotes or beside the word "column"; a quoted name counts exactly.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from karat.suites.codegen.question.vocabulary import Vocabulary

_TOKEN = re.compile(
    r"""(?P<quoted>`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|(?<!\w)'[^'\n]+'(?!\w))
      | (?P<number>(?<![\w.])[-−]?[$€£]?\d+(?:,\d{3})*(?:\.\d+)?%?(?!\w))
      | (?P<word>[^\W_]+(?:[-'’][^\W\d_]+)*|_)
      | (?P<sign>[<>!=]=?|≥|≤|≠)
      | (?P<mark>[,;:.?!()])""",
    re.VERBOSE,
)
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_MARKED = frozenset({"column", "columns", "field", "variable"})


class Word(msgspec.Struct, frozen=True):
    """One word, number, quoted text, comparison sign or punctuation mark of a question."""

    text: str
    """As it is, without quotes."""
    kind: str
    lower: str


class Mention(msgspec.Struct, frozen=True):
    """A column that is mentioned: words ``start`` to ``end`` (exclusive)."""

    column: str
    start: int
    end: int


def words_of(question: str) -> list[Word]:
    """The words of a question. ``total_sales`` is two words; underscores fall away."""
    found = []
    for match in _TOKEN.finditer(question):
        kind = match.lastgroup or ""
        text = match[0]
        if text == "_":
            continue
        if kind == "quoted":
            text = text[1:-1].strip()
        found.append(Word(text, kind, text.lower().replace("’", "'")))
    return found


def singular(word: str, plurals: Sequence[str]) -> set[str]:
    """A word with its plural endings cut: ``cities`` is also ``city``, ``prices`` also ``price``."""
    forms = {word}
    for ending in plurals:
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith("ss"):
            forms.add(word[: -len(ending)] + ("y" if ending == "ies" else ""))
    return forms


def name_parts(column: str) -> list[str]:
    """A column's name as words: ``totalSales``, ``total_sales`` and ``Total sales`` are the same two."""
    return [part.lower() for part in _PARTS.findall(column)]


def mentions_of(words: Sequence[Word], columns: Sequence[str], vocabulary: Vocabulary) -> list[Mention]:
    """Every mention of a column, from left to right; none overlaps another."""
    names = _names(tuple(columns), tuple(vocabulary.plurals))
    spoken = [singular(word.lower, vocabulary.plurals) for word in words]
    found: list[Mention] = []
    at = 0
    while at < len(words):
        mention = _quoted(words, at, columns) or _spoken(words, spoken, at, names)
        if mention is None:
            at += 1
        else:
            found.append(mention)
            at = mention.end
    return found


def _quoted(words: Sequence[Word], at: int, columns: Sequence[str]) -> Mention | None:
    if words[at].kind != "quoted":
        return None
    exact = [column for column in columns if column == words[at].text]
    loose = [column for column in columns if name_parts(column) == name_parts(words[at].text) and name_parts(column)]
    return Mention((exact or loose)[0], at, at + 1) if exact or loose else None


class _Name(msgspec.Struct, frozen=True):
    """A column's name as it may be spoken: each part in all its forms, and all parts as one word."""

    column: str
    parts: list[set[str]]
    joined: set[str]


@lru_cache(maxsize=64)
def _names(columns: tuple[str, ...], plurals: tuple[str, ...]) -> list[_Name]:
    """The columns that have a name to speak, those of most words first."""
    split = [(column, parts) for column in columns if (parts := name_parts(column))]
    return [
        _Name(column, [singular(part, plurals) for part in parts], singular("".join(parts), plurals))
        for column, parts in sorted(split, key=lambda item: -len(item[1]))
    ]


def _spoken(words: Sequence[Word], spoken: Sequence[set[str]], at: int, names: Sequence[_Name]) -> Mention | None:
    if words[at].kind != "word":
        return None
    for name in names:
        if len(name.column) == 1 and not _beside_the_word_column(words, at, name.column):
            continue
        if not spoken[at].isdisjoint(name.joined):
            return Mention(name.column, at, at + 1)  # one word, or written as one: SibSp, medianValue
        end = at + len(name.parts)
        if end <= len(words) and not any(spoken[at + i].isdisjoint(part) for i, part in enumerate(name.parts)):
            return Mention(name.column, at, end)
    return None


def _beside_the_word_column(words: Sequence[Word], at: int, column: str) -> bool:
    around = [words[place].lower for place in (at - 1, at + 1) if 0 <= place < len(words)]
    return words[at].text == column and bool(_MARKED & set(around))


@lru_cache(maxsize=256)
def _by_first_word(phrases: tuple[str, ...]) -> dict[str, list[tuple[list[str], str]]]:
    """Phrases by their first word, longest first."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for parts, phrase in sorted(((phrase.lower().split(), phrase) for phrase in phrases), key=lambda one: -len(one[0])):
        found.setdefault(parts[0] if parts else "", []).append((parts, phrase))
    return found


def find_phrases(words: Sequence[Word], phrases: Sequence[str], taken: Sequence[bool]) -> list[tuple[int, int, str]]:
    """Where a phrase stands, as (start, end, phrase), longest first at each place; words that are taken do not
    count."""
    known = _by_first_word(tuple(phrases))
    found = []
    at = 0
    while at < len(words):
        for parts, phrase in known.get(words[at].lower, ()):
            end = at + len(parts)
            fits = end <= len(words) and all(
                not taken[at + i] and words[at + i].kind == "word" and words[at + i].lower == part
                for i, part in enumerate(parts)
            )
            if fits:
                found.append((at, end, phrase))
                at = end - 1
                break
        at += 1
    return found


def number_of(word: Word, vocabulary: Vocabulary) -> float | None:
    """The number that a word is: ``1,000``, ``$5``, ``12%`` (12), ``three``."""
    if word.kind == "number":
        return float(re.sub("[$€£,%]", "", word.text).replace("−", "-"))
    return float(vocabulary.numbers[word.lower]) if word.lower in vocabulary.numbers else None
