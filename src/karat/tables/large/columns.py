"""One column of a large table beside another: whether they could be the same, and which of their rows are equal."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from karat.tables.large.meaning import Meanings, PlainNumbers, meaning_of, one_meaning_each
from karat.tables.options import CompareOptions
from karat.tables.values.cells import Cell, as_shown, equal, names_needed, parse
from karat.tables.values.numbers import NOISE, SLACK, TWO_DIGITS, VAST, half_unit, may_be_percent, small_scale

if TYPE_CHECKING:
    import polars

    from karat.tables.arrays import Array

_NAMES_LOOKED_AT = 2_000
_SAMPLE = 1_000
_FIRST_ROWS = 20
_PIECE = 32_768
"""Rows compared at a time: their numbers stay in the processor's cache."""
_ALSO_ELSE = frozenset("K;`")
"""The ASCII letters that NFC makes of others too: the kelvin sign is K."""


class LargeColumn:
    """Texts, and what they mean. Two rows are equal when their keys are equal and their numbers are close; a row
    without a number has the number 0, and a number has the key 0 (so has a code; comparing the cells
    separates the two).
    """

    def __init__(
        self, texts: polars.Series, options: CompareOptions, seed: int, *, gold: bool, as_shown: bool = False
    ) -> None:
        self.texts = texts
        self.options = options
        self.seed = seed
        self._gold = gold
        self._as_shown = as_shown

    @cached_property
    def shown(self) -> LargeColumn:
        """The same column with its percentages on the scale they are shown in."""
        return LargeColumn(self.texts, self.options, self.seed, gold=self._gold, as_shown=True)

    @cached_property
    def hashes(self) -> Array:
        return self.texts.hash(self.seed).to_numpy()

    @cached_property
    def sum_of_hashes(self) -> int:
        return int(self.hashes.sum(dtype="uint64"))

    def same_texts(self, other: LargeColumn) -> bool:
        """Whether both hold the same texts equally often."""
        return self._as_shown == other._as_shown and self.sum_of_hashes == other.sum_of_hashes

    @cached_property
    def told_by_text(self) -> bool:
        """Whether no two different texts of this column are equal."""
        return one_meaning_each(self.texts, self.options)

    @cached_property
    def _meaning(self) -> PlainNumbers | Meanings:
        return meaning_of(self.texts, self.options, self.seed, shown=self._as_shown)

    @property
    def keys(self) -> Array:
        """What is compared exactly."""
        return self._meaning.keys

    @property
    def numbers(self) -> Array:
        return self._meaning.numbers

    @property
    def percent(self) -> bool:
        return self._meaning.percent

    @property
    def only_numbers(self) -> bool:
        """Whether all rows are plain numbers, so that all keys are the same."""
        return self._meaning.only_numbers

    @property
    def plain_numbers(self) -> bool:
        """Whether all rows are plain numbers or nulls; seen from the first rows where it is not so."""
        return self._early_word is None and not self._early_moment and isinstance(self._meaning, PlainNumbers)

    @property
    def only_plain_numbers(self) -> bool:
        return self.plain_numbers and self.only_numbers

    @property
    def has_numbers(self) -> bool:
        return self._meaning.others[0] < len(self.texts)

    def may_equal(self, other: LargeColumn) -> bool:
        """Whether two columns could hold the same cells, as far as their first rows tell. For most that differ, nothing
        needs to be read: a plain word of one column must be somewhere in the other.
        """
        words = self._early_word, other._early_word
        if (self._early_moment and other.plain_numbers) or (other._early_moment and self.plain_numbers):
            return False
        return (words[0] is None or other._has(words[0])) and (words[1] is None or self._has(words[1]))

    def _has(self, word: int) -> bool:
        return bool((self.hashes == word).any())

    @cached_property
    def _early_moment(self) -> bool:
        return any(parse(text, self.options).kind == "moment" for text in self.texts.head(_FIRST_ROWS).to_list())

    @cached_property
    def _early_word(self) -> int | None:
        """The hash of the first text that means nothing but itself, if there is one in the first rows."""
        if self.options.case_or_space:
            return None
        for place, text in enumerate(self.texts.head(_FIRST_ROWS).to_list()):
            if (
                text
                and not _ALSO_ELSE.intersection(text)
                and text.isascii()
                and (cell := parse(text, self.options)).kind == "text"
                and cell.key == text
            ):
                return int(self.hashes[place])
        return None

    @property
    def coded(self) -> bool:
        """Whether some rows hold digits with leading zeros."""
        return self._meaning.codes is not None

    @property
    def paid(self) -> bool:
        """Whether some rows say in which currency they are."""
        return self._meaning.money is not None

    @property
    def largest(self) -> float:
        """The largest number without its sign; 0 where there are none."""
        least, most = self._meaning.ends
        return max(abs(least), abs(most))

    @property
    def least_decimals(self) -> int:
        """The fewest decimals that a number of this column shows."""
        return self._meaning.least_decimals

    @cached_property
    def exact(self) -> bool:
        """Whether all numbers that are no codes are whole, so that they are compared exactly with others such."""
        return self.options.exact_whole and self._meaning.all_whole

    @cached_property
    def scale(self) -> float:
        """What the absolute tolerance is multiplied by: see :func:`karat.tables.values.numbers.small_scale`."""
        numbers = self._meaning.sorted_numbers
        return small_scale((float(numbers[0]), float(numbers[-1]))) if self._gold and len(numbers) else 1.0

    def may_be_percent(self) -> bool:
        """Whether the numbers may be meant in percent where the other column has percent signs."""
        import numpy

        sizes = numpy.abs(self._meaning.sorted_numbers)
        above_one, zeros = int((sizes > 1).sum()), int((sizes == 0).sum())
        return may_be_percent(above_one, len(sizes) - zeros - above_one)

    def could_equal(self, other: LargeColumn) -> bool:
        """Whether the cells could be paired, taking the widest tolerance of any pair for all: see the small tables'
        rule."""
        one, two = self._meaning, other._meaning
        if one.others != two.others:
            return False
        import numpy

        if not self._near(other, numpy.array(one.ends), numpy.array(two.ends)):
            return False
        a, b = one.sorted_numbers, two.sorted_numbers
        step = 1 + len(a) // _SAMPLE
        if not self._near(other, a[::step], b[::step]):
            return False
        if self.exact and other.exact and one.codes is None and two.codes is None:
            return bool((a == b).all()) and self._vast_wholes == other._vast_wholes
        return self._near(other, a, b)

    @cached_property
    def _vast_wholes(self) -> list[int]:
        """The whole numbers that a float does not hold, in order."""
        import numpy

        vast = self.texts.gather(numpy.flatnonzero(numpy.abs(self.numbers) >= VAST)).to_list()
        return sorted(cell.whole for cell in map(self._cell, vast) if cell.whole is not None)

    def _cell(self, text: str | None) -> Cell:
        cell = parse(text, self.options)
        return as_shown(cell) if self._as_shown else cell

    def _near(self, other: LargeColumn, a: Array, b: Array) -> bool:
        """Whether all numbers side by side are close, or could be after rounding to the fewest decimals of either
        column."""
        import numpy

        far = self._far(other, a, b)
        if not len(far):
            return True
        if not self.options.rounding:
            return False
        difference = numpy.abs(a[far] - b[far])
        largest = numpy.maximum(numpy.abs(a[far]), numpy.abs(b[far]))
        if (difference > TWO_DIGITS * largest * SLACK + NOISE * largest).any():
            return False
        unit = half_unit(min(self.least_decimals, other.least_decimals))
        return bool((difference <= numpy.minimum(unit, TWO_DIGITS * largest) * SLACK + NOISE * largest).all())

    def _far(self, other: LargeColumn, a: Array, b: Array) -> Array:
        """Where two numbers side by side are further apart than the tolerance."""
        import numpy

        floor = self.options.abs_tol * min(self.scale, other.scale)
        places = [numpy.empty(0, dtype=numpy.int64)]
        for start in range(0, len(a), _PIECE):
            x, y = a[start : start + _PIECE], b[start : start + _PIECE]
            allowed = numpy.maximum(numpy.abs(x), numpy.abs(y))
            allowed *= self.options.rel_tol
            numpy.maximum(allowed, floor, out=allowed)
            difference = x - y
            beyond = numpy.abs(difference, out=difference) > allowed
            if beyond.any():
                places.append(numpy.flatnonzero(beyond) + start)
        return numpy.concatenate(places)

    def equal_to(self, other: LargeColumn, mine: Array | slice, others: Array | slice) -> Array:
        """Row by row, whether these rows of this column equal those rows of the other."""
        import numpy

        a, b = self.numbers[mine], other.numbers[others]
        same: Array
        if self.only_numbers and other.only_numbers:
            same = numpy.ones(len(a), dtype=bool)
        else:
            same = self.keys[mine] == other.keys[others]
        far = self._far(other, a, b)
        if len(far):
            same[far] &= self.options.rounding
            far = far[same[far]]
        if len(far):
            same[far] = self._rounded(other, mine, others, far)
        if self._meaning.codes is not None or other._meaning.codes is not None:
            same &= self._codes_agree(other, mine, others)
        if self._meaning.money is not None and other._meaning.money is not None:
            one, two = self._meaning.money[mine], other._meaning.money[others]
            same &= (one == 0) | (two == 0) | ((one & two) != 0)
        if self.options.exact_whole:
            self._leave_whole(other, mine, others, same)
        return same

    def _rounded(self, other: LargeColumn, mine: Array | slice, others: Array | slice, far: Array) -> Array:
        """Of these rows, in which one number is the other rounded: see
        :func:`karat.tables.values.numbers.why_equal`."""
        import numpy

        a, b = self.numbers[mine][far], other.numbers[others][far]
        difference, largest = numpy.abs(a - b), numpy.maximum(numpy.abs(a), numpy.abs(b))
        found: Array = difference <= TWO_DIGITS * largest * SLACK + NOISE * largest
        if not found.any():  # the decimals are read only where it may depend on them
            return found
        near = numpy.flatnonzero(found)
        a, b, difference, largest = a[near], b[near], difference[near], largest[near]
        one = self._meaning.decimals_at(numpy.arange(len(self.texts))[mine][far][near])
        two = other._meaning.decimals_at(numpy.arange(len(other.texts))[others][far][near])
        least = numpy.minimum(one, two)
        unit = 0.5 * 10.0 ** -numpy.maximum(0, least).astype(float)
        shorter = numpy.abs(numpy.where(one < two, a, b))
        rounded = (one != two) & (difference <= unit * SLACK + NOISE * largest)
        found[near] = rounded & (shorter * SLACK >= 10.0 ** (1 - least).astype(float))
        return found

    def _codes_agree(self, other: LargeColumn, mine: Array | slice, others: Array | slice) -> Array:
        import numpy

        a, b = self._coded[mine], other._coded[others]
        same_text = self.hashes[mine] == other.hashes[others]
        same_number = self.numbers[mine] == other.numbers[others]
        agreeing: Array = numpy.where(a & b, same_text, numpy.where(a | b, same_number, True))
        self._by_cells(other, mine, others, agreeing, (a ^ b) & same_number)
        return agreeing

    def _leave_whole(self, other: LargeColumn, mine: Array | slice, others: Array | slice, same: Array) -> None:
        """Takes out the rows in which two whole numbers are not the same. Codes are not meant here."""
        if not (self._meaning.some_whole and other._meaning.some_whole):
            return
        whole = self._meaning.wholes[mine] & other._meaning.wholes[others]
        same &= ~whole | (self.numbers[mine] == other.numbers[others])
        self._by_cells(other, mine, others, same, same & whole)

    def _by_cells(
        self, other: LargeColumn, mine: Array | slice, others: Array | slice, same: Array, asked: Array
    ) -> None:
        """Decides the asked rows whose numbers are larger than a float holds exactly, by all their digits."""
        import numpy

        vast = numpy.flatnonzero(asked & (numpy.abs(self.numbers[mine]) >= VAST))
        if len(vast):
            left = self.texts.gather(numpy.arange(len(self.texts))[mine][vast]).to_list()
            right = other.texts.gather(numpy.arange(len(other.texts))[others][vast]).to_list()
            pairs = zip(left, right, strict=True)
            same[vast] = [equal(self._cell(x), other._cell(y), self.options) for x, y in pairs]

    @property
    def _coded(self) -> Array:
        import numpy

        codes = self._meaning.codes
        return numpy.zeros(len(self.texts), dtype=bool) if codes is None else codes

    def names_needed(self, other: LargeColumn, rows: Array) -> set[str]:
        """What was forgiven in these pairs of rows, by the rules for small tables, on a sample of the rows that differ
        in text."""
        import numpy

        differing = numpy.flatnonzero(self.hashes != other.hashes[rows])
        step = max(1, len(differing) // _NAMES_LOOKED_AT)
        chosen = differing[::step]
        mine = self.texts.gather(chosen).to_list()
        others = other.texts.gather(rows[chosen]).to_list()
        names: set[str] = set()
        for a, b in zip(mine, others, strict=True):
            names |= names_needed(self._cell(a), other._cell(b), self.options)
        return names
