"""One column of a large table, read: for each row a key, a number, and, only where they are needed, decimals."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from karat.tables.cells import LARGEST_SHOWN_WHOLE, as_shown, half_unit, names_needed, parse
from karat.tables.cells import whole as whole_of
from karat.tables.options import CompareOptions

if TYPE_CHECKING:
    import numpy
    import polars

    Array = numpy.ndarray[Any, Any]

_NAMES_LOOKED_AT = 2_000


class LargeColumn:
    """Texts, and what they mean. Two rows are equal when their keys are equal and their numbers are close; a row without a
    number has the number 0, and a number has the key 0 (a code has a key of its own text, and is compared exactly).
    """

    def __init__(
        self, texts: polars.Series, options: CompareOptions, seed: int, *, gold: bool, as_shown: bool = False
    ) -> None:
        self.texts = texts
        self.options = options
        self.seed = seed
        self._gold = gold
        self._as_shown = as_shown

    def shown(self) -> LargeColumn:
        """The same column with its percentages on the scale they are shown in."""
        return LargeColumn(self.texts, self.options, self.seed, gold=self._gold, as_shown=True)

    @cached_property
    def hashes(self) -> Array:
        return self.texts.hash(self.seed).to_numpy()

    @cached_property
    def _sum_of_hashes(self) -> int:
        return int(self.hashes.sum(dtype="uint64"))

    def same_texts(self, other: LargeColumn) -> bool:
        """Whether both hold the same texts equally often."""
        return self._as_shown == other._as_shown and self._sum_of_hashes == other._sum_of_hashes

    @cached_property
    def _read(self) -> tuple[Array, Array, Array | None, bool]:
        """Keys, numbers, decimals where reading gave them, and whether every number has a percent sign."""
        import polars

        plain = self.texts.cast(polars.Float64, strict=False)
        if plain.null_count() == self.texts.null_count() and plain.is_finite().all() and self.codes is None:
            keys = self.texts.is_null().cast(polars.UInt64).to_numpy()
            return keys, plain.fill_null(0.0).to_numpy(), None, False
        return self._read_each()

    def _read_each(self) -> tuple[Array, Array, Array | None, bool]:
        """Every different text is read once, by the rules for small tables."""
        import numpy
        import polars

        different = self.texts.unique()
        cells = [parse(text, self.options) for text in different.to_list()]
        if self._as_shown:
            cells = [as_shown(cell) for cell in cells]
        meanings = polars.DataFrame(
            {
                "text": different,
                "key": [None if cell.kind == "number" else f"{cell.kind}:{cell.key}" for cell in cells],
                "number": [cell.number for cell in cells],
                "decimals": [cell.decimals for cell in cells],
            },
            schema_overrides={"key": polars.String},
        )
        numeric = [cell for cell in cells if cell.numeric]
        percent = bool(numeric) and all(cell.percent for cell in numeric)
        rows = polars.DataFrame({"text": self.texts}).join(
            meanings, on="text", how="left", nulls_equal=True, maintain_order="left"
        )
        # A null's key is 1 here too, so that it equals the null of a column that was read the quick way.
        keys = numpy.where(rows["key"].is_null().to_numpy(), numpy.uint64(0), rows["key"].hash(self.seed).to_numpy())
        keys = numpy.where(rows["key"].eq_missing("null:").to_numpy(), numpy.uint64(1), keys)
        return keys, rows["number"].to_numpy(), rows["decimals"].to_numpy(), percent

    @cached_property
    def codes(self) -> Array | None:
        """Which rows hold digits with leading zeros, compared exactly; None when no row does."""
        import numpy

        possible = self.texts.str.starts_with("0").fill_null(False).arg_true()
        codes = possible.filter(self.texts.gather(possible).str.contains(r"^0[0-9]+$")).to_numpy()
        if not len(codes):
            return None
        found = numpy.zeros(len(self.texts), dtype=bool)
        found[codes] = True
        return found

    @cached_property
    def keys(self) -> Array:
        """What is compared exactly. A code is grouped with the numbers, and told apart when cells are compared."""
        import numpy

        keys = self._read[0]
        if self.codes is None or not self.options.leading_zeros:
            return keys
        return numpy.where(self.codes, numpy.uint64(0), keys)

    @property
    def numbers(self) -> Array:
        return self._read[1]

    @property
    def percent(self) -> bool:
        return self._read[3]

    @cached_property
    def has_numbers(self) -> bool:
        return bool((self.keys == 0).any())

    @cached_property
    def decimals(self) -> Array:
        """How many decimals each number shows."""
        import polars

        known = self._read[2]
        if known is not None:
            return known
        shown = self.texts.str.extract(r"\.([0-9]*)").str.len_chars().fill_null(0).cast(polars.Int64)
        power = self.texts.str.extract(r"[eE]([+-]?[0-9]+)$").cast(polars.Int64, strict=False).fill_null(0)
        return (shown - power).clip(lower_bound=0).to_numpy()

    @cached_property
    def _sorted_numbers(self) -> Array:
        import numpy

        return numpy.sort(self.numbers[self.keys == 0])

    @cached_property
    def exact(self) -> bool:
        """Whether whole numbers are compared exactly: see :func:`karat.tables.cells.as_gold` and ``as_prediction``."""
        import numpy

        numbers = self._sorted_numbers
        if not len(numbers) or not (numbers == numpy.floor(numbers)).all():
            return False
        if self._gold:
            steps, largest = numpy.diff(numbers), numpy.maximum(numpy.abs(numbers[1:]), numpy.abs(numbers[:-1]))
            near = steps <= numpy.maximum(self.options.abs_tol, self.options.rel_tol * largest)
            if not ((steps > 0) & near).any():
                return False
        shown = self.texts.filter((self.keys == 0) & ~self._coded)
        if not shown.str.contains(r"^[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.0*)?$").all():
            return False
        vast = (self.keys == 0) & (numpy.abs(self.numbers) >= LARGEST_SHOWN_WHOLE)
        return not self.texts.filter(vast).str.contains(".", literal=True).any()

    @cached_property
    def scale(self) -> float:
        """What the absolute tolerance is multiplied by: see :func:`karat.tables.cells.as_gold`."""
        if not self._gold or not len(self._sorted_numbers):
            return 1.0
        return min(1.0, max(abs(float(self._sorted_numbers[0])), abs(float(self._sorted_numbers[-1])))) or 1.0

    @property
    def _coded(self) -> Array:
        import numpy

        return numpy.zeros(len(self.texts), dtype=bool) if self.codes is None else self.codes

    def _whole_agree(self, other: LargeColumn, mine: Array | slice, others: Array | slice) -> Array:
        """Whether whole numbers are the same; beyond what a float holds exactly, by their texts. Codes are not meant here."""
        import numpy

        a, b = self.numbers[mine], other.numbers[others]
        meant = (self.keys[mine] == 0) & ~self._coded[mine] & ~other._coded[others]
        same: Array = ~meant | (a == b)
        vast = numpy.flatnonzero(meant & same & (numpy.abs(a) >= 2.0**53))
        if len(vast):
            left = self.texts.gather(numpy.arange(len(self.texts))[mine][vast]).to_list()
            right = other.texts.gather(numpy.arange(len(other.texts))[others][vast]).to_list()
            pairs = zip(left, right, strict=True)
            same[vast] = [whole_of(parse(x, self.options)) == whole_of(parse(y, self.options)) for x, y in pairs]
        return same

    @cached_property
    def _others(self) -> tuple[int, int]:
        others = self.keys[self.keys != 0]
        return len(others), int(others.sum(dtype="uint64"))

    def could_equal(self, other: LargeColumn) -> bool:
        """Whether the cells could be paired, taking the widest tolerance of any pair for all: see the small tables' rule."""
        import numpy

        if self._others != other._others:
            return False
        a, b = self._sorted_numbers, other._sorted_numbers
        if self.exact and other.exact and self.codes is None and other.codes is None:
            return bool((a == b).all())
        difference = numpy.abs(a - b)
        largest = numpy.maximum(numpy.abs(a), numpy.abs(b))
        far = difference > numpy.maximum(
            self.options.abs_tol * min(self.scale, other.scale), self.options.rel_tol * largest
        )
        if not far.any():
            return True
        if not self.options.rounding or (difference[far] > half_unit(2) * (1 + 1e-9) + 4e-16 * largest[far]).any():
            return False
        least = min(int(self.decimals[self.keys == 0].min()), int(other.decimals[other.keys == 0].min()))
        return bool((difference[far] <= half_unit(least) * (1 + 1e-9) + 4e-16 * largest[far]).all())

    def equal_to(self, other: LargeColumn, mine: Array | slice, others: Array | slice) -> Array:
        """Row by row, whether these rows of this column equal those rows of the other."""
        import numpy

        same = self.keys[mine] == other.keys[others]
        a, b = self.numbers[mine], other.numbers[others]
        difference = numpy.abs(a - b)
        largest = numpy.maximum(numpy.abs(a), numpy.abs(b))
        close = difference <= numpy.maximum(
            self.options.abs_tol * min(self.scale, other.scale), self.options.rel_tol * largest
        )
        if self.options.rounding and not close.all():
            far = numpy.flatnonzero(~close & same & (difference <= half_unit(2) * (1 + 1e-9) + 4e-16 * largest))
            if len(far):
                least = numpy.minimum(self.decimals[mine][far], other.decimals[others][far])
                unit = 0.5 * 10.0 ** -numpy.maximum(2, least).astype(float)
                close[far] = difference[far] <= unit * (1 + 1e-9) + 4e-16 * largest[far]
        if self.options.leading_zeros and (self.codes is not None or other.codes is not None):
            close &= self._codes_agree(other, mine, others)
        if self.exact and other.exact:
            close &= self._whole_agree(other, mine, others)
        agreeing: Array = same & close
        return agreeing

    def _codes_agree(self, other: LargeColumn, mine: Array | slice, others: Array | slice) -> Array:
        import numpy

        a, b = self._coded[mine], other._coded[others]
        same_text = self.hashes[mine] == other.hashes[others]
        same_number = self.numbers[mine] == other.numbers[others]
        agreeing: Array = numpy.where(a & b, same_text, numpy.where(a | b, same_number, True))
        return agreeing

    def names_needed(self, other: LargeColumn, rows: Array) -> set[str]:
        """What was forgiven in these pairs of rows, by the rules for small tables, on a sample of the rows that differ in text."""
        import numpy

        differing = numpy.flatnonzero(self.hashes != other.hashes[rows])
        step = max(1, len(differing) // _NAMES_LOOKED_AT)
        chosen = differing[::step]
        mine = self.texts.gather(chosen).to_list()
        others = other.texts.gather(rows[chosen]).to_list()
        names: set[str] = set()
        for a, b in zip(mine, others, strict=True):
            gold, pred = parse(a, self.options), parse(b, self.options)
            if self._as_shown:
                gold, pred = as_shown(gold), as_shown(pred)
            names |= names_needed(gold, pred, self.options)
        return names
