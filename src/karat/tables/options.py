"""What may count as equal when two tables are compared."""

from __future__ import annotations

import msgspec

NORMALISATIONS = (
    "date_format",
    "separators",
    "boolean",
    "rounding",
    "null_word",
    "leading_zeros",
    "case_or_space",
)
"""Every difference in writing that can be forgiven, each with a switch of the same name in :class:`Normalise`."""


class Normalise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The differences in writing that are forgiven. A pass that needed one says so."""

    date_format: bool = True
    """``2020-01-01``, ``2020-01-01 00:00:00`` and ``2020-01-01T00:00:00Z`` are one moment."""
    separators: bool = True
    """``1,234``, ``$1,234`` and ``1234`` are one number; ``12.5%`` is 0.125, or 12.5 beside a column without signs."""
    boolean: bool = True
    """``true`` is 1, ``False`` is 0."""
    rounding: bool = True
    """The more precise number, rounded to the decimals the other one shows (two at least), may give the other."""
    null_word: bool = True
    """``NULL``, ``NaN``, ``None`` and the like are nulls."""
    leading_zeros: bool = True
    """``00501`` is the integer 501, exactly; two texts with leading zeros are compared as texts."""
    case_or_space: bool = False
    """Texts that differ only in case, width or white space are equal."""


class CompareOptions(Normalise, frozen=True, forbid_unknown_fields=True):
    """The switches, and the tolerances: two numbers are close when they differ by no more than ``rel_tol`` of the larger one, or
    by ``abs_tol``.
    """

    rel_tol: float = 1e-4
    abs_tol: float = 1e-9
    allow_shape: bool = False
    """One wide row and the same values as a long table are equal."""

    def switched(self, names: dict[str, bool]) -> CompareOptions:
        """The same options with these normalisations on or off."""
        return msgspec.structs.replace(self, **names)
