"""Two queries side by side: which of their words differ, and whether that matters.

Both are broken into clauses, one to a line, and compared word by word. A word that differs in a clause whose parts
differ (``components``) is wrong in the answer, and its counterpart in gold; elsewhere it is written differently and
means the same.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Sequence
from typing import Literal

from karat.core.presentation.code_views import CodeLine, Span
from karat.suites.answers.text_to_sql.explain import broken

MOST_WORDS = 4_000
MOST_LINES = 200
_WORDS = re.compile(r"\s+|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|[\w.$]+|<>|<=|>=|!=|\|\||.", re.DOTALL)
_CLAUSES = (
    ("select", frozenset({"select", "aggregates", "distinct"})),
    ("from", frozenset({"tables", "joins"})),
    ("join", frozenset({"tables", "joins"})),
    ("where", frozenset({"filters", "value"})),
    ("group", frozenset({"grouping"})),
    ("having", frozenset({"having"})),
    ("order", frozenset({"ordering"})),
    ("limit", frozenset({"limit"})),
    ("union", frozenset({"set operation"})),
    ("intersect", frozenset({"set operation"})),
    ("except", frozenset({"set operation"})),
)
_ANYWHERE = frozenset({"sub-queries", "tables"})
"""Parts that may differ in any clause."""

Side = Literal["wrong", "counterpart"]


class _Word:
    """A word of a query, the parts that its clause belongs to, and whether the other query has it. A name that is given
    by AS belongs to none."""

    def __init__(self, text: str, parts: frozenset[str]) -> None:
        self.text, self.parts = text, parts
        self.differs = False


def marked(gold: str, sql: str, parts: Collection[str]) -> tuple[tuple[CodeLine, ...], tuple[CodeLine, ...]]:
    """The lines of gold and of the answer. ``parts``: the parts in which the queries differ."""
    ours, theirs = _words(broken(gold)), _words(broken(sql))
    left, right = ([one for one in side if not one.text.isspace()] for side in (ours, theirs))
    if len(left) + len(right) <= MOST_WORDS:
        ours_keys, theirs_keys = ([_key(one.text) for one in side] for side in (left, right))
        for kind, a, b, c, d in difflib.SequenceMatcher(None, ours_keys, theirs_keys, autojunk=False).get_opcodes():
            if kind != "equal":
                for one in (*left[a:b], *right[c:d]):
                    one.differs = True
    return _lines(ours, "counterpart", parts), _lines(theirs, "wrong", parts)


def _words(sql: str) -> list[_Word]:
    found, parts, before = [], _CLAUSES[0][1], ""
    for text in _WORDS.findall(sql.strip()):
        parts = dict(_CLAUSES).get(text.lower(), parts)
        found.append(_Word(text, frozenset() if "as" in (before, text.lower()) else parts))
        before = before if text.isspace() else text.lower()
    return found


def _key(text: str) -> str:
    """Words compare without their case and without the table that a column is of; texts as they are."""
    return text if text[0] == "'" else text.rpartition(".")[2].strip('"`').lower() or text


def _lines(words: Sequence[_Word], side: Side, parts: Collection[str]) -> tuple[CodeLine, ...]:
    lines: list[list[Span]] = [[]]
    for word in words:
        mark: Literal["", "wrong", "counterpart", "other"] = ""
        if word.differs:
            mark = side if word.parts and (word.parts | _ANYWHERE) & set(parts) else "other"
        pieces = word.text.split("\n")
        for number, piece in enumerate(pieces):
            if number:
                lines.append([])
            if piece:
                _add(lines[-1], Span(piece, mark))
    return tuple(CodeLine(number, tuple(spans)) for number, spans in enumerate(lines[:MOST_LINES], start=1))


def _add(spans: list[Span], one: Span) -> None:
    """Neighbours of one mark are one piece; a space between two marked words is marked with them."""
    if spans and spans[-1].mark == one.mark:
        spans[-1] = Span(spans[-1].text + one.text, one.mark)
    elif len(spans) > 1 and spans[-1].text.isspace() and spans[-2].mark == one.mark and one.mark:
        space = spans.pop().text
        spans[-1] = Span(spans[-1].text + space + one.text, one.mark)
    else:
        spans.append(one)
