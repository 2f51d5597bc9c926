"""What a model gave, made into rows of length one, or an error that says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from karat.core.problems import UserError, count_of
from karat.search.records import Floats, Role

TEXTS_AT_ONCE = 4096
ROUNDING = 1e-5
"""A row this near to length one is left as it is, so that a second pass changes nothing."""


def sendable(text: str) -> str:
    """The text as tokenizers and JSON take it: half a surrogate pair, which no encoding can hold, becomes ``?``."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def unit_rows(rows: Floats) -> Floats:
    """Each row at length one; a row of zeros stays one, and is equally far from everything."""
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
    off = (np.abs(norms - 1.0) > ROUNDING) & (norms > 0)
    if not off.any():
        return rows
    scaled: Floats = rows.copy()
    scaled[off] = (rows[off] / norms[off, None]).astype(np.float32)
    return scaled


def checked_rows(given: object, texts: Sequence[str], model: str, dimensions: int | None = None) -> Floats:
    """What a model returned for these texts, as unit rows. UserError for a wrong count, a wrong length, or no number in
    a vector."""
    try:
        with np.errstate(over="ignore"):  # what is too large becomes infinite, and is reported below
            rows = np.asarray(given, dtype=np.float32)
    except (TypeError, ValueError):
        raise UserError(
            f'the model "{model}" gave no vectors of one length',
            hint="It must return a list with one vector, a list of numbers, for each text.",
        ) from None
    if rows.ndim != 2 or len(rows) != len(texts):
        got = count_of(len(rows), "vector") if rows.ndim == 2 else f"an array of shape {rows.shape}"
        raise UserError(
            f'the model "{model}" gave {got} for {count_of(len(texts), "text")}',
            hint="It must return one vector, a list of numbers, for each text, in the order of the texts.",
        )
    if dimensions is not None and rows.shape[1] != dimensions:
        raise UserError(
            f'the model "{model}" gave vectors of length {rows.shape[1]}, where earlier ones have {dimensions}',
            hint="The model has changed: give it another name or revision, or delete its cached vectors.",
        )
    if not rows.shape[1]:
        raise UserError(f'the model "{model}" gave vectors of length 0')
    finite = np.isfinite(rows).all(axis=1)
    if not finite.all():
        first = texts[int(np.argmin(finite))]
        raise UserError(
            f'the model "{model}" gave a vector with NaN or an infinite number for "{_short(first)}"'
            + (f", and {count_of(int((~finite).sum()) - 1, 'more')}" if (~finite).sum() > 1 else ""),
            hint="Such a vector has no distance to anything. Nothing of this batch was kept.",
        )
    return unit_rows(rows)


@dataclass(frozen=True)
class CheckedEmbedding:
    """Another package's ``embed``, whose rows are checked and brought to length one."""

    name: str
    embed: Callable[[Sequence[str], Role], object]

    def __call__(self, texts: Sequence[str], role: Role) -> Floats:
        return checked_rows(self.embed(texts, role), texts, self.name)


def _short(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return f"{line[:most]}…" if len(line) > most else line
