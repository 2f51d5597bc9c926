"""The words that questions are read by: a data file a user can extend or replace with another language's."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import msgspec

from karat.core.problems import UserError
from karat.core.yaml.structs import load

Phrases = tuple[str, ...]


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
    after_ordered: Phrases = ()
    clause_words: Phrases = ()
    low_words: Phrases = ()
    high_words: Phrases = ()
    either_words: Phrases = ()
    ahead_words: Phrases = ()
    first_words: Phrases = ()
    behind_words: Phrases = ()
    to_words: Phrases = ()
    links: dict[str, Phrases] = {}
    listing: Phrases = ()
    whole_table: Phrases = ()
    rounding: Phrases = ()
    digits: Phrases = ()
    digit_counts: Phrases = ()
    nearest: Phrases = ()
    nearest_units: Phrases = ()
    distinct: Phrases = ()
    open_limits: Phrases = ()
    clear_limits: Phrases = ()
    drawing: Phrases = ()
    by_position: Phrases = ()


@lru_cache(maxsize=8)
def vocabulary(path: str = "") -> Vocabulary:
    """The vocabulary of a file; English without one."""
    file = Path(path) if path else Path(__file__).with_name("en.yaml")
    try:
        found, findings, _ = load(Vocabulary, file)
    except OSError as error:
        raise UserError(f"cannot read the vocabulary {path}: {error.strerror}") from error
    if found is None or findings.problems:
        raise UserError(f"the vocabulary {path} cannot be used", problems=findings.problems)
    return found
