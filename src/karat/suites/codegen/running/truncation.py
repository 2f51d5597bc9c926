"""Output that a system is shown, cut in the middle where it is long."""

from __future__ import annotations

CUT = "\n… {count:,} bytes left out …\n"


def cut_in_the_middle(text: str, most: int) -> str:
    """The beginning and the end of a text that is longer than that many bytes."""
    data = text.encode(errors="replace")
    if len(data) <= most:
        return text
    half = most // 2
    head, tail = (part.decode(errors="ignore") for part in (data[:half], data[-half:]))
    return head + CUT.format(count=len(data) - 2 * half) + tail
