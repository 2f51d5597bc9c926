"""What the texts of a large column mean: for each row a key and a number, made only when they are asked for.

A number has the key 0 and a null the key 1; any other cell has the number 0 and a key of its own. A column of nothing
but plain numbers is read at once. Of any other column each different text is read once, by the rules for small tables.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from karat.tables.options import CompareOptions
from karat.tables.values.cells import WORDS, Cell, as_shown, parse
from karat.tables.values.number_texts import LETTERS_FIRST
from karat.tables.values.numbers import VAST

if TYPE_CHECKING:
    import polars

    from karat.tables.arrays import Array

_NUMBER, _NULL = 0, 1
_FIRST = 100
_WORDS = "|".join(sorted(word for word in WORDS if word[0].isalpha()))
_MOST_READ = 50_000
_SAMPLE = 4_000
_MAY_BE_MORE = rf"(?i)^(?:[^a-z]|{LETTERS_FIRST}|(?:{_WORDS})\W*$)"
"""What a text begins with that may mean something else than itself, as ``US$5`` does. All others need no reading."""


def meaning_of(texts: polars.Series, options: CompareOptions, seed: int, *, shown: bool) -> PlainNumbers | Meanings:
    """The column read; ``shown``: percentages on the scale they are shown in."""
    numbers = _plain_numbers(texts)
    return Meanings(texts, options, seed, shown=shown) if numbers is None else PlainNumbers(texts, numbers)


def one_meaning_each(texts: polars.Series, options: CompareOptions) -> bool:
    """Whether it is certain that no two different texts are equal, so that the texts tell the rows apart as well as
    what they mean does. Numbers never are that: they have a tolerance."""
    ascii_only = texts.str.len_bytes().sum() == texts.str.len_chars().sum()
    if options.case_or_space or not ascii_only:
        return False
    more = texts.filter(texts.str.contains(_MAY_BE_MORE))
    first = more.head(_SAMPLE)
    if first.n_unique() > _SAMPLE // 2:
        return False
    different = more.unique().to_list() if len(more) else []
    if len(different) > _MOST_READ:
        return False
    cells = [parse(text, options) for text in different]
    if any(cell.numeric or cell.parts or cell.kind == "null" for cell in cells):
        return False
    return len({(cell.kind, cell.key) for cell in cells}) == len(cells)


def _plain_numbers(texts: polars.Series) -> polars.Series | None:
    """The numbers, if every text is a plain one, and none is a code with leading zeros. Most others show it early."""
    import polars

    for part in (texts.head(_FIRST), texts):
        numbers = part.cast(polars.Float64, strict=False)
        if numbers.null_count() != part.null_count() or not numbers.is_finite().all():
            return None
    zeros = texts.str.starts_with("0")
    if zeros.any():  # a code is a whole number, which most that begin with 0 are not
        coded = texts.filter(zeros & (numbers == numbers.floor())).str.contains("^0[0-9]+$")
        return None if coded.any() else numbers
    return numbers


class PlainNumbers:
    """Plain numbers and nulls."""

    percent = False
    codes: Array | None = None
    money: Array | None = None

    def __init__(self, texts: polars.Series, numbers: polars.Series) -> None:
        nulls = texts.null_count()
        self.texts = texts
        self.numbers: Array = (numbers.fill_null(0.0) if nulls else numbers).to_numpy()
        self.others = (nulls, nulls * _NULL)
        """How many rows have no number, and the sum of their keys."""

    @property
    def only_numbers(self) -> bool:
        return self.others[0] == 0

    @cached_property
    def keys(self) -> Array:
        import polars

        return self.texts.is_null().cast(polars.UInt64).to_numpy()

    @cached_property
    def sorted_numbers(self) -> Array:
        """The numbers of all rows that have one."""
        import numpy

        return numpy.sort(self.numbers if self.only_numbers else self.numbers[self.keys == _NUMBER])

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number; 0 where there are none."""
        numbers = self.numbers if self.only_numbers else self.numbers[self.keys == _NUMBER]
        return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)

    @cached_property
    def decimals(self) -> Array:
        """How many decimals each number shows."""
        return _decimals(self.texts)

    def decimals_at(self, rows: Array) -> Array:
        """The same for these rows, of which there are often few."""
        few = len(rows) * 4 < len(self.texts) and "decimals" not in self.__dict__
        return _decimals(self.texts.gather(rows)) if few else self.decimals[rows]

    @property
    def least_decimals(self) -> int:
        return int((self.decimals if self.only_numbers else self.decimals[self.keys == _NUMBER]).min())

    @cached_property
    def wholes(self) -> Array:
        """Which rows hold a whole number: see :func:`karat.tables.values.numbers.whole_number`. Nulls do not."""
        import numpy

        whole: Array = self.numbers == numpy.floor(self.numbers)
        if not self.only_numbers:
            whole &= self.keys == _NUMBER
        places = numpy.flatnonzero(whole)
        texts = self.texts if len(places) == len(whole) else self.texts.gather(places)
        whole[places] &= ~texts.str.contains("[eE]").to_numpy()
        vast = places[numpy.abs(self.numbers[places]) >= VAST]
        if len(vast):
            whole[vast] &= ~self.texts.gather(vast).str.contains(r"\.[0-9]*[1-9]").to_numpy()
        return whole

    @cached_property
    def some_whole(self) -> bool:
        return bool(self.wholes.any())

    @property
    def all_whole(self) -> bool:
        """Whether there are numbers, and all are whole."""
        numbers = len(self.texts) - self.others[0]
        return numbers > 0 and int(self.wholes.sum()) == numbers


