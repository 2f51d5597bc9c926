"""What was expected against what was given, with the differences marked: by term, by field, or by line."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

LONGEST = 4000
"""Lines above which two texts are shown without marks."""


class Marked(msgspec.Struct, frozen=True, gc=False):
    """A line with its mark: ``same``, ``missing`` (expected, not given) or ``extra`` (given, not expected)."""

    mark: str
    text: str


class Terms(msgspec.Struct, frozen=True):
    """One dimension or field: what was found, what was missed, what is there and should not be."""

    name: str
    found: tuple[str, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    note: str = ""


def as_text(value: Any) -> str:
    """A target as a person reads it: indented JSON with its keys in order, or the text itself."""
    if isinstance(value, str):
        return value
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode()


def json_or_none(text: str) -> Any:
    """The value of a JSON object or array; None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None


def marked_lines(expected: str, given: str) -> list[Marked]:
    """Both texts as one, line by line. Empty when they are too long to be compared here."""
    left, right = expected.splitlines(), given.splitlines()
    if len(left) + len(right) > LONGEST:
        return []
    found: list[Marked] = []
    for kind, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [Marked("same", line) for line in left[a:b]]
        else:
            found += [Marked("missing", line) for line in left[a:b]]
            found += [Marked("extra", line) for line in right[c:d]]
    return found


def lines_of(target: Any, answer: str, details: Mapping[str, Any]) -> list[Marked]:
    """The marked lines where both sides are of one kind: code against code, JSON against JSON. Else none."""
    if (
        isinstance(target, Mapping)
        and isinstance(target.get("reference"), str)
        and isinstance(details.get("code"), str)
    ):
        return marked_lines(target["reference"], details["code"])
    given = json_or_none(answer)
    return marked_lines(as_text(target), as_text(given)) if given is not None and target is not None else []


def terms_of(details: Mapping[str, Any]) -> list[Terms]:
    """The parts of an answer that a suite compared one by one: dimensions with their terms, fields with their keys, texts and numbers."""
    found = [_dimension(item) for item in _dicts(details.get("dimensions"))]
    found += [_field(item) for item in _dicts(details.get("fields"))]
    return found + _texts(details.get("evidence"))


def _dimension(item: Mapping[str, Any]) -> Terms:
    found, missing, extra = (tuple(_term(term) for term in _list(item.get(key))) for key in _OUTCOMES)
    note = "" if item.get("in_target", True) else "not asked for"
    return Terms(str(item.get("dimension", "")), found, missing, extra, note)


_OUTCOMES = ("true_positives", "false_negatives", "false_positives")


def _field(item: Mapping[str, Any]) -> Terms:
    ranks = ", ".join(str(rank) for rank in _list(item.get("ranks")))
    found = (f"{item.get('found')} of {item.get('relevant')}",) if item.get("found") else ()
    missing = tuple(_term(term) for term in _list(item.get("missing")))
    return Terms(str(item.get("field", "")), found, missing, (), f"at rank {ranks}" if ranks else "")


def _texts(evidence: Any) -> list[Terms]:
    """Texts and numbers that an answer lacks, and those that stand there in their place."""
    if not isinstance(evidence, Mapping):
        return []
    missing, found = (tuple(_term(term) for term in _list(evidence.get(key))) for key in ("missing", "found"))
    if missing:  # what was found instead may hold right ones too
        return [Terms("answer", (), missing, (), f"found {', '.join(found)}" if found else "")]
    return [Terms("answer", (), (), found)] if found else []


def _term(term: Any) -> str:
    if isinstance(term, Mapping):
        parts = [str(term[key]) for key in ("id", "name") if term.get(key)]
        return " · ".join(parts) or as_text(term)
    return term if isinstance(term, str) else as_text(term)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _dicts(value: Any) -> list[Mapping[str, Any]]:
    return [item for item in _list(value) if isinstance(item, Mapping)]
