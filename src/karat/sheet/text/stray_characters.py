"""What to say where no word or sign of the language begins: an open quote, a typographic one, a sign of another
language."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

_WORD = re.compile(r"\w+")
_HINTS = {
    "%": "The remainder of a division is MOD.",
    "|": "One of two is OR; texts are joined with &.",
    ";": "Arguments are separated by commas.",
    "~": "The opposite is NOT.",
    "\\": "A \\ at the very end of a line continues the formula on the next line.",
    "`": "A text is written in double quotes, the name of a table in single ones.",
    "≤": "Write <=.",
    "≥": "Write >=.",
    "≠": "Write <>.",
    "×": "Write *.",
    "÷": "Write /.",
    "−": "Write -.",
    "–": "Write -.",
}
FENCE = "```"
_TYPOGRAPHIC_QUOTES = "“”„«»‘’‚"


class Stray(NamedTuple):
    """A message, the width of what is wrong, a hint, and the offset where reading can go on."""

    message: str
    width: int
    hint: str
    end: int


def explain_character(text: str, position: int) -> Stray:
    """Why no token begins at this offset."""
    character = text[position]
    end = text.find("\n", position)
    end = len(text) if end < 0 else end
    if text.startswith(FENCE, position):
        language = text[position + len(FENCE) : end].strip().capitalize()
        closed = text.find(FENCE, end)
        after = len(text) if closed < 0 else closed + len(FENCE)
        hint = "Compute the table elsewhere and read it with INPUT."
        return Stray(f"{language} blocks are not part of Karat's sheets".lstrip(), end - position, hint, after)
    if character == '"':
        escaped = "'\"" in text[position:end]
        hint = "'\" is a quote inside the text. Where a text ends with an apostrophe, write ''\"." if escaped else ""
        return Stray("this text is not closed on its line", end - position, hint, end)
    if character == "'":
        hint = "The name of a table goes in single quotes, a text in double quotes."
        return Stray("this name is not closed on its line", end - position, hint, end)
    if character == "[":
        hint = "A bracket inside the name of a field is written '[ or ']."
        return Stray("this field is not closed on its line", end - position, hint, end)
    if character in _TYPOGRAPHIC_QUOTES:
        return Stray(
            f"{character} is not a quote of the language", 1, 'Texts are written in straight quotes: "…".', end
        )
    word = _WORD.match(text, position)
    if word:
        hint = "A name begins with a letter; a table's name can be anything in single quotes."
        return Stray(f'"{word[0][:40]}" is neither a number nor a name', len(word[0]), hint, word.end())
    return Stray(f"{_shown(character)} has no meaning here", 1, _HINTS.get(character, ""), position + 1)


def _shown(character: str) -> str:
    if character.isprintable():
        return f'"{character}"'
    name = unicodedata.name(character, "")
    return f"the character U+{ord(character):04X}" + (f" ({name.lower()})" if name else "")
