"""Read ranker expressions. Every mistake names its column and the nearest word that would have been right.

    ranker  = name | call
    call    = ("rrf" | "wsum" | "rerank" | "mmr") "(" ranker {"," ranker} {";" setting} ")"
    setting = name "=" value {"|" value}        each value is one setting to try
    value   = number {"," number} | "grid(" number ")" | word

A name is anything without ``( ) , ;``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from karat.core.problems import UserError, did_you_mean
from karat.search.rankers.tree import Named

SETTINGS: dict[str, tuple[str, ...]] = {
    "rrf": ("k", "w"),
    "wsum": ("w", "norm"),
    "rerank": ("depth",),
    "mmr": ("lambda",),
}
EXAMPLES = {
    "rrf": "rrf(bm25, wordllama; k=60)",
    "wsum": "wsum(bm25, wordllama; w=0.3,0.7)",
    "rerank": "rerank(bm25, python:my_module:score; depth=50)",
    "mmr": "mmr(wordllama; lambda=0.7)",
}
DEEPEST = 20
_NAME = re.compile(r"[^(),;]*")
_WORD = re.compile(r"\s*([^=;(),|]*)")
_VALUE = re.compile(r"\s*((?:grid\s*\([^()]*\)|[^;()|])*)")


@dataclass(frozen=True)
class Setting:
    """``k=10|60``: what is tried, as it is written."""

    values: tuple[tuple[str, int], ...]
    """Each value with its column."""


@dataclass(frozen=True)
class Call:
    """``rrf(…)`` as it is written."""

    kind: str
    parts: tuple[Node, ...]
    settings: dict[str, Setting]
    column: int


Node = Named | Call


def parse(text: str) -> Node:
    """The tree of an expression. Raises :class:`UserError`."""
    return _Parser(text).whole()


def split_expressions(text: str) -> list[str]:
    """The expressions between commas that are in no parentheses, without empty ones, each once."""
    found, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and depth <= 0:
            found.append(text[start:place])
            start = place + 1
    found.append(text[start:])
    return list(dict.fromkeys(part.strip() for part in found if part.strip()))


def mistake(text: str, column: int, message: str, hint: str = "") -> UserError:
    """A mistake in an expression, at a column from 1."""
    return UserError(f"column {column} of {text}: {message}", hint=hint)


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Node:
        found = self.ranker(0)
        self._spaces()
        if self.at < len(self.text):
            raise self._wrong(f'"{self.text[self.at]}" after the end of the expression')
        return found

    def ranker(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._wrong(f"rankers are nested more than {DEEPEST} deep")
        self._spaces()
        start = self.at
        name = _NAME.match(self.text, start)
        assert name is not None  # noqa: S101 (the pattern matches the empty text too)
        self.at = name.end()
        word = name[0].strip()
        if self._sees("("):
            if word not in SETTINGS:
                raise mistake(
                    self.text, start + 1, f'there is no ranker "{word}(…)"', did_you_mean(word, list(SETTINGS))
                )
            return self._call(word, start + 1, depth)
        if not word:
            raise self._wrong("expected the name of a model, or a ranker such as rrf(bm25, wordllama; k=60)")
        return Named(word, start + 1)

    def _call(self, kind: str, column: int, depth: int) -> Call:
        self.at += 1
        parts = [self.ranker(depth + 1)]
        while self._sees(","):
            self.at += 1
            parts.append(self.ranker(depth + 1))
        settings: dict[str, Setting] = {}
        while self._sees(";"):
            self.at += 1
            self._setting(kind, settings)
        if not self._sees(")"):
            raise self._wrong(f'expected "," or ";" or ")" in {kind}(…)', f"For example {EXAMPLES[kind]}")
        self.at += 1
        return Call(kind, tuple(parts), settings, column)

    def _setting(self, kind: str, settings: dict[str, Setting]) -> None:
        found = _WORD.match(self.text, self.at)
        assert found is not None  # noqa: S101 (the pattern matches the empty text too)
        name, column = found[1].strip(), found.start(1) + 1
        if name not in SETTINGS[kind]:
            known = ", ".join(SETTINGS[kind])
            said = f'{kind} has no setting "{name}"' if name else f"expected a setting of {kind} after ;"
            close = did_you_mean(name, SETTINGS[kind]) if name else ""
            raise mistake(self.text, column, said, close or f"It has {known}: {EXAMPLES[kind]}")
        if name in settings:
            raise mistake(self.text, column, f'the setting "{name}" is given twice', "Several values: k=10|60.")
        self.at = found.end()
        if not self._sees("="):
            raise self._wrong(f'expected "=" after {name}', f"For example {EXAMPLES[kind]}")
        values: list[tuple[str, int]] = []
        while not values or self._sees("|"):
            self.at += 1
            value = _VALUE.match(self.text, self.at)
            assert value is not None  # noqa: S101 (the pattern matches the empty text too)
            if not value[1].strip():
                raise self._wrong(f"expected a value for {name}", f"For example {EXAMPLES[kind]}")
            values.append((value[1].strip(), value.start(1) + 1))
            self.at = value.end()
        settings[name] = Setting(tuple(values))

    def _spaces(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _sees(self, sign: str) -> bool:
        self._spaces()
        return self.text.startswith(sign, self.at)

    def _wrong(self, message: str, hint: str = "") -> UserError:
        return mistake(self.text, self.at + 1, message, hint)


def names_in(nodes: Sequence[Node]) -> list[Named]:
    """Every name of these trees: models, runs and rerankers."""
    found: list[Named] = []
    for node in nodes:
        found += [node] if isinstance(node, Named) else names_in(node.parts)
    return found
