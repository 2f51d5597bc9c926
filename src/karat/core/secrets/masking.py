"""Secrets stay out of everything that is written down: messages, bodies, representations.

What is known to be secret (a key from the environment, a password in a URL) is replaced wherever it is, in any form
it may take there. What only looks like a secret (``user:password@`` in any URL, ``api_key=…`` in a query, a bearer
token) is replaced in messages too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from urllib.parse import quote, quote_plus, unquote

HIDDEN = "***"
SHORTEST_IN_TEXT = 4
"""A shorter text is no secret, and hiding it would spoil every message."""
SHORTEST_IN_BODY = 8
"""A shorter one ("test", "EMPTY") is a stand-in for a key; replacing it could change an answer."""

_USER_INFO = re.compile(r"(?<=://)[^/\s?#\"']*@")
_DATABASE_URL = re.compile(r"(?i)\b((?:postgres|mysql|mariadb|snowflake)[\w+]{0,20}://)([^\s\"']+)")
"""In the URL of a database a password is often written as it is, slashes and all."""
_PARAMETER = re.compile(r"([?&#;]([^=&?#;\s]*)=)[^&#;\s\"']+")
_SECRET_PARAMETER = re.compile(r"(?i)key|token|secret|passw|pwd|sig|auth(?!or(?!iz))|credential")
_NAMES = r"(?i)(?:passw(?:or)?d|passphrase|pwd|secret|(?:api|access|private)[-_]?key|authorization|cookie)"
_NAMED = re.compile(_NAMES + r"=([^\s\"',;&#)}\]]{4,})")
_QUOTED = re.compile(_NAMES + r"\\?[\"']\s*[:=]\s*(\\?[\"'])(.{4,500}?)\1")
"""In the text of an exception: ``password=…``, as a driver's settings say it, and ``"X-Api-Key": "…"``."""
_SCHEME = re.compile(r"(?i)\b(bearer|basic)\s+[\w.~+/=-]{6,}")

LONGEST = 8192
"""Characters of the longest secret that is looked for at a cut."""
_FIRST_LINE = re.compile(rf"(?s)\A(?:[^\r\n]{{0,{LONGEST}}}[\r\n]|.{{0,{LONGEST}}})")


class Secrets:
    """The texts that must not be seen. Its representation does not show them either."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        given = [text for value in values for text in (value, *value.splitlines()) if len(text) >= SHORTEST_IN_TEXT]
        forms = {form for value in given for form in _forms(value)}
        # Longest first: a secret inside another must not leave the rest of the longer one behind.
        self._values = sorted((form for form in forms if len(form) >= SHORTEST_IN_TEXT), key=len, reverse=True)
        self._encoded = [form.encode() for form in self._values if len(form) >= SHORTEST_IN_BODY]
        longest = sorted(dict.fromkeys(given), key=len, reverse=True)
        self._escaped = re.compile("|".join(map(_any_escapes, longest)))
        self._escaped_bytes = re.compile(
            "|".join(_any_escapes(v) for v in longest if len(v) >= SHORTEST_IN_BODY).encode()
        )

    def __repr__(self) -> str:
        return f"Secrets({len(self._values)})"

    def __bool__(self) -> bool:
        return bool(self._values)

    def text(self, text: str) -> str:
        """The text without secrets, known or suspected."""
        for value in self._values:
            text = text.replace(value, HIDDEN)
        if self._escaped.pattern and ("\\" in text or "%" in text):
            text = self._escaped.sub(HIDDEN, text)
        text = _NAMED.sub(lambda found: _without_group(found, 1), plain(text))
        return _QUOTED.sub(lambda found: _without_group(found, 2), text)

    def body(self, body: bytes) -> bytes:
        """The body without known secrets: a server that echoes the key must not put it into the store."""
        for value in self._encoded:
            if value in body:
                body = body.replace(value, HIDDEN.encode())
        if self._escaped_bytes.pattern and (b"\\" in body or b"%" in body):
            body = self._escaped_bytes.sub(HIDDEN.encode(), body)
        return body

    def beginning(self, body: bytes, most: int) -> str:
        """The beginning of a body as a text without secrets, known or suspected.

        Known ones go before the cut. A word that the cut halves goes as a whole: it may be half of a suspected one.
        """
        body = self.body(body)
        text = body[:most].decode("utf-8", "replace")
        return self.text(text if len(body) <= most else _without_last_word(text))

    def ending(self, body: bytes) -> str:
        """What is left of a body whose beginning was thrown away unread, as a text without secrets. The line that was
        halved goes as a whole, since a known secret may have blanks."""
        return self.text(_FIRST_LINE.sub("", body.decode("utf-8", "replace"), count=1))


def _without_last_word(text: str) -> str:
    start = max(len(text) - LONGEST, 0)
    return text[: next((place for place in range(len(text), start, -1) if text[place - 1].isspace()), start)]


def _forms(value: str) -> list[str]:
    """A secret as it is, and as URLs, Python and HTML write it."""
    return [
        form
        for text in (value, unquote(value))
        for form in (text, quote(text, safe=""), quote_plus(text), repr(text)[1:-1], escape(text))
    ]


def _any_escapes(value: str) -> str:
    """A pattern for a secret with any of its signs escaped, as writers of JSON and URLs do: ``\\/``, ``\\u002b``,
    ``%2b``."""
    return "".join(f"(?:{'|'.join((re.escape(sign), *_escapes(sign)))})" for sign in value)


def _escapes(sign: str) -> list[str]:
    digits = "".join(f"[{digit}{digit.upper()}]" if digit.isalpha() else digit for digit in f"{ord(sign):04x}")
    return [
        rf"\\u{digits}",
        f"%{digits[2:]}" if sign < "\x80" and digits[:2] == "00" else re.escape(quote(sign)),
        *([re.escape(f"\\{sign}")] if sign in '"\\/' else []),
    ]


def plain(text: str) -> str:
    """The text without what looks like a secret: user-info in URLs, keys in queries, bearer tokens."""
    text = _DATABASE_URL.sub(_without_user_info, text)
    text = _USER_INFO.sub(f"{HIDDEN}@", text)
    text = _PARAMETER.sub(_without_value, text)
    return _SCHEME.sub(rf"\1 {HIDDEN}", text)


def _without_group(found: re.Match[str], group: int) -> str:
    return found[0][: found.start(group) - found.start()] + HIDDEN + found[0][found.end(group) - found.start() :]


def _without_user_info(url: re.Match[str]) -> str:
    _, at, place = url[2].rpartition("@")
    return f"{url[1]}{HIDDEN}@{place}" if at else url[0]


def _without_value(parameter: re.Match[str]) -> str:
    return f"{parameter[1]}{HIDDEN}" if _SECRET_PARAMETER.search(parameter[2]) else parameter[0]
