"""The columns of a pandas frame as they are compared: numbers as arrays, texts as Arrow arrays, anything else cell by
cell.

A column's values depend on its frame: where all columns are numbers and one is float, all compare as floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal  # Any: the cells of a column of pandas, whatever its type

import numpy as np
from numpy.typing import NDArray

from karat.suites.answers.spider2.cells import ABSOLUTE, RELATIVE, in_order, near, nulls_as_zero, same_cell
from karat.suites.answers.spider2.text_order import Floats, by_text

if TYPE_CHECKING:
    import pandas

Nulls = Literal["equal", "zero"]


class Numbers:
    """Integers, floats or booleans. NaN is null."""

    def __init__(self, values: NDArray[Any], nulls: Nulls) -> None:
        self.values = np.nan_to_num(values, nan=0.0, posinf=np.inf, neginf=-np.inf) if nulls == "zero" else values

    def cells(self) -> list[Any]:
        cells: list[Any] = self.values.tolist()
        return cells

    @cached_property
    def floats(self) -> Floats:
        return self.values.astype(np.float64, copy=False)

    @cached_property
    def ordered(self) -> Floats:
        return by_text(self.values)

    @cached_property
    def sorted_bits(self) -> NDArray[Any]:
        """The values by their bits, in any fixed order: much quicker than the order of texts. 0.0 and -0.0 stay
        apart."""
        bits = self.values.view(f"i{self.values.itemsize}") if self.values.dtype.kind == "f" else self.values
        return np.sort(bits)

    @cached_property
    def totals(self) -> tuple[int, float, float]:
        """How many nulls, the sum of the others, and a bound for the sum of their sizes."""
        present = self.floats
        if self.values.dtype.kind == "f":
            nulls = np.isnan(present)
            present = present[~nulls] if nulls.any() else present
        if not present.size:
            return len(self.floats), 0.0, 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            largest = max(abs(float(present.min())), abs(float(present.max())))
            return len(self.floats) - len(present), float(present.sum()), largest * len(present)

    def equals(self, other: Numbers, ignore_order: bool) -> bool:
        if not ignore_order:
            return near(self.floats, other.floats)
        if not self._may_equal(other):
            return False
        if self.values.dtype == other.values.dtype and np.array_equal(self.sorted_bits, other.sorted_bits):
            return True  # the same values come in the same order of texts
        return near(self.ordered, other.ordered)

    def _may_equal(self, other: Numbers) -> bool:
        """Cheap: pairs within tolerance cannot have sums further apart than all tolerances together (doubled, for
        rounding)."""
        (nulls, total, size), (other_nulls, other_total, other_size) = self.totals, other.totals
        apart = abs(total - other_total)
        allowed = 2 * (ABSOLUTE * len(self.floats) + RELATIVE * (size + other_size))
        return nulls == other_nulls and not apart > allowed


class Texts:
    """Texts and nulls, one text at least. Only the same texts are equal, so that order aside the multisets decide."""

    def __init__(self, series: pandas.Series[Any], nulls: Nulls) -> None:
        self._series = series
        self._nulls = nulls

    def cells(self) -> list[Any]:
        cells = self._series.astype(object).tolist()
        return nulls_as_zero(cells) if self._nulls == "zero" else cells

    @cached_property
    def array(self) -> Any:
        import pyarrow

        made = pyarrow.array(self._series, type=pyarrow.large_string(), from_pandas=True)
        return made if isinstance(made, pyarrow.ChunkedArray) else pyarrow.chunked_array([made])

    @cached_property
    def bytes(self) -> int:
        import pyarrow.compute

        total: int = pyarrow.compute.sum(pyarrow.compute.binary_length(self.array)).as_py()
        return total

    @cached_property
    def counted(self) -> tuple[Any, NDArray[np.intp]]:
        """The different texts (null among them), and how often each comes."""
        different = self.array.unique()
        return different, self._counts(different)

    def _counts(self, different: Any) -> NDArray[np.intp]:
        """How often each of these texts comes; those that are not among them count in the last place."""
        import pyarrow.compute

        places = pyarrow.compute.index_in(self.array, value_set=different).fill_null(len(different))
        return np.bincount(places.to_numpy(), minlength=len(different) + 1)

    def equals(self, other: Texts, ignore_order: bool) -> bool:
        if self.bytes != other.bytes or self.array.null_count != other.array.null_count:
            return False
        if self.array.equals(other.array):
            return True
        if not ignore_order:
            return False
        different, counts = self.counted
        return bool(np.array_equal(counts, other._counts(different)))


class Cells:
    """Anything else: texts among numbers, booleans among nulls, dates, nothing at all."""

    def __init__(self, cells: Sequence[Any], nulls: Nulls) -> None:
        self._cells = nulls_as_zero(cells) if nulls == "zero" else list(cells)

    def cells(self) -> list[Any]:
        return self._cells


Column = Numbers | Texts | Cells


class Columns:
    """The columns of a frame, each made when it is asked for."""

    def __init__(self, frame: pandas.DataFrame, nulls: Nulls) -> None:
        self._frame = frame
        self._nulls = nulls
        self._made: dict[int, Column] = {}
        self._ordered: dict[int, list[Any]] = {}
        self.rows = len(frame)

    def __len__(self) -> int:
        return self._frame.shape[1]

    def __getitem__(self, position: int) -> Column:
        if position not in self._made:
            self._made[position] = self._make(position)
        return self._made[position]

    def name(self, position: int) -> str:
        return str(self._frame.columns[position])

    def cells(self, position: int, ignore_order: bool) -> list[Any]:
        """A column cell by cell, sorted when order does not count."""
        if not ignore_order:
            return self[position].cells()
        if position not in self._ordered:
            self._ordered[position] = in_order(self[position].cells())
        return self._ordered[position]

    def _make(self, position: int) -> Column:
        import pandas

        if self._turned is not None:
            return Cells(self._turned[position], self._nulls)
        series = self._frame.iloc[:, position]
        if _is_number(series.dtype):
            values = series.to_numpy()
            return Numbers(values if self._common is None else values.astype(self._common), self._nulls)
        if pandas.api.types.infer_dtype(series, skipna=True) == "string" and not series.isna().all():
            return Texts(series, self._nulls)
        return Cells(series.astype(object).tolist(), self._nulls)

    @cached_property
    def _common(self) -> np.dtype[Any] | None:
        """The one type of numbers that all columns share when they are compared; None: each keeps its own."""
        types = list(self._frame.dtypes)
        return np.result_type(*types) if all(_is_number(type_) and type_.kind != "b" for type_ in types) else None

    @cached_property
    def _turned(self) -> list[list[Any]] | None:
        """All columns as pandas gives them for a turned frame, where there are types that CSV files do not have
        (dates)."""
        if all(_is_number(type_) or str(type_) in ("object", "str", "string") for type_ in self._frame.dtypes):
            return None
        turned: list[list[Any]] = self._frame.transpose().values.tolist()
        return turned


def _is_number(type_: Any) -> bool:
    """Integers, floats and booleans of NumPy; pandas' own kinds have a null of their own."""
    return isinstance(type_, np.dtype) and type_.kind in "biuf"


def columns_equal(gold: Columns, wanted: int, found: Columns, other: int, *, ignore_order: bool) -> bool:
    """Whether a gold column equals a column of the answer. Cells that cannot be compared (lists) are not equal, and no
    more than that."""
    if gold.rows != found.rows:
        return False
    try:
        return _equal(gold, wanted, found, other, ignore_order=ignore_order)
    except (TypeError, ValueError, ArithmeticError):
        return False


def _equal(gold: Columns, wanted: int, found: Columns, other: int, *, ignore_order: bool) -> bool:
    one, two = gold[wanted], found[other]
    if isinstance(one, Numbers) and isinstance(two, Numbers):
        return one.equals(two, ignore_order)
    if isinstance(one, Texts) and isinstance(two, Texts):
        return one.equals(two, ignore_order)
    if not isinstance(one, Cells) and not isinstance(two, Cells):
        return False  # a text never equals a number, and there is one
    return all(map(same_cell, gold.cells(wanted, ignore_order), found.cells(other, ignore_order)))
