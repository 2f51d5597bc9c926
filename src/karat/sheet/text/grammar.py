"""The grammar, loaded once in a process: the parser's tables, and the patterns that cut text into tokens.

``grammar.lark`` is the one place that says what the language is. lark makes the LALR tables from its rules. Its
terminals become three patterns here: ``declaring`` knows the keywords, for where a line can begin with one; ``inside``
does not, for formulas; ``named`` knows no reserved word at all, for what follows the ``!`` of a decorator: only its
name can follow.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from karat.sheet.text.escapes import FORMULA_WORDS, KEYWORDS
from karat.sheet.text.tree_builder import Builder

if TYPE_CHECKING:
    from lark import Lark

KEYWORD_TYPES = frozenset(word.upper() for word in KEYWORDS)
RESERVED_TYPES = KEYWORD_TYPES.union(FORMULA_WORDS)


class Language(NamedTuple):
    parser: Lark
    declaring: re.Pattern[str]
    inside: re.Pattern[str]
    named: re.Pattern[str]


@cache
def language() -> Language:
    """The language of ``grammar.lark``."""
    from lark import Lark

    grammar = files("karat.sheet.text").joinpath("grammar.lark").read_text(encoding="utf-8")
    parser = Lark(grammar, start="table", parser="lalr", lexer="basic", maybe_placeholders=False, transformer=Builder())
    # A higher priority goes first, then the longer sign: "<=" before "<", "##" before "#".
    terminals = sorted(parser.terminals, key=lambda terminal: (-terminal.priority, -len(terminal.pattern.value)))
    patterns = [(terminal.name, terminal.pattern.to_regexp()) for terminal in terminals]
    return Language(
        parser,
        _one_of(patterns),
        _one_of([(name, pattern) for name, pattern in patterns if name not in KEYWORD_TYPES]),
        _one_of([(name, pattern) for name, pattern in patterns if name not in RESERVED_TYPES]),
    )


def _one_of(patterns: list[tuple[str, str]]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in patterns))
