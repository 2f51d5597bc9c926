"""A CSV file of gold or of a submission: read once, in the cheapest form that is asked for."""

from __future__ import annotations

import warnings
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.files.kinds import LFS, foreign_kind
from karat.suites.answers.spider2.columns import Columns, Nulls
from karat.suites.answers.spider2.failures import UnreadableGold, UnreadablePrediction, check_size, unreadable
from karat.suites.answers.spider2.same_lines import width_of_same
from karat.suites.answers.spider2.texts import SMALL, TextTable, read_texts

if TYPE_CHECKING:
    import pandas


class CsvFile:
    """Reading fails with the exception that says whose file it is."""

    def __init__(
        self, path: str, failure: type[UnreadableGold] | type[UnreadablePrediction], *, whole: bool = False
    ) -> None:
        """``whole``: types are inferred from whole columns, else piece by piece, so that a long column may hold 1 and
        "1"."""
        self.path = path
        self._whole = whole
        self._failure = failure
        self._columns: dict[Nulls, Columns] = {}

    def _refuse_what_cannot_be_read(self) -> int:
        """The size in bytes of a plain file that is not too large."""
        try:
            return check_size(self.path)
        except (OSError, ValueError) as problem:
            raise self._failure(unreadable(self.path, problem)) from problem

    @cached_property
    def data(self) -> bytes | None:
        """The bytes of a small file; None for a larger one."""
        if self._refuse_what_cannot_be_read() > SMALL:
            return None
        try:
            return Path(self.path).read_bytes()
        except OSError as problem:
            raise self._failure(unreadable(self.path, problem)) from problem

    @property
    def is_pointer(self) -> bool:
        """Whether only the Git LFS pointer of the file is there."""
        return self.data is not None and foreign_kind(self.data) is LFS

    @cached_property
    def texts(self) -> TextTable | None:
        """Its columns of texts, when it is small and nothing in it is unusual."""
        return None if self.data is None else read_texts(self.data)

    @cached_property
    def frame(self) -> pandas.DataFrame:
        """The file as pandas takes it, types inferred."""
        import pandas

        self._refuse_what_cannot_be_read()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # about columns of mixed types, which are compared as they are
                return pandas.read_csv(Path(self.path), compression=None, low_memory=not self._whole)
        except Exception as problem:
            raise self._failure(unreadable(self.path, problem)) from problem

    def width_of_same(self, gold: CsvFile, *, ignore_order: bool) -> int | None:
        """How many columns this file and a large gold file have, where both are known by their lines to hold the same
        values."""
        if gold.data is not None:
            return None
        try:
            check_size(self.path)
        except (OSError, ValueError):
            return None
        return width_of_same(gold.path, self.path, in_order=not (ignore_order and self._whole))

    def columns(self, nulls: Nulls) -> Columns:
        if nulls not in self._columns:
            self._columns[nulls] = Columns(self.frame, nulls)
        return self._columns[nulls]
