"""``python:module:function``: any function (question, texts) → scores, found here or beside ``karat.yaml``.

It is called with a question and a list of texts, and returns a number for each text; higher is better. Its revision is
its attribute ``revision`` where it has one, else the hash of its file: after an edit, pairs are scored again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from karat.core.callables import find_function
from karat.core.problems import UserError
from karat.search.models.function import place_of, revision_of
from karat.search.rerankers.reranker import Reranker

PREFIX = "python:"


def reranker(name: str) -> Reranker:
    """The reranker behind ``python:module:function``; UserError when there is no such function."""
    try:
        function = find_function(name.removeprefix(PREFIX), example="my_rerankers:score")
    except UserError as error:
        raise UserError(f'the reranker "{name}": {error.message}', hint=error.hint) from error.__cause__
    return Reranker(name, revision_of(function), Scoring(name))


@dataclass(frozen=True)
class Scoring:
    """Texts to scores with one function, which is looked up by name so that this can go to another process."""

    name: str

    def __call__(self, question: str, texts: Sequence[str]) -> object:
        function = find_function(self.name.removeprefix(PREFIX), example="my_rerankers:score")
        try:
            return function(question, list(texts))
        except UserError:
            raise
        except Exception as error:
            raise UserError(
                f'the reranker "{self.name}" failed{place_of(error)}: {type(error).__name__}: {error}',
                hint="It is called with a question and a list of texts. Everything scored so far is in the cache.",
            ) from error
