"""What some models want to see in front of a text, to know a question from a value; by their makers' documentation."""

from __future__ import annotations

from typing import NamedTuple

from karat.search.records import Role


class Prefixes(NamedTuple):
    """What to put before a question and before a value."""

    question: str = ""
    value: str = ""

    def put(self, text: str, role: Role) -> str:
        """The text as the model wants it."""
        return (self.question if role == "question" else self.value) + text


_E5 = Prefixes("query: ", "passage: ")
_NOMIC = Prefixes("search_query: ", "search_document: ")
_SENTENCE = Prefixes("Represent this sentence for searching relevant passages: ")

PREFIXES: dict[str, Prefixes] = {
    "e5-small": _E5,
    "e5-base": _E5,
    "e5-large": _E5,
    "e5-small-v2": _E5,
    "e5-base-v2": _E5,
    "e5-large-v2": _E5,
    "multilingual-e5-small": _E5,
    "multilingual-e5-base": _E5,
    "multilingual-e5-large": _E5,
    "nomic-embed-text": _NOMIC,
    "nomic-embed-text-v1": _NOMIC,
    "nomic-embed-text-v1.5": _NOMIC,
    "nomic-embed-text-v1.5-q": _NOMIC,
    "mxbai-embed-large-v1": _SENTENCE,
    "snowflake-arctic-embed-xs": _SENTENCE,
    "snowflake-arctic-embed-s": _SENTENCE,
    "snowflake-arctic-embed-m": _SENTENCE,
    "snowflake-arctic-embed-m-long": _SENTENCE,
    "snowflake-arctic-embed-l": _SENTENCE,
    "bge-small-en": _SENTENCE,
    "bge-base-en": _SENTENCE,
    "bge-large-en": _SENTENCE,
    "embeddinggemma-300m": Prefixes("task: search result | query: ", "title: none | text: "),
}
"""By the model's name without its owner, in lower case. The v1.5 of the bge family do without, and so does every name
not here."""


def prefixes_of(model: str) -> Prefixes:
    """For ``intfloat/multilingual-e5-large`` or ``multilingual-e5-large``: ``query: `` and ``passage: ``."""
    return PREFIXES.get(model.rpartition("/")[2].lower(), Prefixes())