def _decimals(texts: polars.Series) -> Array:
    import polars

    point = texts.str.find(".", literal=True).cast(polars.Int64)
    shown = (texts.str.len_bytes().cast(polars.Int64) - point - 1).fill_null(0)
    powers = texts.str.contains("[eE]").fill_null(False)
    if not powers.any():
        return shown.to_numpy()
    digits = texts.str.extract(r"\.([0-9]*)").str.len_bytes().fill_null(0).cast(polars.Int64)
    power = texts.str.extract(r"[eE]([+-]?[0-9]+)$").cast(polars.Int64, strict=False).fill_null(0)
    return shown.zip_with(~powers, (digits - power).clip(lower_bound=-300)).to_numpy()


class Meanings:
    """Anything else: the different texts, how often each comes, and what each means."""

    only_numbers = False

    def __init__(self, texts: polars.Series, options: CompareOptions, seed: int, *, shown: bool) -> None:
        import numpy
        import polars

        self.texts = texts
        counted = texts.alias("text").value_counts(name="count")
        self._different = counted["text"]
        self._counts = counted["count"].cast(polars.UInt64).to_numpy()
        self._keys = _composed(self._different).hash(seed).to_numpy().copy()
        self._numbers = numpy.zeros(len(counted))
        self._decimals = numpy.zeros(len(counted), dtype=numpy.int64)
        self._codes = numpy.zeros(len(counted), dtype=bool)
        self._wholes = numpy.zeros(len(counted), dtype=bool)
        self._money = numpy.zeros(len(counted), dtype=numpy.int64)
        self.percent = self._read(options, seed, shown)

    def _read(self, options: CompareOptions, seed: int, shown: bool) -> bool:
        """Reads the texts that may mean more than themselves. Whether every number among them has a percent sign."""
        import numpy
        import polars

        if options.case_or_space:
            places = numpy.arange(len(self._different))
        else:
            places = self._different.str.contains(_MAY_BE_MORE).fill_null(True).arg_true().to_numpy()
        cells = [parse(text, options) for text in self._different.gather(places).to_list()]
        if shown:
            cells = [as_shown(cell) for cell in cells]
        # Texts are hashed as they are, as those that were not read have been, and moments so that they equal no text.
        keys = polars.Series([_key(cell) for cell in cells], dtype=polars.String)
        hashes, moments = keys.hash(seed).to_numpy(), keys.hash(seed + 1).to_numpy()
        kinds = numpy.array([_kind(cell) for cell in cells], dtype=numpy.int64)
        fixed = numpy.where(kinds == 1, numpy.uint64(_NULL), numpy.uint64(_NUMBER))
        self._keys[places] = numpy.where(kinds >= 3, hashes, numpy.where(kinds == 2, moments, fixed))
        self._numbers[places] = [cell.number for cell in cells]
        self._decimals[places] = [cell.decimals for cell in cells]
        self._codes[places] = [cell.kind == "code" for cell in cells]
        self._wholes[places] = [cell.kind == "number" and cell.whole is not None for cell in cells]
        self._money[places] = [cell.money for cell in cells]
        numeric = [cell for cell in cells if cell.numeric]
        return bool(numeric) and all(cell.percent for cell in numeric)

    @cached_property
    def others(self) -> tuple[int, int]:
        """How many rows have no number, and the sum of their keys."""
        other = self._keys != _NUMBER
        counts, keys = self._counts[other], self._keys[other]
        return int(counts.sum()), int((counts * keys).sum(dtype="uint64"))

    @cached_property
    def sorted_numbers(self) -> Array:
        """The numbers of all rows that have one."""
        import numpy

        numeric = self._keys == _NUMBER
        return numpy.sort(numpy.repeat(self._numbers[numeric], self._counts[numeric].astype(numpy.int64)))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest number; 0 where there are none."""
        numbers = self._numbers[self._keys == _NUMBER]
        return (float(numbers.min()), float(numbers.max())) if len(numbers) else (0.0, 0.0)

    def decimals_at(self, rows: Array) -> Array:
        """How many decimals the numbers in these rows show."""
        return self.decimals[rows]

    @property
    def least_decimals(self) -> int:
        return int(self._decimals[self._keys == _NUMBER].min())

    @property
    def some_whole(self) -> bool:
        return bool(self._wholes.any())

    @property
    def all_whole(self) -> bool:
        """Whether there are numbers that are no codes, and all of these are whole."""
        meant = (self._keys == _NUMBER) & ~self._codes
        return bool(meant.any()) and bool(self._wholes[meant].all())

    @cached_property
    def _places(self) -> Array:
        """For each row the place of its text among the different ones."""
        import polars

        places = polars.DataFrame({"text": self._different}).with_row_index("place")
        rows = polars.DataFrame({"text": self.texts})
        return rows.join(places, on="text", how="left", nulls_equal=True, maintain_order="left")["place"].to_numpy()

    @cached_property
    def keys(self) -> Array:
        return self._keys[self._places]

    @cached_property
    def numbers(self) -> Array:
        return self._numbers[self._places]

    @cached_property
    def decimals(self) -> Array:
        return self._decimals[self._places]

    @cached_property
    def wholes(self) -> Array:
        """Which rows hold a whole number that is no code."""
        return self._wholes[self._places]

    @cached_property
    def codes(self) -> Array | None:
        """Which rows hold digits with leading zeros, compared exactly; None when no row does."""
        return self._codes[self._places] if self._codes.any() else None

    @cached_property
    def money(self) -> Array | None:
        """The currencies that the number of each row may be an amount of, as bits; None when no row says one."""
        return self._money[self._places] if self._money.any() else None


def _composed(texts: polars.Series) -> polars.Series:
    """The texts in NFC: see :func:`karat.tables.values.cells.composed`."""
    if texts.str.len_bytes().sum() == texts.str.len_chars().sum():
        return texts
    return texts.str.normalize("NFC")


def _key(cell: Cell) -> str:
    """What is compared exactly of a cell that is no number. A nested cell has too many numbers for the one of its
    row."""
    if cell.kind != "nested":
        return cell.key
    numbers = [repr(part.number if part.whole is None else part.whole) for part in cell.parts if part.numeric]
    return f"{cell.key} {numbers}"


def _kind(cell: Cell) -> int:
    return 0 if cell.numeric else ("null", "moment", "text", "nested").index(cell.kind) + 1
