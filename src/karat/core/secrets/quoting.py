"""Text of somebody's settings as it may be quoted: the line of a mistake, a value that was found, without the secrets
in it.

A mistake is shown with the line it is in, and a line of settings may hold a key: behind a name that tells it
(``api_key: …``, ``X-Auth-Token=…``, ``--token …``), in a URL, or as a text that looks like one (``sk-…``, ``Bearer …``,
a long run of letters and digits). It reads ``•••`` then. The text may be YAML in block or flow style, JSON, or a file
too broken to be either, so nothing is parsed, and in doubt more is hidden, not less.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from karat.core.secrets.settings import KNOWN_SECRET, SCHEME_SECRET, holds_secret_text, is_secret_setting, like_a_key

SHOWN = "•••"
ABOVE = 40
"""Lines above the one that is quoted in which the name of its value may be."""
FAR = 4_000
"""Characters of a long line that are looked at on either side of the spot; much less is shown."""
Span = tuple[int, int]

_NAMED = re.compile(r"""(?<![\w$.-])(-{0,2}[A-Za-z_][\w.-]{0,80})(["']?)[ \t]{0,20}[:=]""")
_OPTION = re.compile(r"""(?<![\w-])(--[A-Za-z][\w-]{0,80})(["']?[ \t,]{1,20}["']?)(?![\s,"'-])""")
_USER = re.compile(r"""(?<![\w-])(?:-u|--user)["']?[ \t,=]{1,20}["']?[^\s:"',]{1,80}:""")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{0,30}://[^\s\"'<>]+")
_PARAMETER = re.compile(r"([^=&?#;\s/]{1,80})=([^&#;\s]+)")
_LONG = re.compile(
    r"(?<![A-Za-z0-9])(?:(?=[A-Z0-9]{0,200}[a-z])(?=[a-z0-9]{0,200}[A-Z])"
    r"(?=[A-Za-z]{0,200}\d)[A-Za-z0-9]{20,}|[0-9a-f]{32,}(?![\w-]))"
)
_CLOSING = {'"': re.compile(r'(?:[^"\\]|\\.)*+', re.DOTALL), "'": re.compile(r"(?:[^']|'')*+", re.DOTALL)}
_FLOW = re.compile(r"""(?:\$\{[^}\n]*+\}|[^,}\]\n"'])*+""")
_OPENING = re.compile(r"[\[{]")


def hidden(text: str) -> str:
    """The text with ``•••`` in place of the secrets in it."""
    return _replaced(text, secret_spans(text))[0]


def hidden_value(text: str) -> str:
    """A value that is quoted by itself. One whose name tells that it is secret is not quoted at all."""
    return SHOWN if next(_looks(text), None) == (0, len(text)) else hidden(text)


def hidden_line(lines: list[str], number: int, column: int, width: int, *, names: bool = True) -> tuple[str, int, int]:
    """Line ``number`` of a text as it may be shown, and where what was at that column begins in it and how wide it is.

    ``names``: whether the text may be settings, where a name tells what is secret; in code and tables "token" is a word
    like any other.
    """
    cut = max(0, min(column, len(lines[number])) - FAR)
    line, column = lines[number][cut : cut + 2 * FAR], column - cut
    above = [before[:FAR] for before in lines[max(0, number - ABOVE) : number]]
    begin = sum(len(before) + 1 for before in above)
    text = "\n".join([*above, line])
    spans = [
        (max(start - begin, 0), end - begin)
        for start, end in secret_spans(text, names=names)
        if end > begin and start < len(text)
    ]
    shown, moved = _replaced(line, spans)
    start, end = moved(min(column, len(line))), moved(min(column + width, len(line)))
    return shown, start, max(end - start, 1)


def _replaced(text: str, spans: list[Span]) -> tuple[str, _Moved]:
    parts, at = [], 0
    for start, end in spans:
        parts += [text[at:start], SHOWN]
        at = end
    return "".join([*parts, text[at:]]), _Moved(spans)


class _Moved:
    """Where a column of the text is once its secrets are replaced; a column inside a secret is where it begins."""

    def __init__(self, spans: list[Span]) -> None:
        self._spans = spans

    def __call__(self, column: int) -> int:
        shift = 0
        for start, end in self._spans:
            if column >= end:
                shift += len(SHOWN) - (end - start)
            elif column > start:
                return start + shift
        return column + shift


def secret_spans(text: str, *, names: bool = True) -> list[Span]:
    """Where secrets are in the text: from, to; in order, none touching the next."""
    found = sorted(s for s in (*(_after_names(text) if names else ()), *_looks(text)) if s[1] > s[0])
    merged: list[Span] = []
    for start, end in found:
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# -- behind a name ----------------------------------------------------------------------------------------------------


def _after_names(text: str) -> Iterator[Span]:
    for match in _NAMED.finditer(text):
        name = match[1].lstrip("-")
        if is_secret_setting(name) and name.lower() != "key":
            yield from _held(text, _value(text, match))
        elif name.lower().endswith("key"):  # the key of what? Its value tells
            start, end = _value(text, match)
            if like_a_key(text[start:end]):
                yield start, end
    for match in _OPTION.finditer(text):
        if is_secret_setting(match[1].lstrip("-")):
            word = re.compile(r"""[^\s"',\]}]*""").match(text, match.end())
            yield from _held(text, word.span() if word else (0, 0))
    for match in _USER.finditer(text):
        word = re.compile(r"""[^\s"',\]}]*""").match(text, match.end())
        yield from _held(text, word.span() if word else (0, 0))


def _held(text: str, span: Span) -> Iterator[Span]:
    if holds_secret_text(text[span[0] : span[1]]):
        yield span


def _value(text: str, name: re.Match[str]) -> Span:
    """Where the value behind a name is: quoted, a block, a list, or plain to the end of its line and what is indented
    below."""
    line = text.rfind("\n", 0, name.start()) + 1
    before = text[line : name.start()]
    start = _skip_blanks(text, name.end(), len(before) - len(before.lstrip(" -")))
    if start >= len(text):
        return start, start
    if (quote := text[start]) in _CLOSING:
        closed = _CLOSING[quote].match(text, start + 1)
        return start + 1, closed.end() if closed else len(text)
    if text[start] == "{":
        return start, start  # its own names tell
    if text[start] == "[":
        end = text.find("]", start)
        return start + 1, end if end > 0 else len(text)
    if before[-1:] in ("?", "&", ";"):
        return start, start  # a parameter of a URL, which has its own end
    if _in_flow(before) or name[0].startswith("--") or (name[0].endswith("=") and before.strip()):
        plain = _FLOW.match(text, start)
        return start, plain.end() if plain else start
    end = _below(text, start, len(before) - len(before.lstrip(" ")))
    return start, start + len(text[start:end].rstrip())


def _in_flow(before: str) -> bool:
    return _OPENING.search(before) is not None


def _skip_blanks(text: str, at: int, indent: int) -> int:
    """Past the blanks behind a colon, and to the next line when nothing follows on this one and that is indented
    further."""
    rest = re.compile(r"[ \t]*").match(text, at)
    at = rest.end() if rest else at
    if at < len(text) and text[at] == "\n":
        below = re.compile(r"\n[ \t]*(?:- )?").match(text, at)
        if below and below.end() - at - 1 > indent:
            return below.end()
    return at


def _below(text: str, at: int, indent: int) -> int:
    """The end of the line, with the lines below that are indented further: a block or a long plain text goes on
    there."""
    end = text.find("\n", at)
    while end >= 0:
        blanks = re.compile(r"[ \t]*").match(text, end + 1)
        begin = blanks.end() if blanks else end + 1
        if begin < len(text) and text[begin] != "\n" and begin - end - 1 <= indent:
            return end
        end = text.find("\n", end + 1)
    return len(text)


# -- by its looks -----------------------------------------------------------------------------------------------------


def _looks(text: str) -> Iterator[Span]:
    for pattern in (KNOWN_SECRET, SCHEME_SECRET, _LONG):
        for match in pattern.finditer(text):
            start = match.start()
            if pattern is SCHEME_SECRET:  # the word before it says what it is, and is not secret itself
                start += len(re.split(r"[ :]+", match[0])[0]) + 1
            yield start, match.end()
    for match in _URL.finditer(text):
        yield from _in_url(match[0], match.start())


def _in_url(url: str, begin: int) -> Iterator[Span]:
    place = url.index("://") + 3
    end = next((i for i in range(place, len(url)) if url[i] in "/?#"), len(url))
    at = url.rfind("@", place, end) if url.startswith(("http", "ws", "ftp")) else url.rfind("@", place)
    if at > place:
        colon = url.find(":", place, at)
        start = colon + 1 if colon >= 0 else place
        yield from ((begin + s, begin + e) for s, e in _held(url, (start, at)))
    for parameter in _PARAMETER.finditer(url, place):
        if is_secret_setting(parameter[1]):
            yield from ((begin + s, begin + e) for s, e in _held(url, parameter.span(2)))
