"""An answer as a person reads it on the screen, without what only its markup says.

Numbers and words in attributes, comments, addresses of links, marks of sources and code that is shown beside an answer
are no answer: ``<p style="width:62px">26</p>`` says 26. Entities, the separators of LaTeX and emphasis are written as
they are read: ``48{,}210`` is 48,210 and ``*Harbour* at *Dawn*`` is Harbour at Dawn. What ends a line on the screen
ends one here, so that the numbers of two lines or cells never become one; what is struck out stays marked.

If gold itself has markup, the answer is left as it is; if gold is an address, addresses stay.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

_BLOCKS = (
    "address|article|aside|blockquote|body|br|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure|"
    "footer|form|h[1-6]|head|header|hr|html|li|main|nav|ol|p|pre|section|summary|table|tbody|tfoot|thead|tr|ul"
)
_INLINE = (
    "abbr|a|bdi|bdo|big|b|cite|code|data|em|font|img|ins|i|kbd|label|mark|q|samp|small|span|strong|sub|time|tt|u|var|"
    "wbr"
)
_VALUE = r"""\s+[\w:@.-]{1,60}\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'<>=]+)"""
_TAG = re.compile(
    rf"<(?P<end>/?)(?:(?P<block>{_BLOCKS})|(?P<cell>t[dh])|(?P<struck>del|s|strike)|(?P<raised>sup)|(?:{_INLINE}))"
    rf"(?:{_VALUE}){{0,40}}\s*/?>",
    re.IGNORECASE,
)
_UNSEEN: tuple[tuple[str, str], ...] = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"))
_UNSEEN += tuple((f"<{name}>", f"</{name}>") for name in ("think", "thinking", "reasoning", "tool_call"))
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,31});", re.IGNORECASE)

_CODE = re.compile(
    r"^[ \t]*```[ \t]*(?:python3?|py|r|julia|js|javascript|typescript|ts|bash|sh|shell|console|java|\w*sql)\b"
    r"[^\n]*\n.*?(?:^[ \t]*```[ \t]*$|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)")
_LINK = re.compile(r"\[(?P<text>[^\[\]\n]+)\]\((?P<to>(?:[^()\n]|\([^()\n]*\))*)\)")
_ADDRESS = re.compile(r"<?\bhttps?://[^\s<>\"')\]]*[^\s<>\"')\].,;:!?]>?", re.IGNORECASE)
_NOTE = re.compile(r"\[\^[^\]\s]{1,40}\]|\u3010[^\u3010\u3011\n]*\u2020[^\u3010\u3011\n]*\u3011")
_EMPHASIS = (
    re.compile(r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*\n]+?)(?<=\S)\1(?![\w*])"),
    re.compile(r"(?<![\w_])(_{1,3})(?=[^\s_])([^_\n]+?)(?<=\S)\1(?![\w_])"),
    re.compile(r"(?<!`)(`)([^`\n]+)`(?!`)"),
)
_LATEX = (
    (re.compile(r"(?<=\d)\{,\}(?=\d)"), ","),
    (re.compile(r"(?<=\d)\\[,;: ](?=\d)"), "\u2009"),
    (re.compile(r"\\([%$&#_])"), r"\1"),
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|boxed)\{([^{}\n]*)\}"), r"\1"),
    (re.compile(r"(?<!\w)\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\w])"), r"\1"),
    (re.compile(r"\\times(?![a-z])"), "\u00d7"),
    (re.compile(r"\\cdot(?![a-z])"), "\u00b7"),
    (re.compile(r"(?<=10)\^\{(-?\d+)\}"), r"^\1"),
)
_MARKED = re.compile(r"[<&\[\\*_`$\u3010]|://")
_GOLD_ADDRESS = re.compile(r"://|[^\W\d_]\.[^\W\d_]|@")


def as_read(text: str, wanted: Sequence[str]) -> str:
    """The text without its markup; ``wanted`` are the texts that will be looked for in it."""
    if not _MARKED.search(text) or any(_plain(each, addresses=True) != each for each in wanted):
        return text
    return _plain(text, addresses=any(map(_GOLD_ADDRESS.search, wanted)))


def _plain(text: str, *, addresses: bool) -> str:
    without_code = _CODE.sub("\n", text)
    text = without_code if without_code.strip() else text
    for begin, end in _UNSEEN:
        text = _without(text, begin, end)
    text = _TAG.sub(_tag, text)
    text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    text = _LINK.sub(r"\g<text> (\g<to>)" if addresses else r"\g<text>", _IMAGE.sub("", text))
    text = _NOTE.sub("", text)
    if not addresses:
        text = _ADDRESS.sub("", text)
    for pattern, written in _LATEX:
        text = pattern.sub(written, text)
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    return text


def _without(text: str, begin: str, end: str) -> str:
    kept, at = [], 0
    while (start := text.find(begin, at)) >= 0 and (stop := text.find(end, start)) >= 0:
        kept.append(text[at:start])
        at = stop + len(end)
    return " ".join((*kept, text[at:]))


def _tag(found: re.Match[str]) -> str:
    if found["block"]:
        return "\n"
    if found["cell"]:
        return " | "
    if found["struck"]:
        return "~~"
    if found["raised"] and not found["end"]:
        return "^" if found.string.endswith("10", 0, found.start()) else " ^"
    return ""
