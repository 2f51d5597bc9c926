"""A question as words, and the columns of the schema that it mentions.

A column is mentioned by whole words only: ``average`` does not mention ``age``. Case, ``_`` against a space, camelCase
and plurals do not count. Of two columns that both fit, the longer one is meant (``total sales`` is ``total_sales``, not
``sales``). A name of one letter counts only in quotes or beside the word "column"; a quoted name counts exactly.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

import msgspec

from karat.suites.codegen.question.vocabulary import Vocabulary

_FORM = r"""(?P<quoted>`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|„[^“”\n]+[“”]|«[^»\n]+»|(?<!\w)'[^'\n]+'(?!\w))
      | (?P<number>(?<![\w.])[-−]?[$€£]?NUMBER%?(?!\w))
      | (?P<word>[^\W_]+(?:[-'’][^\W\d_]+)*|_)
      | (?P<sign>[<>!=]=?|≥|≤|≠)
      | (?P<mark>[,;:.?!()])"""
_TOKENS = {
    ".": re.compile(_FORM.replace("NUMBER", r"\d+(?:,\d{3})*(?:\.\d+)?"), re.VERBOSE),
    ",": re.compile(
        _FORM.replace("NUMBER", r"(?:\d{1,3}(?:[.\u00a0\u202f]\d{3})+|\d{1,3}(?:[ ]\d{3})+|\d+)(?:[,.]\d+)?"),
        re.VERBOSE,
    ),
}
"""By the sign before decimals: ``1,234.5`` or ``1.234,5``, ``10 000``."""
_GROUPED = re.compile(r"(?<=\d)[.\s](?=\d{3}(?!\d))")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_a-zA-Z]+")
_SHORTEST_STEM = 3
_SHORTEST_FOLDED = 4


class Word(msgspec.Struct, frozen=True):
    """One word, number, quoted text, comparison sign or punctuation mark of a question."""

    text: str
    """As it is, without quotes."""
    kind: str
    lower: str
    forms: tuple[str, ...] = ()
    """What else it may be in the vocabulary: without an ending, without accents, with its separated part."""


class Mention(msgspec.Struct, frozen=True):
    """A column that is mentioned: words ``start`` to ``end`` (exclusive)."""

    column: str
    start: int
    end: int


def words_of(question: str, vocabulary: Vocabulary | None = None) -> list[Word]:
    """The words of a question. ``total_sales`` is two words; underscores fall away."""
    found: list[Word] = []
    elisions = vocabulary.elisions if vocabulary is not None else ()
    for match in _TOKENS[vocabulary.decimal if vocabulary is not None else "."].finditer(question):
        kind = match.lastgroup or ""
        text = match[0]
        if text == "_":
            continue
        if kind == "quoted":
            text = text[1:-1].strip()
        lower = text.lower().replace("’", "'")
        before, mark, rest = lower.partition("'")
        if kind == "word" and mark and rest and before in elisions:
            found.append(Word(before, kind, before))
            text, lower = text[len(before) + 1 :], rest
        found.append(Word(text, kind, lower))
    return found if vocabulary is None or not vocabulary.endings else _with_forms(found, vocabulary)


def without_compounds(words: Sequence[Word], columns: Sequence[str], vocabulary: Vocabulary) -> list[Word]:
    """``Durchschnittsgehalt`` as two words, where the second is the name of a column."""
    if not vocabulary.compounds:
        return list(words)
    names = {form for name in columns for form in singular(name.lower(), vocabulary.plurals, vocabulary.endings)}
    found: list[Word] = []
    for word in words:
        parts = [
            (first, word.lower[len(start) :])
            for start, first in vocabulary.compounds.items()
            if word.kind == "word" and word.lower.startswith(start) and len(word.lower) > len(start)
        ]
        fitting = [part for part in parts if names & singular(part[1], vocabulary.plurals, vocabulary.endings)]
        found += [Word(one, "word", one) for one in fitting[0]] if fitting else [word]
    return _with_forms(found, vocabulary)


def _with_forms(words: Sequence[Word], vocabulary: Vocabulary) -> list[Word]:
    """Each word with its other forms."""
    found = []
    for at, word in enumerate(words):
        forms = inflected(word.lower, vocabulary.endings) if word.kind == "word" else set()
        for particle in vocabulary.separable.get(word.lower, ()):
            if any(one.lower == particle for one in _clause(words, at + 1)):
                forms.add(particle + word.lower)
        found.append(msgspec.structs.replace(word, forms=tuple(sorted(forms - {word.lower}))))
    return found


def _clause(words: Sequence[Word], start: int) -> list[Word]:
    """The words up to the next punctuation mark."""
    end = next((at for at in range(start, len(words)) if words[at].kind == "mark"), len(words))
    return list(words[start:end])


def inflected(word: str, endings: Sequence[str]) -> set[str]:
    """A word with its endings cut, each with and without its accents: ``Gehälter`` is also ``gehalt``."""
    forms = {word}
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            forms.add(word[: -len(ending)])
    return forms | {folded(form) for form in forms if len(word) >= _SHORTEST_FOLDED}


def folded(text: str) -> str:
    """Without accents: ``größte`` is ``großte``."""
    return "".join(sign for sign in unicodedata.normalize("NFD", text) if not unicodedata.combining(sign))


def singular(word: str, plurals: Sequence[str], endings: Sequence[str] = ()) -> set[str]:
    """A word with its plural endings cut: ``cities`` is also ``city``, ``prices`` also ``price``."""
    forms = {word}
    for ending in plurals:
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.endswith("ss"):
            forms.add(word[: -len(ending)] + ("y" if ending == "ies" else ""))
    return forms | (inflected(word, endings) if endings else set())


def name_parts(column: str) -> list[str]:
    """A column's name as words: ``totalSales``, ``total_sales`` and ``Total sales`` are the same two."""
    return [part.lower() for part in _PARTS.findall(column)]


def mentions_of(words: Sequence[Word], columns: Sequence[str], vocabulary: Vocabulary) -> list[Mention]:
    """Every mention of a column, from left to right; none overlaps another."""
    names = _names(tuple(columns), vocabulary.plurals, vocabulary.endings)
    spoken = [singular(word.lower, vocabulary.plurals, vocabulary.endings) for word in words]
    found: list[Mention] = []
    at = 0
    while at < len(words):
        mention = _quoted(words, at, columns) or _spoken(words, spoken, at, names, vocabulary)
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
def _names(columns: tuple[str, ...], plurals: tuple[str, ...], endings: tuple[str, ...]) -> list[_Name]:
    """The columns that have a name to speak, those of most words first."""
    split = [(column, parts) for column in columns if (parts := name_parts(column))]
    return [
        _Name(
            column,
            [singular(part, plurals, endings) for part in parts],
            singular("".join(parts), plurals, endings),
        )
        for column, parts in sorted(split, key=lambda item: -len(item[1]))
    ]


def _spoken(
    words: Sequence[Word], spoken: Sequence[set[str]], at: int, names: Sequence[_Name], vocabulary: Vocabulary
) -> Mention | None:
    if words[at].kind != "word":
        return None
    for name in names:
        if len(name.column) == 1 and not _beside_the_word_column(words, at, name.column, vocabulary):
            continue
        if not spoken[at].isdisjoint(name.joined):
            return Mention(name.column, at, at + 1)  # one word, or written as one: SibSp, medianValue
        end = at + len(name.parts)
        if end <= len(words) and not any(spoken[at + i].isdisjoint(part) for i, part in enumerate(name.parts)):
            return Mention(name.column, at, end)
    return None


def _beside_the_word_column(words: Sequence[Word], at: int, column: str, vocabulary: Vocabulary) -> bool:
    around = [words[place].lower for place in (at - 1, at + 1) if 0 <= place < len(words)]
    return words[at].text == column and bool(set(vocabulary.column_words) & set(around))


@lru_cache(maxsize=256)
def _by_first_word(phrases: tuple[str, ...]) -> dict[str, list[tuple[list[str], str]]]:
    """Phrases by their first word, longest first."""
    found: dict[str, list[tuple[list[str], str]]] = {}
    for parts, phrase in sorted(((phrase.lower().split(), phrase) for phrase in phrases), key=lambda one: -len(one[0])):
        found.setdefault(parts[0] if parts else "", []).append((parts, phrase))
    return found


def find_phrases(words: Sequence[Word], phrases: Sequence[str], taken: Sequence[bool]) -> list[tuple[int, int, str]]:
    """Where a phrase is, as (start, end, phrase), longest first at each place; words that are taken do not
    count."""
    known = _by_first_word(tuple(phrases))
    found = []
    at = 0
    while at < len(words):
        for parts, phrase in _beginning(known, words[at]):
            end = at + len(parts)
            fits = end <= len(words) and all(
                not taken[at + i] and words[at + i].kind == "word" and _is(words[at + i], part)
                for i, part in enumerate(parts)
            )
            if fits:
                found.append((at, end, phrase))
                at = end - 1
                break
        at += 1
    return found


def _beginning(known: dict[str, list[tuple[list[str], str]]], word: Word) -> list[tuple[list[str], str]]:
    """The phrases that begin with this word, longest first."""
    found = known.get(word.lower, [])
    if not word.forms:
        return found
    more = [one for form in word.forms for one in known.get(form, ())]
    return sorted((*found, *more), key=lambda one: -len(one[0])) if more else found


def _is(word: Word, part: str) -> bool:
    return word.lower == part or part in word.forms


def number_of(word: Word, vocabulary: Vocabulary) -> float | None:
    """The number that a word is: ``1,000``, ``$5``, ``12%`` (12), ``three``."""
    if word.kind == "number":
        text = re.sub("[$€£%]", "", word.text).replace("−", "-")
        text = text.replace(",", "") if vocabulary.decimal == "." else _GROUPED.sub("", text).replace(",", ".")
        return float(text)
    return float(vocabulary.numbers[word.lower]) if word.lower in vocabulary.numbers else None
