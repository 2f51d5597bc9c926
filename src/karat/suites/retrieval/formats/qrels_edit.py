"""Add judgements for one question: new lines below its last one, in the format of its first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from karat.core.problems import UserError
from karat.suites.retrieval.formats.qrels import is_tsv

BOM = b"\xef\xbb\xbf"


def with_judgements(data: bytes, question: str, keys: Sequence[str], relevance: int) -> bytes:
    """The file with these keys judged. A key that was judged already gets this relevance in its own line."""
    lines = data.split(b"\n")
    tsv = _is_tsv(lines)
    own = [place for place, line in enumerate(lines) if _question(line, tsv=tsv) == question.encode()]
    if not own:
        raise UserError(f'the file no longer has a judgement of "{question}"')
    for key in keys:
        if (re.search(r"[\t\r\n]", key) if tsv else re.search(r"\s", key)) or not key.strip():
            raise UserError(f'"{key}" cannot be written to a file of judgements: it contains spaces')
    known = {_words(lines[place], tsv=tsv)[-2]: place for place in reversed(own)}
    for key in keys:
        if key.encode() in known:
            place = known[key.encode()]
            lines[place] = _with_last_words(lines[place], key.encode(), relevance, tsv=tsv)
    model, last = lines[own[0]].removeprefix(BOM), own[-1]
    ending = b"\r" if any(line.endswith(b"\r") for line in lines) else b""
    fresh = [key.encode() for key in keys if key.encode() not in known]
    new = [_with_last_words(model.rstrip(b"\r"), key, relevance, tsv=tsv) for key in fresh]
    if last == len(lines) - 1 and new:  # the file has no newline at its end, and so it stays
        lines[last] += ending
        return b"\n".join([*lines, *(line + ending for line in new[:-1]), new[-1]])
    return b"\n".join([*lines[: last + 1], *(line + ending for line in new), *lines[last + 1 :]])


def _is_tsv(lines: Sequence[bytes]) -> bool:
    stripped = (line.removeprefix(BOM).rstrip(b"\r") for line in lines)
    return is_tsv(next((line for line in stripped if line.strip() and not line.lstrip().startswith(b"#")), b""))


def _words(line: bytes, *, tsv: bool) -> list[bytes]:
    return [word.strip() for word in line.split(b"\t")] if tsv else line.split()


def _question(line: bytes, *, tsv: bool) -> bytes | None:
    """Whose judgement a line is; None for a comment, a heading, and what is no judgement."""
    line = line.removeprefix(BOM)
    words = _words(line, tsv=tsv)
    whole = len(words) == (3 if tsv else 4) and words[-1].lstrip(b"+-").isdigit()
    return words[0] if whole and not line.lstrip().startswith(b"#") else None


def _with_last_words(line: bytes, key: bytes, relevance: int, *, tsv: bool) -> bytes:
    """The line with another key and relevance; the blanks between its words stay."""
    if tsv:
        head, _, _ = line.split(b"\t")
        return b"\t".join([head, key, str(relevance).encode()]) + (b"\r" if line.endswith(b"\r") else b"")
    parts = re.split(rb"(\s+)", line)
    words = [place for place, part in enumerate(parts) if part.strip()]
    parts[words[-2]], parts[words[-1]] = key, str(relevance).encode()
    return b"".join(parts)
