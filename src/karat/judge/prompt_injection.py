"""A cheap look at an answer for attempts to talk to the judge.

It is no defence by itself: a suspicious answer is judged all the same, but ``right`` becomes ``cannot_tell`` and a
person looks at it. Only ``right`` is worth an attack. An ordinary answer that is flagged costs one review.
"""

from __future__ import annotations

import re
import unicodedata
from base64 import b64decode
from binascii import Error
from collections import Counter

from karat.judge.document import Document, hidden

_VERDICT = re.compile(
    r"""\b(?:verdict|judgement|judgment|grade|urteil|veredicto|gold_suspect)\b"""
    r"""\s*+["']?+\s*+[:=|]\s*+["'|]?+\s*+\w""",
    re.IGNORECASE,
)
_GRADER = re.compile(
    r"\b(?:grader|graders|judge|evaluator|rubric|marker|examiner|canary|submit_verdict)\b|\bsecret word\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override|ignoriere|vergiss|ignora|olvida|ignorez|oubliez)\b[^.\n]{0,60}"
    r"\b(?:instruction|prompt|rule|anweisung|regel|instruccion|instrucción|regla|consigne|règle)\w*"
    r"|\b(?:mark|grade|rate|score|accept|count|treat)\b[^.\n]{0,30}\b(?:this|it|answer|as)\b[^.\n]{0,20}"
    r"\b(?:right|correct|true|passed|accepted)\b"
    r"|\b(?:say|answer with|reply|respond|antworte|responde|répond\w*)\b[^.\n]{0,30}\b(?:right|correct)\b"
    r"(?=\W*(?:$|\n|\.))"
    r"|\b(?:decode and (?:obey|follow)|new (?:rubric|instructions|rules))\b"
    r"|\b(?:the|this|every|any) answer[^.\n]{0,60} is right\b"
    r"|\b(?:verified|checked|confirmed|approved)\b[^.\n]{0,30}\b(?:human|reviewer|expert|person|people|source)s?\b",
    re.IGNORECASE,
)
_CHAT = re.compile(
    r"<\s*[|｜]|[|｜]\s*>|\[/?(?:INST|SYS)\]|<</?SYS>>|</?(?:s|answer|data|document|system|instructions?)\s*>"
    r"|<(?:start|end)_of_turn>|<!--|<script\b|-----\s*(?:BEGIN|END)\b|^[^\S\n]*(?:system|assistant|user|human)\s*:",
    re.IGNORECASE | re.MULTILINE,
)
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{12,4096}={0,2}(?![A-Za-z0-9+/=])")
_ORDINARY = re.compile(r"[\r\u00ad\ufe0f]|^\ufeff|(?<=[^\x00-\x7f])[\u200c\u200d](?=[^\x00-\x7f])")
"""Unseen characters that ordinary texts have: line ends, soft hyphens, joiners between letters or emoji."""
_SENTENCE = re.compile(r"[^.!?\n]{12,400}[.!?]")
LONGEST = 12_000
"""Characters that are looked at, from each end: more than a judge gets to see of a long answer."""
_REPEATED = 4


def suspicions(answer: str) -> tuple[str, ...]:
    """What in an answer looks like an attempt to talk to the judge; empty for nearly every answer."""
    text = answer if len(answer) <= 2 * LONGEST else answer[:LONGEST] + "\n" + answer[-LONGEST:]
    found = ["hidden characters"] if any(map(hidden, _ORDINARY.sub("", text))) else []
    plain = unicodedata.normalize("NFKC", "".join(one for one in text if not hidden(one) or one in "\r"))
    for words in (plain, *_decoded(plain)):
        found += [name for name, pattern in _PATTERNS if pattern.search(words)]
    if max(Counter(_SENTENCE.findall(plain)).values(), default=0) >= _REPEATED:
        found.append("repeated sentences")
    return tuple(dict.fromkeys(found))


def suspicions_beside(document: Document) -> tuple[str, ...]:
    """The same for what a judge reads beside the answer: the conversation, and what the rule quotes of parts of the
    answer that are not in its words. Only orders to forget the rules, markers of chats and verdicts in JSON are looked
    for there: a question may be about judges, grades or what counts as correct."""
    texts = [turn["content"] for turn in document.question]
    text = "\n".join(one[:LONGEST] for one in (*texts, document.rule.evidence))
    plain = unicodedata.normalize("NFKC", "".join(one for one in text if not hidden(one)))
    return tuple(
        dict.fromkeys(name for words in (plain, *_decoded(plain)) for name, pattern in _BESIDE if pattern.search(words))
    )


_BESIDE = (
    ("a verdict beside the answer", re.compile(r"""["'](?:verdict|gold_suspect)["']\s*+:\s*+\S""", re.IGNORECASE)),
    (
        "orders",
        re.compile(
            r"\b(?:ignore|disregard|forget|override|ignoriere|vergiss|ignora|olvida|ignorez|oubliez)\b[^.\n]{0,20}"
            r"\b(?:previous|above|prior|earlier|your|all|alle|deine|todas|tus|toutes|tes|vos)\b[^.\n]{0,30}"
            r"\b(?:instruction|prompt|rubric|rule|anweisung|regel|instruccion|instrucción|consigne)\w*"
            r"|\b(?:decode and (?:obey|follow)\b|new (?:rubric|instructions)\s*:|your verdict (?:must|should|is)\b)",
            re.IGNORECASE,
        ),
    ),
    (
        "chat markers",
        re.compile(
            r"<[|｜]\w{1,40}[|｜]>|\[/?(?:INST|SYS)\]|<</?SYS>>|</document\s*>|<(?:start|end)_of_turn>", re.IGNORECASE
        ),
    ),
)
_PATTERNS = (
    ("a verdict in the answer", _VERDICT),
    ("words to a grader", _GRADER),
    ("orders", _ORDER),
    ("chat markers", _CHAT),
)


def _decoded(text: str) -> list[str]:
    """Readable texts that are written as base64."""
    found = []
    for piece in _BASE64.findall(text)[:200]:
        try:
            words = b64decode(piece + "=" * (-len(piece) % 4), validate=True).decode("ascii")
        except (Error, ValueError):
            continue
        if words.isprintable():
            found.append(words)
    return found
