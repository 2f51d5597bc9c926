"""Answers that were reused, in words: every report that shows a run's figures says so."""

from __future__ import annotations

from karat.core.problems import count_of
from karat.core.results.result import RunResult
from karat.core.run_notes.notes import REUSE, Reuse, note_of


def reuse_words(result: RunResult) -> str:
    """How many answers came from a cache, and from when; empty where none did."""
    note = note_of(result, REUSE, Reuse)
    if note is None or not note.reused:
        return ""
    first, last = note.oldest[:10], note.newest[:10]
    when = f"given on {first}" if first == last else f"given between {first} and {last}"
    total = count_of(note.reused + note.asked, "answer")
    facts = "latency, tokens and cost are those of the original calls"
    return f"{note.reused:,} of {total} from {note.cache}, {when}; {facts}"
