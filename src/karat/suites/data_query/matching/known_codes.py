"""The codes that the option ``structures`` gives for scoring. The files are read once, when they are first needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.records import Case
from karat.suites.data_query.options import Options
from karat.suites.data_query.selection.selection import Target, Term

if TYPE_CHECKING:
    from karat.suites.data_query.structures.codelists import Codelists


def codes_at_hand(dataset_id: str, dimension: str, options: Options) -> Mapping[str, str] | None:
    """id → name of every code of a dimension; None where no codelist is at hand."""
    if not options.structures:
        return None
    return structures_of(options).for_dimension(dataset_id, dimension, options.codelists)


def expanded(dataset_id: str, dimension: str, options: Options) -> tuple[Term, ...]:
    """Every term of the codelist behind a dimension; nothing where no codelist is at hand."""
    found = codes_at_hand(dataset_id, dimension, options)
    return tuple(Term(code, name) for code, name in found.items()) if found else ()


def check_options(_cases: Sequence[Case[Target]], options: Options) -> None:
    """UserError where a file under ``structures`` cannot be used."""
    if options.structures:
        structures_of(options)


def structures_of(options: Options) -> Codelists:
    """The structures that the options name."""
    return _codelists(options.structures, options.language)


@lru_cache(maxsize=8)
def _codelists(files: tuple[str, ...], language: str) -> Codelists:
    from karat.suites.data_query.structures.codelists import read_structures

    return read_structures([Path(file) for file in files], language)
