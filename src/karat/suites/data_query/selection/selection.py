"""What is selected: datasets, their dimensions, the terms in each. The shape is the contract's, for target and answer
alike."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from karat.core.json_types import JsonObject
from karat.suites.data_query.formats.operators import meaning


class Term(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A code: its id and its name. Both must be equal for two terms to be the same."""

    id: str
    """The code."""
    name: str = ""
    """Its name."""


class Dimension(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The terms selected in one dimension. The operator ``all`` means every term of its codelist, ``not_in`` all but
    the values."""

    dimension_name: str
    """The dimension's id, such as ``FREQ``."""
    values: tuple[Term, ...] = ()
    """The selected codes."""
    operator: str = "in"
    """``in``, ``not_in``, ``all`` or ``excluded``; on the time dimension, a comparison."""
    is_default: bool = False
    """The system filled this in by itself; the user did not ask for it."""

    @property
    def everything(self) -> bool:
        return self.operator != "in" and meaning(self.operator) == "all"


class Period(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A span of time. An end may be relative, such as ``$TODAY-10Y``."""

    start: str | None = None
    """The first period: ``2015``, ``2015-Q1``, ``2015-01``, a date, or one relative to today."""
    end: str | None = None
    """The last period, which is included."""
    also: tuple[Period, ...] = ()
    """Further spans, if the period has gaps: 2015 and 2017."""


class DatasetSelection(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The part of a selection that lies in one dataset. The same dataset may appear several times."""

    dataset_id: str
    """The dataset, such as ``ECB:EXR``."""
    dimensions: tuple[Dimension, ...] = ()
    """The selected terms of each dimension."""
    period: Period | None = None
    """The period of this entry; it takes precedence over that of the whole selection."""


class DatasetsSelection(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The datasets an answer should come from, where they are asked for apart from the terms."""

    datasets: tuple[str, ...] = ()
    """Their ids."""


class Selection(msgspec.Struct, frozen=True, omit_defaults=True):
    """A whole answer: what a system selected, or one thing that counts as right."""

    indicator_selection: tuple[DatasetSelection, ...] = ()
    """What is selected, one entry per dataset."""
    is_out_of_scope: bool | None = None
    """Whether the question is outside what the assistant covers."""
    datasets_selection: DatasetsSelection | None = None
    """The datasets alone, if only these are asked for."""
    period: Period | None = None
    """The period of all entries that have none of their own."""
    outcome: str | tuple[str, ...] | None = None
    """What a right response does instead of answering, such as ``no_data``; of several, any counts."""

    @property
    def outcomes(self) -> tuple[str, ...]:
        """What a right response may do: as stated, else to decline or to answer. Empty: nothing is expected."""
        if self.outcome:
            return (self.outcome,) if isinstance(self.outcome, str) else self.outcome
        if self.is_out_of_scope:
            return ("out_of_scope",)
        return ("answer",) if self.selects else ()

    @property
    def selects(self) -> bool:
        """Whether anything is selected: a term, everything in a dimension, or a dataset alone."""
        if self.datasets_selection is not None and any(self.datasets_selection.datasets):
            return True
        return any(
            part.dataset_id or any(one.values or one.everything for one in part.dimensions)
            for part in self.indicator_selection
        )

    @property
    def declines(self) -> bool:
        """Whether an answer says, or shows by selecting nothing, that the question is out of scope."""
        return not self.selects if self.is_out_of_scope is None else self.is_out_of_scope


class Target(Selection, frozen=True, omit_defaults=True):
    """What a right answer to a turn must hold. Any of the alternatives counts as well."""

    alternatives: tuple[Selection, ...] = ()
    """Other selections that are right too."""


_REST = re.compile(r"([A-Za-z][\w.-]*),([A-Za-z0-9_@$-]+)(?:,([\w.+*-]+))?")


def short_dataset(dataset_id: str) -> str:
    """A dataset as ``AGENCY:ID(VERSION)``, also where it is given as a URN (``urn:sdmx:…Dataflow=IMF.RES:WEO(9.0.0)``)
    or as in an address of a service (``IMF.RES,WEO,9.0.0``); anything else as it is."""
    if dataset_id.startswith("urn:"):
        return dataset_id.rpartition("=")[2]
    if "," in dataset_id and (match := _REST.fullmatch(dataset_id)):
        return f"{match[1]}:{match[2]}" + (f"({match[3]})" if match[3] else "")
    return dataset_id


def split_version(dataset_id: str) -> tuple[str, str]:
    """``IMF.RES:WEO(9.0.0)`` → ``("IMF.RES:WEO", "9.0.0")``; no version → an empty one."""
    dataset_id = short_dataset(dataset_id)
    if dataset_id.endswith(")"):
        base, bracket, version = dataset_id[:-1].rpartition("(")
        if bracket and base:
            return base, version
    return dataset_id, ""


def dataset_keys(
    expected: Iterable[str], found: Iterable[str], *, strict_versions: bool
) -> tuple[dict[str, str], dict[str, str]]:
    """For both sides, each dataset id → the key under which it compares.

    The version counts only when ``strict_versions`` is on and every id of that dataset, on both sides, names one.
    """
    left, right = list(expected), list(found)
    unversioned: set[str] = set()
    if strict_versions:
        unversioned = {base for base, version in map(split_version, left + right) if not version}

    def key(dataset_id: str) -> str:
        base, version = split_version(dataset_id)
        return f"{base}({version})" if strict_versions and version and base not in unversioned else base

    return {i: key(i) for i in left}, {i: key(i) for i in right}


def as_plain(terms: Iterable[Term]) -> list[JsonObject]:
    """Terms as JSON objects."""
    return [{"id": term.id, "name": term.name} for term in terms]
