"""Keys of a recorded line that are nearly ones that say where the answer belongs and what it took, and measures that
cannot be.

Left alone, ``latncy`` would leave a figure without its value, and ``tun: 1`` would put the answer to another turn. A
key that is like none of these is left alone: a line may say more than Karat reads. A latency below 0 would lower the
mean of all others.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from karat.core.problems import Problem, slip_of
from karat.core.records import recorded_tokens
from karat.core.results.usage import can_be_measured

PLACING = ("turn", "repeat")
"""With one of these misspelt, a line would be read as another answer than it is."""
MEASURED = ("latency", "tokens", "cost")
"""With one of these misspelt, the answer itself is as good as before."""

_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode
_value = msgspec.json.Decoder().decode


def misspelt_key(line: bytes, known: Collection[str], file: str, number: int, warned: set[str]) -> Problem | None:
    """What is wrong with the keys of a line, if anything; an error where its answer must not be used.

    ``known``: every key that the suite reads. ``warned``: the keys already reported, so
    that one in every line is reported once. A line that cannot be read is for its reader to report.
    """
    try:
        values = _keys(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    keys = values.keys()
    common = (*PLACING, *MEASURED)
    for key in sorted(keys - set(known)):
        meant = "" if key in common or key in warned else slip_of(key, common)
        if not meant or meant in keys:
            continue
        hint = f'Did you mean "{meant}"?'
        if meant in PLACING and key != f"{meant}s":  # a number of turns is a note, and no place
            return Problem(f'unknown key "{key}": the line is skipped', file=file, line=number, hint=hint)
        warned.add(key)
        return Problem(f'unknown key "{key}": it is ignored', file=file, line=number, hint=hint, severity="warning")
    for key in MEASURED:
        if key in keys and key not in warned and not _is_measure(key, values[key]):
            warned.add(key)
            shown = bytes(values[key])[:40].decode("utf-8", "replace")
            return Problem(f'"{key}" cannot be {shown}: it is ignored', file=file, line=number, severity="warning")
    return None


def _is_measure(key: str, raw: msgspec.Raw) -> bool:
    """Whether a value can be one. Of a value that is no number at all, other than tokens, the reader says so."""
    try:
        value = _value(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return True
    if value is None:
        return True
    if key == "tokens":
        return recorded_tokens(value) is not None
    return isinstance(value, bool) or not isinstance(value, int | float) or can_be_measured(value)
