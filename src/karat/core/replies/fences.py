"""Fenced blocks in a text: three or more backticks or tildes, a language, the block, the closing fence.

Beside the usual form, what language models write is read too: a fence that opens after words on its line, closes behind
the last line of the block, is on one line with its content, or never closes because it is the last thing in the
text. So are the blocks of answers in HTML: ``<pre><code class="language-sql">…</code></pre>``.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

import msgspec

_OPEN = re.compile(r"^(?P<before>[ \t]*)(?P<mark>`{3,}|~{3,})[ \t]*(?P<info>[^`\n]*)$")
_OPEN_AFTER_WORDS = re.compile(r"^(?P<before>[^`]*)(?P<mark>`{3,})[ \t]*(?P<info>[{.]*[\w+#-]*[}]?)[ \t]*$")
_ON_ONE_LINE = re.compile(r"^(?P<before>[^`]*)(?P<mark>`{3,})[ \t]*(?P<info>[A-Za-z]\w*)[ \t]+(?P<text>[^`]+)(?P=mark)")
_IN_HTML = re.compile(
    r"<pre\b(?P<pre>[^<>]{0,200})>\s*<code\b(?P<code>[^<>]{0,200})>(?P<text>(?:[^<]|<(?!/code|pre\b))*)</code>\s*</pre>",
    re.IGNORECASE,
)
_HTML_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|brush)[-:= \"']+([\w+#]+)", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z][^<>]{0,200}>", re.IGNORECASE)
_LANGUAGE = re.compile(r"[{.]*([\w+#-]*)")


class Block(msgspec.Struct, frozen=True, gc=False):
    """One fenced block: its language in lower case, its text with the indentation it has, and whether its fence
    closes."""

    language: str
    text: str
    closed: bool = True


def split(text: str) -> tuple[list[Block], str]:
    """The blocks of a text in their order, and the text without them."""
    blocks: list[Block] = []
    outside: list[str] = []
    inside: list[str] = []
    mark = language = ""
    for line in _IN_HTML.sub(_as_fence, text.replace("\r\n", "\n")).split("\n"):
        if mark:
            end = _end(line, mark)
            if end is None:
                inside.append(line)
                continue
            if end.strip():
                inside.append(end)
            blocks.append(Block(language, "\n".join(inside)))
            inside, mark = [], ""
        elif found := _ON_ONE_LINE.match(line):
            outside.append(found["before"])
            blocks.append(Block(found["info"].lower(), found["text"]))
        elif found := _OPEN.match(line) or _OPEN_AFTER_WORDS.match(line):
            outside.append(found["before"])
            mark, language = found["mark"], _language(found["info"])
        else:
            outside.append(line)
    if mark:
        blocks.append(Block(language, "\n".join(inside), closed=False))
    return blocks, "\n".join(outside)


def _as_fence(found: re.Match[str]) -> str:
    """A block of HTML as a fenced one; its colours are tags, and its signs are entities."""
    named = _HTML_LANGUAGE.search(f"{found['pre']} {found['code']}")
    text = html.unescape(_TAG.sub("", found["text"])).strip("\n")
    mark = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", text)), default=0))
    return f"\n{mark}{named[1] if named else ''}\n{text}\n{mark}\n"


def _language(info: str) -> str:
    found = _LANGUAGE.match(info.strip())
    return found[1].lower() if found else ""


def _end(line: str, mark: str) -> str | None:
    """What is before the closing fence on its line; None where the line does not close the block."""
    stripped = line.strip()
    if stripped.startswith(mark) and not stripped.strip(mark[0]):
        return ""
    if mark[0] == "`" and stripped.endswith(mark) and stripped.count(mark) == 1:
        return line.rstrip().removesuffix(mark)
    return None


def in_languages(blocks: Iterable[Block], languages: Iterable[str]) -> list[Block]:
    """The blocks in one of these languages; ``""`` is a fence that names none."""
    wanted = frozenset(languages)
    return [block for block in blocks if block.language in wanted]
