"""Which codelist is behind a dimension, and which structure behind a dataset.

The codelist of a dimension is, in this order:
1. the one that the option ``codelists`` names;
2. the one that the dataset's own structure names (dataflow → data structure → dimension, or its concept);
3. one that is called for it: ``CL_<DATASET>_<DIMENSION>``, ``<DIMENSION>``, ``CL_<DIMENSION>``. A list made for one
   dataset comes before a general one, and is never used for another dataset.
Of several that fit: the one of the dataset's own agency, then of the agency above it, then the newest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar  # Any: keys to sort by, of several kinds

import msgspec

from karat.core.problems import Severity, did_you_mean
from karat.suites.data_query.structures.extensions import extended
from karat.suites.data_query.structures.files import read_files
from karat.suites.data_query.structures.languages import speaking
from karat.suites.data_query.structures.records import (
    Codelist,
    Constraint,
    Contents,
    Dataflow,
    DataStructure,
    Dimension,
    Ref,
    parse_ref,
)
from karat.suites.data_query.structures.versions import age, satisfies

_Identified = TypeVar("_Identified", Codelist, Dataflow, DataStructure)
SAME_DIMENSION = ({"freq", "frequency"},)
"""Dimensions that agencies call differently and mean the same by."""
UNCODED, UNSAID = "uncoded", "unsaid"


class NoCodelist(msgspec.Struct, frozen=True):
    """Why a dimension cannot be checked, and what to do about it."""

    reason: str
    hint: str
    severity: Severity = "warning"
    missing: Ref | None = None
    """The codelist that the structure names and no file has."""


class Codelists:
    """The codelists of some structure files, and what those files say about who uses which."""

    def __init__(self, contents: Contents, language: str = "") -> None:
        self.contents = contents
        merged = _merged(contents.codelists)
        self._by_id = _by_id(merged)
        whole = extended(merged, self.referred)
        above = {ref: parents for ref, parents in contents.parents.items() if parents}
        self.all = [speaking(_with_parents(one, above), language) for one in whole]
        self._by_id = _by_id(self.all)
        self._schemes = _by_id(speaking(one, language) for one in _merged(contents.schemes))
        self._flows = _by_id(contents.dataflows)
        self._structures = _by_id(one for one in contents.structures if one.dimensions)  # the others are stubs
        self._concepts: dict[tuple[str, str, str], list[Ref]] = defaultdict(list)
        for concept in contents.concepts:
            self._concepts[concept.agency, concept.id, concept.item].append(concept)

    def for_dimension(self, dataset_id: str, dimension: str, named: Mapping[str, str]) -> Mapping[str, str] | None:
        """id → name of every code of a dimension; None when no codelist is at hand."""
        found = self.find(dataset_id, dimension, named)
        return found.codes if isinstance(found, Codelist) and not found.lacking else None

    def find(self, dataset_id: str, dimension: str, named: Mapping[str, str]) -> Codelist | NoCodelist:
        """The codelist behind a dimension of a dataset, or why there is none."""
        dataset = parse_ref(dataset_id)
        if dimension in named:
            return self._named(dataset, dimension, named[dimension])
        reason = ""
        structure = self.structure(dataset)
        if structure is not None:
            ref = self._enumeration(structure, dimension)
            if isinstance(ref, Ref):
                found = self.referred(ref) or _newest(self._schemes, ref)
                # A list of the same name from elsewhere would be the wrong one, so nothing else is tried.
                if found is not None and found.codes:
                    return found
                return _missing(dimension, f"its codelist {ref} is not in the structure files", ref)
            if ref == UNCODED:
                return NoCodelist("it has no codelist in its data structure, so any value is allowed", "")
            if ref is None:
                reason = (
                    f"{structure.ref} has no such dimension. "
                    f"{did_you_mean(dimension, [d.id for d in structure.dimensions])}"
                )
        return self._called_for(dataset, dimension) or _missing(dimension, reason.strip())

    def _named(self, dataset: Ref, dimension: str, name: str) -> Codelist | NoCodelist:
        wanted = parse_ref(name)
        fitting = [
            codelist
            for codelist in self._by_id.get(wanted.id.casefold(), ())
            if wanted.agency in ("", codelist.ref.agency) and satisfies(codelist.ref.version, wanted.version)
        ]
        if fitting:
            return _best(fitting, dataset.agency)
        hint = did_you_mean(name, {codelist.ref.id for codelist in self.all})
        return NoCodelist(
            f"the option codelists names {name} for {dimension}, which is in no structure file", hint, "error"
        )

    def flow(self, dataset: Ref) -> Dataflow | None:
        """The dataflow that a dataset is: of the version asked for, else the newest one."""
        flows = [one for one in self._flows.get(dataset.id.casefold(), ()) if _same(one.ref, dataset)]
        return max(
            flows,
            key=lambda one: (one.ref.version == dataset.version, age(one.ref.version), one.structure is not None),
            default=None,
        )

    def structure(self, dataset: Ref) -> DataStructure | None:
        """The data structure of a dataset, or the one that a dataset is called for."""
        flow = self.flow(dataset)
        wanted = (flow.structure if flow else None) or dataset
        fitting = [one for one in self._structures.get(wanted.id.casefold(), ()) if _same(one.ref, wanted)]
        if wanted is not dataset:  # another version may have other dimensions
            fitting = [one for one in fitting if satisfies(one.ref.version, wanted.version)]
        return max(fitting, key=lambda one: (one.ref.version == wanted.version, age(one.ref.version)), default=None)

    def missing_structure(self, dataset: Ref) -> Ref | None:
        """The data structure that the dataflow refers to and no file has."""
        flow = self.flow(dataset)
        return flow.structure if flow is not None and self.structure(dataset) is None else None

    def other_versions(self, ref: Ref) -> list[str]:
        """The versions of a list, or of a data structure, that are at hand in place of the one that is not."""
        held = [*self._by_id.get(ref.id.casefold(), ()), *self._structures.get(ref.id.casefold(), ())]
        return sorted({one.ref.version for one in held if one.ref.agency == ref.agency} - {ref.version}, key=age)

    def datasets(self) -> list[Ref]:
        """What a dataset may be called: every dataflow, and every data structure."""
        return [*(one.ref for one in self.contents.dataflows), *(one.ref for one in self.contents.structures)]

    def constraints(self, dataset: Ref) -> list[Constraint]:
        """The constraints on a dataset, its own and those of its data structure."""
        flow, structure = self.flow(dataset), self.structure(dataset)
        wanted = {"Dataflow": flow.ref if flow else None, "DataStructure": structure.ref if structure else None}
        return [
            one
            for one in self.contents.constraints
            if any(_refers(ref, held) for kind, ref in one.attached if (held := wanted.get(kind)) is not None)
        ]

    def _enumeration(self, structure: DataStructure, name: str) -> Ref | str | None:
        """The codelist that the structure gives a dimension; ``UNCODED``: it is free text; ``UNSAID``: the structure
        does not say; None: it has no such dimension."""
        wanted = _names_of(name)
        found: Dimension | None = None
        for spelling in wanted:
            found = found or next((d for d in structure.dimensions if d.id.casefold() == spelling), None)
        if found is None:
            return None
        return UNCODED if found.uncoded else self.enumeration(found) or UNSAID

    def enumeration(self, dimension: Dimension) -> Ref | None:
        """The codelist that a dimension has, or its concept."""
        concept = dimension.concept
        if dimension.codelist is not None or concept is None or dimension.uncoded:
            return dimension.codelist
        held = self._concepts.get((concept.agency, concept.id, concept.item), ())
        fitting = [one for one in held if satisfies(one.version, concept.version)]
        newest = max(fitting or held, key=lambda one: (one.version == concept.version, age(one.version)), default=None)
        return self.contents.concepts[newest] if newest is not None else None

    def referred(self, ref: Ref) -> Codelist | None:
        """The list that a structure refers to; a list without agency (from a CSV) counts when its id is the same."""
        return _newest(self._by_id, ref)

    def _called_for(self, dataset: Ref, dimension: str) -> Codelist | None:
        names = _names_of(dimension)
        for pattern in (f"cl_{dataset.id.casefold()}_%s", "%s", "cl_%s"):
            for name in names:
                fitting = [one for one in self._by_id.get(pattern.replace("%s", name), ()) if one.codes]
                if fitting:
                    return _best(fitting, dataset.agency)
        return None


def read_structures(files: Sequence[Path], language: str = "") -> Codelists:
    """Everything that SDMX structure files and CSV lists say about codes. A folder stands for the files in it."""
    return Codelists(read_files(files), language)


def _merged(codelists: Sequence[Codelist]) -> list[Codelist]:
    """Each list once. A whole list replaces a partial one; two parts of a list make a larger part."""
    found: dict[Ref, Codelist] = {}
    for codelist in codelists:
        held = found.get(codelist.ref)
        if held is None or (held.partial and not codelist.partial and not codelist.is_stub) or held.is_stub:
            found[codelist.ref] = codelist
        elif held.partial == codelist.partial and not codelist.is_stub:
            found[codelist.ref] = msgspec.structs.replace(
                held,
                codes={**held.codes, **codelist.codes, **held.codes},
                names={**codelist.names, **held.names},
                parents={**codelist.parents, **held.parents},
                extensions=held.extensions or codelist.extensions,
                external=held.external and codelist.external,
            )
    return list(found.values())


def _with_parents(codelist: Codelist, above: Mapping[Ref, Mapping[str, tuple[str, ...]]]) -> Codelist:
    """The list with the parents that hierarchies give its codes."""
    given = [held for ref, held in above.items() if _refers(ref, codelist.ref)]
    if not given:
        return codelist
    parents = dict(codelist.parents)
    for held in given:
        for code, more in held.items():
            if code in codelist.codes:
                parents[code] = tuple(dict.fromkeys((*parents.get(code, ()), *more)))
    return msgspec.structs.replace(codelist, parents=parents)


def _by_id(held: Iterable[_Identified]) -> dict[str, list[_Identified]]:
    found: dict[str, list[_Identified]] = defaultdict(list)
    for one in held:
        found[one.ref.id.casefold()].append(one)
    return found


def _newest(lists: Mapping[str, Sequence[Codelist]], ref: Ref) -> Codelist | None:
    """The list that a reference means, of several versions the newest; one without agency or version may be any."""
    fitting = [
        one
        for one in lists.get(ref.id.casefold(), ())
        if (one.ref.agency in (ref.agency, "") or not ref.agency) and satisfies(one.ref.version, ref.version)
    ]

    def closeness(one: Codelist) -> tuple[Any, ...]:
        return one.ref.id == ref.id, one.ref.agency == ref.agency, one.ref.version == ref.version, age(one.ref.version)

    return max(fitting, key=closeness, default=None)


def _refers(ref: Ref, to: Ref) -> bool:
    """Whether a reference means this: an agency or a version that it leaves out, or leaves open, may be any."""
    return ref.id in ("*", to.id) and ref.agency in ("", "*", to.agency) and satisfies(to.version, ref.version)


def _missing(dimension: str, reason: str, codelist: Ref | None = None) -> NoCodelist:
    hint = f"Give its structure file, or name its codelist with the option codelists: {{{dimension}: CODELIST}}."
    return NoCodelist(reason, hint, missing=codelist)


def _names_of(dimension: str) -> list[str]:
    name = dimension.casefold()
    return [name, *(other for group in SAME_DIMENSION if name in group for other in sorted(group) if other != name)]


def _same(ref: Ref, dataset: Ref) -> bool:
    return ref.id == dataset.id and dataset.agency in ("", ref.agency)


def _best(codelists: Sequence[Codelist], agency: str) -> Codelist:
    return max(codelists, key=lambda codelist: (_closeness(codelist.ref.agency, agency), age(codelist.ref.version)))


def _closeness(agency: str, dataset_agency: str) -> int:
    """How much an agency's list is to be trusted for a dataset of another: IMF.STA itself, IMF, IMF.RES, …, SDMX,
    others."""
    if agency == dataset_agency:
        return 5
    if dataset_agency.startswith(f"{agency}."):
        return 4
    if agency.partition(".")[0] == dataset_agency.partition(".")[0]:
        return 3
    return {"": 2, "SDMX": 1}.get(agency, 0)
