"""Keys of a recorded line that are nearly ones that say where the answer belongs and what it took.

Left alone, ``latncy`` would leave a figure without its value, and ``tun: 1`` would put the answer to another turn. A
key that is like none of these is left alone: a line may say more than Karat reads.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from karat.core.problems import Problem, slip_of

PLACING = ("turn", "repeat")
"""With one of these misspelt, a line would be read as another answer than it is."""
MEASURED = ("latency", "tokens", "cost")
"""With one of these misspelt, the answer itself is as good as before."""

_keys = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def misspelt_key(line: bytes, known: Collection[str], file: str, number: int, warned: set[str]) -> Problem | None:
    """What is wrong with the keys of a line, if anything; an error where its answer must not be used.

    ``known``: every key that the suite reads. ``warned``: the keys already reported, so
    that one in every line is reported once. A line that cannot be read is for its reader to report.
    """
    try:
        keys = _keys(line).keys()
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
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
    return None
