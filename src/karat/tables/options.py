"""What may count as equal when two tables are compared."""

from __future__ import annotations

from typing import Literal

import msgspec

NORMALISATIONS = (
    "date_format",
    "separators",
    "percent",
    "currency",
    "negative",
    "boolean",
    "rounding",
    "null_word",
    "leading_zeros",
    "case_or_space",
    "no_header",
)
"""Every difference in writing that can be forgiven, each with a switch of the same name in :class:`Normalise`."""


class Normalise(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The differences in writing that are forgiven. A pass that needed one says so."""

    date_format: bool = True
    """``2020-01-01``, ``2020-01-01 00:00:00`` and ``2020-01-01T00:00:00Z`` are one moment."""
    separators: bool = True
    """``1,234``, ``1 234``, ``1'234`` and ``1234`` are one number."""
    percent: bool = True
    """``12.5%`` and ``12.5 percent`` are 0.125, or 12.5 beside numbers above 1 without signs."""
    currency: bool = True
    """``$5``, ``5 EUR`` and ``5`` are one number."""
    negative: bool = True
    """``minus 5``, ``(5)`` and ``-5`` with U+2212 are one number."""
    boolean: bool = True
    """``true`` is 1, ``False`` is 0."""
    rounding: bool = True
    """The more precise number, rounded to the decimals the other one shows, may give the other, if that shows two
    significant digits at least: ``0.12`` for ``0.1234``, not ``0.0`` for ``0.0049``."""
    null_word: bool = True
    """``NULL``, ``NaN``, ``None`` and the like are nulls."""
    leading_zeros: bool = True
    """``00501`` is the integer 501, exactly; two texts with leading zeros are compared as texts."""
    case_or_space: bool = False
    """Texts that differ only in case, width or white space are equal."""
    no_header: bool = True
    """A file without a header line is read without one, where gold has exactly one row more and then all rows agree."""


WholeNumbers = Literal["exact", "tolerance"]
"""How two whole numbers compare: they must be the same, or may differ as others do."""


class CompareOptions(Normalise, frozen=True, forbid_unknown_fields=True):
    """The switches, and the tolerances: two numbers are close when they differ by no more than ``rel_tol`` of the
    larger one, or by ``abs_tol``. :mod:`karat.tables.values.numbers` has the whole rule.
    """

    rel_tol: float = 1e-4
    abs_tol: float = 1e-9
    allow_shape: bool = False
    """One wide row and the same values as a long table are equal."""
    whole_numbers: WholeNumbers = "exact"
    nested: bool = False
    """A cell that is a JSON list or mapping is compared part by part."""

    @property
    def exact_whole(self) -> bool:
        return self.whole_numbers == "exact"

    def switched(self, names: dict[str, bool]) -> CompareOptions:
        """The same options with these normalisations on or off."""
        return msgspec.structs.replace(self, **names)
