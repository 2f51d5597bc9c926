"""What a formula may reach outside its sheet: files, models, token counts, and the choice of n and model.

Everything is asked for once: a file is read once, a model loaded once, a field's distinct values made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import UserError
from karat.sheet.compute.input_files import find_input, read_table
from karat.sheet.values import Array, TableValue, Wrong, present, text

if TYPE_CHECKING:
    from karat.search.choose.choice import Choice
    from karat.search.chunks.chunk import Document
    from karat.search.models.vectors import VectorCache
    from karat.search.records import FieldRanks, Model
    from karat.sheet.evaluation_table import EvaluationTable


@dataclass(frozen=True)
class Settings:
    """What evaluating a sheet depends on beside the sheet."""

    budget_tokens: int = 2000
    max_n: int | None = None
    models: tuple[str, ...] = ("bm25", "wordllama")
    """Those that EVALUATE_N and EVALUATE_MODEL choose from."""
    default_model: str = ""
    """For RETRIEVE and RECALL without a model; empty: the package's default."""
    vectors: Path | None = None
    """The folder where vectors are kept from one run to the next; None: they are not."""
    encoding: str = "o200k_base"
    passes: str = "all"
    """When a question passes: ``all`` of its truths are found, ``any``, or a share of them."""
    required: tuple[str, ...] = ()
    """Fields that the choice may not leave out, such as ``T[f]``."""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """Evaluation table → the choice that was already made for it."""


@dataclass
class Resources:
    """Files, models and settings of one evaluation, each loaded once."""

    folder: Path
    settings: Settings = field(default_factory=Settings)
    _files: dict[tuple[str, str], TableValue] = field(default_factory=dict)
    _documents: dict[str, list[Document]] = field(default_factory=dict)
    _models: dict[str, Model] = field(default_factory=dict)
    _values: dict[int, tuple[Array, tuple[str, ...]]] = field(default_factory=dict)
    _cache: VectorCache | None = None

    def read(self, name: str, table: str) -> TableValue:
        """The table in a file of the sheet's folder."""
        if (name, table) not in self._files:
            self._files[name, table] = read_table(find_input(self.folder, name), table)
        return self._files[name, table]

    def documents(self, pattern: str) -> list[Document]:
        """The files of the sheet's folder that a pattern names."""
        from karat.sheet.compute.chunk_files import find_documents

        if pattern not in self._documents:
            self._documents[pattern] = find_documents(self.folder, pattern)
        return self._documents[pattern]

    def chunks(
        self, pattern: str, sizes: Sequence[int], overlaps: Sequence[int], cover: Fraction, encoding: str
    ) -> TableValue:
        """The chunks of the files of the sheet's folder that a pattern names."""
        from karat.sheet.compute.chunk_files import cut_documents

        return cut_documents(self.documents(pattern), sizes, overlaps, cover, encoding or self.settings.encoding)

    def model(self, name: str) -> Model:
        """The model or ranker of this name; the default one for no name. A name given only in the sheet may not run
        code."""
        from karat.search.models import DEFAULT_MODEL
        from karat.search.rankers.load import load_ranker, names_of

        name = name or self.settings.default_model or DEFAULT_MODEL
        if name not in self._models:
            try:
                trusted = names_of((*self.settings.models, self.settings.default_model))
                self._models[name] = load_ranker(name, trusted=trusted)
            except UserError as error:
                raise wrong_from(error) from None
        return self._models[name]

    @property
    def cache(self) -> VectorCache | None:
        if self._cache is None and self.settings.vectors is not None:
            from karat.search.models.vectors import VectorCache

            self._cache = VectorCache(self.settings.vectors)
        return self._cache

    def best(self, model: str, questions: Sequence[str], data: Array, n: int) -> list[list[tuple[str, float]]]:
        """For each question the n best distinct values of the data, with their scores."""
        from karat.search.chunks.rank import chosen_chunks
        from karat.search.ranks.ranking import best

        values: Sequence[str] = self.distinct(data)
        if not values or not n:
            return [[] for _ in questions]
        try:
            name, values = chosen_chunks(model, values)
            texts = [str(value) for value in values]
            ids, scores = best(self.model(name), questions, texts, min(n, len(values)), cache=self.cache)
        except UserError as error:
            raise wrong_from(error) from None
        return [
            [(values[at], score) for at, score in zip(row, row_scores, strict=True)]
            for row, row_scores in zip(ids.tolist(), scores.tolist(), strict=True)
        ]

    def distinct(self, data: Array) -> tuple[str, ...]:
        """The distinct values of a column as texts, in their order."""
        if id(data) not in self._values:
            found = dict.fromkeys(text(item, "the field to search") for item in present(data.items))
            self._values[id(data)] = (data, tuple(value for value in found if value))
        return self._values[id(data)][1]

    def tokens(self, texts: Sequence[str], encoding: str) -> list[int]:
        """The number of tokens of each text."""
        from karat.search.tokens import count_tokens

        try:
            return [int(count) for count in count_tokens(texts, encoding or self.settings.encoding)]
        except UserError as error:
            raise wrong_from(error) from None

    def choose(self, evaluation: EvaluationTable) -> Choice:
        """The best n and model for each field of an evaluation table, for all of them together."""
        from karat.search.choose.choice import choose
        from karat.search.choose.infeasible import ranked_deep_enough
        from karat.search.choose.limits import Limits, deepest
        from karat.search.choose.tune import check_fields
        from karat.search.rankers.load import load_rankers
        from karat.search.ranks.ranking import rank_field

        settings = self.settings
        if evaluation.name in settings.choices:
            return settings.choices[evaluation.name]
        limits = Limits(settings.budget_tokens, settings.max_n, settings.passes, settings.required)
        try:
            models = load_rankers(settings.models)
            self._models.update((model.name, model) for model in models)
            check_fields(evaluation.questions, evaluation.fields, models)

            def rank(depth: int) -> list[FieldRanks]:
                return [
                    rank_field(
                        one.field,
                        one.values,
                        evaluation.questions,
                        one.truths,
                        models,
                        depth=max(1, min(depth, len(one.values)), deepest(limits, one.values)),
                        encoding=settings.encoding,
                        cache=self.cache,
                    )
                    for one in evaluation.fields
                ]

            return ranked_deep_enough(rank, lambda ranks: choose(ranks, limits))
        except UserError as error:
            raise wrong_from(error) from None


def wrong_from(error: UserError) -> Wrong:
    """A user's mistake found further down, as one of the cell that asked."""
    return Wrong(error.message, error.hint)


def read_bound(tables: Mapping[str, Path]) -> dict[str, TableValue]:
    """The tables bound to files on the command line: ``NAME=FILE``, or ``NAME=FILE.duckdb::TABLE``."""
    found: dict[str, TableValue] = {}
    for name, path in tables.items():
        file, _, table = str(path).partition("::")
        where = Path(file)
        if not where.is_file():
            from karat.sheet.compute.input_files import nearest_file

            raise UserError(f"--table {name}={path}: there is no such file", hint=nearest_file(Path(), file))
        try:
            found[name] = read_table(where, table)
        except Wrong as wrong:
            raise UserError(f"--table {name}={path}: {wrong.message}", hint=wrong.hint) from None
    return found
