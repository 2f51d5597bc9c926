"""The words that questions are read by: a data file a user can extend or replace with another language's."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.problems import UserError
from karat.core.yaml.structs import load

Phrases = tuple[str, ...]
AUTO = "auto"
ENGLISH = "en"
LANGUAGES = (ENGLISH, "de", "fr", "es")
LONGEST = 20_000
"""Characters of a question that are read."""
_HITS = 2
_WORD = re.compile(r"[^\W\d_]+")


class Vocabulary(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"and_": "and"}):
    """The keys of a vocabulary file; ``en.yaml`` beside this module says what each is for."""

    plurals: Phrases
    numbers: dict[str, int]
    top: Phrases
    bottom: Phrases
    statistics: dict[str, Phrases]
    group_lists: Phrases
    group_list_needs_statistics: Phrases
    measures: Phrases
    arithmetic: Phrases
    list_words: Phrases
    filtering: Phrases
    comparisons: dict[str, Phrases]
    or_more: dict[str, str]
    linking: Phrases
    between: Phrases
    and_: Phrases
    missing: Phrases
    not_missing: Phrases
    excluding: Phrases
    filling: Phrases
    sorting: Phrases
    sort_lists: Phrases
    ascending: Phrases
    descending: Phrases
    joining: Phrases
    joining_always: Phrases
    not_order: Phrases = ()
    order_nouns: Phrases = ()
    order_things: Phrases = ()
    keep_verbs: Phrases = ()
    keep_adjectives: Phrases = ()
    keep_after: Phrases = ()
    keep_order: Phrases = ()
    keep_order_loosely: Phrases = ()
    ordered_words: Phrases = ()
    noun_words: Phrases = ()
    after_ordered: Phrases = ()
    clause_words: Phrases = ()
    low_words: Phrases = ()
    high_words: Phrases = ()
    either_words: Phrases = ()
    ahead_words: Phrases = ()
    first_words: Phrases = ()
    behind_words: Phrases = ()
    to_words: Phrases = ()
    before_words: Phrases = ()
    rest_words: Phrases = ()
    starting_words: Phrases = ()
    from_words: Phrases = ()
    onward_words: Phrases = ()
    links: dict[str, Phrases] = {}
    listing: Phrases = ()
    whole_table: Phrases = ()
    rounding: Phrases = ()
    digits: Phrases = ()
    digit_counts: Phrases = ()
    nearest: Phrases = ()
    nearest_units: Phrases = ()
    distinct: Phrases = ()
    old_words: Phrases = ()
    age_words: Phrases = ()
    ranked_words: Phrases = ()
    ranked_by: Phrases = ()
    ties: Phrases = ()
    sharing: Phrases = ()
    ranks: Phrases = ()
    open_limits: Phrases = ()
    clear_limits: Phrases = ()
    drawing: Phrases = ()
    by_position: Phrases = ()
    column_words: Phrases = ("column", "columns", "field", "variable")
    """Beside a name of one letter, these say that it is a column."""
    endings: Phrases = ()
    """Endings that are cut from the words of a question, longest first; words of four letters and more are then also
    compared without their accents."""
    separable: dict[str, Phrases] = {}
    """Verbs whose first part may be at the end of the clause: ``ordne … an`` is read as ``anordne``."""
    compounds: dict[str, str] = {}
    """Beginnings that are words of their own before the name of a column: ``Durchschnittsgehalt``."""
    elisions: Phrases = ()
    """What an apostrophe cuts off: ``l'âge`` is ``l`` and ``âge``."""
    decimal: Literal[".", ","] = "."
    directly: Phrases = ()
    """Comparisons whose value must follow at once: ``nach 2015``, but ``nach Alter``."""
    counted_reach: int = 0
    """Words that may be between a number and the word that it counts: ``3 villes les plus chères``."""
    stop_words: Phrases = ()
    """Small words that tell the language."""
    name: str = ""
    """What a vocabulary is called where it is named: ``de``, or the file."""


def vocabulary_for(option: str, question: str) -> Vocabulary:
    """The vocabulary that the option names; with ``auto`` that of the question's own language."""
    return vocabulary(language_of(question) if option in ("", AUTO) else option)


def language_of(question: str) -> str:
    """The language whose small words the question has most of, and at least two; English where that says nothing."""
    words = _WORD.findall(question[:LONGEST].lower())
    hits = {name: sum(word in vocabulary(name).stop_words for word in words) for name in LANGUAGES}
    best = max(hits, key=lambda name: hits[name])
    return best if hits[best] >= _HITS and hits[best] > hits[ENGLISH] else ENGLISH


@lru_cache(maxsize=16)
def vocabulary(name: str = ENGLISH) -> Vocabulary:
    """A vocabulary by its language, or the file of one."""
    file = Path(__file__).with_name(f"{name or ENGLISH}.yaml") if name in ("", *LANGUAGES) else Path(name)
    try:
        found, findings, _ = load(Vocabulary, file)
    except OSError as error:
        raise UserError(f"cannot read the vocabulary {name}: {error.strerror}") from error
    if found is None or findings.problems:
        raise UserError(f"the vocabulary {name} cannot be used", problems=findings.problems)
    return msgspec.structs.replace(found, name=name or ENGLISH)
