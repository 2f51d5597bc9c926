"""What passes between the parts of the search: a model, what it says of a field's values, and the ranks of the truths.

A question has truths: the values that must be found for it. The rank of a truth is the number of other values that
score at least as much, plus one, so that a tie never helps. From one rank for each truth follows what is found at every
n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

Role = Literal["question", "value"]
"""Some models embed a question and a value differently."""

NOT_A_VALUE = 0
"""The rank of a truth that is not among the values: no n finds it, and its question cannot pass."""
DEEPER = -1
"""The rank of a truth below the depth to which a ranking is known, such as that of a recorded run: it may be found at a
larger n, but not at any n of this ranking."""


@dataclass(frozen=True)
class Model:
    """A way to say how near values are to a question: either vectors (``embed``) or scores of its own (``score``),
    never both.

    The same name and revision always give the same numbers: vectors are cached by them.

    >>> import karat
    >>> from karat.search.models import load_model
    >>> model: karat.Model = load_model("bm25")
    >>> model.name
    'bm25'
    """

    name: str
    revision: str
    embed: Callable[[Sequence[str], Role], Floats] | None = None
    """Texts to rows of length one, so that a product of rows is their cosine."""
    score: Callable[[Sequence[str], Sequence[str]], Floats] | None = None
    """(questions, values) → a row of scores for each question; higher is nearer. The same pair has the same score in
    any company of values only if the model says so; it is asked for all values at once."""
    cost: float = 0.0
    """Only the order counts: between two that are otherwise equal, the smaller is chosen."""
    batch: int = 0
    """How many texts ``embed`` wants in one call; what one call brought is kept when the next one fails. 0: as many as
    there is room for."""


@dataclass(frozen=True)
class ModelRanks:
    """What one pass of one model (or of anything else that ranks values) over a field's values gave."""

    model: str
    """Its name, different from all others of the field."""
    cost: float
    """Only the order counts: between two that are otherwise equal, the smaller is chosen."""
    ranks: tuple[Integers, ...]
    """For each question the rank of each of its truths, in their order; ``NOT_A_VALUE`` where the values lack it,
    ``DEEPER`` where it is not known."""
    tokens: Integers
    """[question, n - 1]: the tokens of that question's n best values, for n up to the depth of the pass."""


@dataclass(frozen=True)
class FieldRanks:
    """A field with the truths of each question, and every model's pass over its values."""

    field: str
    truths: tuple[tuple[str, ...], ...]
    """For each question; empty where the field does not count for it."""
    models: tuple[ModelRanks, ...]
    free: int = 0
    """How many of the values cost nothing: texts of no tokens. Every other one costs 1 at the least."""
