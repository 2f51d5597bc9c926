"""The document that a judge reads: question, expected and given answer, and what the rule says, as one JSON text.

Everything in it is data of strangers. It is one JSON object, so no text inside can close it; characters that cannot be
seen, or that change the order of others, are written as ``\\uXXXX``, and so is what chat models read as the border
between messages. The token is a hash of the document: fixed, so that replies can be cached, yet no answer can contain
it, because it depends on the answer.

The document does not name the system, its model, the run, other answers, or what people said.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata

import msgspec

from karat.core.json_types import Json

LONGEST = 20_000
"""Bytes of one answer; a longer one is cut in the middle."""

_UNSEEN = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that show nothing."""
_CHAT = re.compile(r"<(?=[|/!A-Za-z｜])|\[(?=/?[A-Z]+\])")
"""Where ``<|im_start|>``, ``</s>``, ``<!--`` or ``[INST]`` begin."""


class Rule(msgspec.Struct, frozen=True):
    """What the rule says of the answer."""

    state: str
    reason: str = ""
    evidence: str = ""


class Document(msgspec.Struct, frozen=True):
    """All that a judge gets to see of one answer."""

    kind: str
    """What sort of question it is: the suite."""
    question: tuple[dict[str, str], ...]
    """The conversation up to the turn that was answered."""
    expected: Json
    """The right answer, as the reports show it."""
    given: str
    rule: Rule

    @property
    def size(self) -> int:
        """About how many characters the document has."""
        asked = sum(len(turn["content"]) for turn in self.question)
        return asked + len(str(self.expected)) + min(len(self.given), LONGEST) + len(self.rule.evidence) + 200

    def text(self, *, swapped: bool = False) -> str:
        """The document as JSON. ``swapped``: the given answer comes before the expected one."""
        fields = {
            "kind": self.kind,
            "question": list(self.question),
            "expected": self.expected,
            "given": shortened(self.given),
            "rule": msgspec.to_builtins(self.rule),
        }
        if swapped:
            fields = {name: fields[name] for name in ("kind", "question", "given", "expected", "rule")}
        return visible(json.dumps(fields, ensure_ascii=False, indent=1))


def token_of(text: str) -> str:
    """The name of the block that holds a document."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def shortened(text: str, longest: int = LONGEST) -> str:
    """The text, or its beginning and end with a note of what was left out between them."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) <= longest:
        return text
    half = longest // 2
    first, last = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    return f"{first}\n[… {len(text) - len(first) - len(last)} characters left out …]\n{last}"


def hidden(character: str) -> bool:
    """Whether a character cannot be seen, or changes how others are read: control, zero-width, bidirectional, private,
    a variation selector."""
    if character in _UNSEEN or unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character not in "\n\t"
    return "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"


def visible(text: str) -> str:
    """A JSON text in which nothing is hidden and no chat marker is whole; it decodes to the same value."""
    shown = "".join(_escaped(one) if not " " <= one <= "~" and hidden(one) else one for one in text)
    return _CHAT.sub(lambda found: _escaped(found[0]), shown)


def _escaped(character: str) -> str:
    code = ord(character)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"
