"""Cases against real codes: which codelist is behind a dimension, which ids it does not have, which names have drifted.

The codelist of a dimension is, in this order:
1. the one that the option ``codelists`` names;
2. the one that the dataset's own structure names (dataflow → data structure → dimension, or its concept);
3. one that is called for it: ``CL_<DATASET>_<DIMENSION>``, ``<DIMENSION>``, ``CL_<DIMENSION>``. A list made for one
   dataset comes before a general one, and is never used for another dataset.
Of several that fit: the one of the dataset's own agency, then of the agency above it, then the newest.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.files.limits import YAML_MB
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, Severity, count_of, did_you_mean
from karat.core.records import Case, Where
from karat.core.suite import CheckedCases, Fix
from karat.core.yaml.edit import find
from karat.core.yaml.structs import Findings, Path_, documents
from karat.suites.data_query.formats.operators import meaning
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.selection import Selection, Target, Term
from karat.suites.data_query.structures.files import read_files
from karat.suites.data_query.structures.records import Codelist, Contents, DataStructure, Dimension, Ref, parse_ref
from karat.suites.data_query.target_faults import target_doubts

SAME_DIMENSION = ({"freq", "frequency"},)
"""Dimensions that agencies call differently and mean the same by."""


class NoCodelist(msgspec.Struct, frozen=True):
    """Why a dimension cannot be checked, and what to do about it."""

    reason: str
    hint: str
    severity: Severity = "warning"


class Codelists:
    """The codelists of some structure files, and what those files say about who uses which."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.all = _merged(contents.codelists)
        self._by_id: dict[str, list[Codelist]] = defaultdict(list)
        for codelist in self.all:
            self._by_id[codelist.ref.id.casefold()].append(codelist)

    def for_dimension(self, dataset_id: str, dimension: str, named: Mapping[str, str]) -> Mapping[str, str] | None:
        """id → name of every code of a dimension; None when no codelist is at hand."""
        found = self.find(dataset_id, dimension, named)
        return found.codes if isinstance(found, Codelist) else None

    def find(self, dataset_id: str, dimension: str, named: Mapping[str, str]) -> Codelist | NoCodelist:
        """The codelist behind a dimension of a dataset, or why there is none."""
        dataset = parse_ref(dataset_id)
        if dimension in named:
            return self._named(dataset, dimension, named[dimension])
        reason = ""
        structure = self._structure(dataset)
        if structure is not None:
            ref = self._enumeration(structure, dimension)
            if isinstance(ref, Ref):
                found = self._referred(ref)
                # A list of the same name from elsewhere would be the wrong one, so nothing else is tried.
                return found or _missing(dimension, f"its codelist {ref} is not in the structure files")
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
            if wanted.agency in ("", codelist.ref.agency) and wanted.version in ("", codelist.ref.version)
        ]
        if fitting:
            return _best(fitting, dataset.agency)
        hint = did_you_mean(name, {codelist.ref.id for codelist in self.all})
        return NoCodelist(
            f"the option codelists names {name} for {dimension}, which is in no structure file", hint, "error"
        )

    def _structure(self, dataset: Ref) -> DataStructure | None:
        """The data structure of a dataset: of the version asked for, else of the newest one."""
        flows = [flow for flow in self.contents.dataflows if flow.structure and _same(flow.ref, dataset)]
        wanted = dataset
        if flows:
            flow = max(flows, key=lambda flow: (flow.ref.version == dataset.version, _age(flow.ref.version)))
            wanted = flow.structure or dataset
        fitting = [structure for structure in self.contents.structures if _same(structure.ref, wanted)]
        return max(fitting, key=lambda s: (s.ref.version == wanted.version, _age(s.ref.version)), default=None)

    def _enumeration(self, structure: DataStructure, name: str) -> Ref | bool | None:
        """The codelist that the structure gives a dimension; True: it gives none; None: it has no such dimension."""
        wanted = _names_of(name)
        found: Dimension | None = None
        for spelling in wanted:
            found = found or next((d for d in structure.dimensions if d.id.casefold() == spelling), None)
        if found is None:
            return None
        if found.codelist is not None:
            return found.codelist
        concept = found.concept
        return self.contents.concepts.get((concept.agency, concept.id, concept.item), True) if concept else True

    def _referred(self, ref: Ref) -> Codelist | None:
        """The list that a structure refers to; a list without agency (from a CSV) counts when its id is the same."""
        fitting = [c for c in self._by_id.get(ref.id.casefold(), ()) if c.ref.agency in (ref.agency, "")]
        return max(
            fitting,
            key=lambda c: (c.ref.agency == ref.agency, c.ref.version == ref.version, _age(c.ref.version)),
            default=None,
        )

    def _called_for(self, dataset: Ref, dimension: str) -> Codelist | None:
        names = _names_of(dimension)
        for pattern in (f"cl_{dataset.id.casefold()}_%s", "%s", "cl_%s"):
            for name in names:
                fitting = self._by_id.get(pattern.replace("%s", name))
                if fitting:
                    return _best(fitting, dataset.agency)
        return None


def read_structures(files: Sequence[Path]) -> Codelists:
    """Everything that SDMX structure files and CSV lists say about codes. A folder stands for the files in it."""
    return Codelists(read_files(files))


def _merged(codelists: Sequence[Codelist]) -> list[Codelist]:
    """Each list once. A whole list replaces a partial one; two parts of a list make a larger part."""
    found: dict[Ref, Codelist] = {}
    for codelist in codelists:
        held = found.get(codelist.ref)
        if held is None or (held.partial and not codelist.partial):
            found[codelist.ref] = codelist
        elif held.partial == codelist.partial:
            found[codelist.ref] = Codelist(codelist.ref, {**held.codes, **codelist.codes, **held.codes}, held.partial)
    return list(found.values())


def _missing(dimension: str, reason: str) -> NoCodelist:
    return NoCodelist(
        reason, f"Give its structure file, or name its codelist with the option codelists: {{{dimension}: CODELIST}}."
    )


def _names_of(dimension: str) -> list[str]:
    name = dimension.casefold()
    return [name, *(other for group in SAME_DIMENSION if name in group for other in sorted(group) if other != name)]


def _same(ref: Ref, dataset: Ref) -> bool:
    return ref.id == dataset.id and dataset.agency in ("", ref.agency)


def _best(codelists: Sequence[Codelist], agency: str) -> Codelist:
    return max(codelists, key=lambda codelist: (_closeness(codelist.ref.agency, agency), _age(codelist.ref.version)))


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


def _age(version: str) -> tuple[tuple[int, ...], bool]:
    """What versions sort by: 2.19.0 after 2.8.0, and 1.0.0-draft before 1.0.0."""
    numbers, _, extension = version.partition("-")
    return tuple(int(n) for n in re.findall(r"\d+", numbers)), not extension


# -- the check ------------------------------------------------------------------------------------------------------


class _Suspect(msgspec.Struct, frozen=True):
    """A term that is not in its codelist as it is in the case."""

    case: str
    source: Where
    path: Path_
    dimension: str
    term: Term
    codelist: Codelist


def check_cases(cases: Sequence[Case[Target]], structure_files: Sequence[Path], options: Options) -> CheckedCases:
    """Every term of every target against its codelist: unknown ids, drifted names, and what could not be checked."""
    files = [*structure_files, *(Path(file) for file in options.structures)]
    doubts = target_doubts(cases, options.today)
    if not files:
        return CheckedCases((*doubts, *_open_targets(cases)))
    codelists = read_structures(files)
    found: dict[tuple[str, str], Codelist | NoCodelist] = {}
    unchecked: dict[tuple[str, str], int] = defaultdict(int)
    suspects: dict[str, list[_Suspect]] = defaultdict(list)
    for case in cases:
        for path, dataset_id, dimension, term in _terms(case):
            key = (dataset_id, dimension)
            codelist = found.get(key)
            if codelist is None:
                codelist = found[key] = codelists.find(dataset_id, dimension, options.codelists)
            if isinstance(codelist, NoCodelist):
                unchecked[key] += 1
                continue
            official = codelist.codes.get(term.id)
            if official is None or (official and official != term.name.strip()):
                suspects[case.source.file].append(_Suspect(case.id, case.source, path, dimension, term, codelist))
    problems: list[Problem] = [*doubts]
    fixes: list[Fix] = []
    hints = _hints(suspect for held in suspects.values() for suspect in held)
    for file, held in suspects.items():
        _report(file, held, hints, problems, fixes)
    problems.extend(_unchecked(found, unchecked))
    return CheckedCases(tuple(dict.fromkeys(problems)), tuple(fixes))  # an aliased term is one problem, not several


def _open_targets(cases: Iterable[Case[Target]]) -> Iterator[Problem]:
    """Targets that take every code, or all but some: without a codelist an answer that lists codes cannot be judged
    there."""
    for case in cases:
        targets = [turn.target for turn in case.conversation if turn.target is not None]
        selections = [one for target in targets for one in (target, *target.alternatives)]
        dimensions = [d for one in selections for part in one.indicator_selection for d in part.dimensions]
        for dimension in dimensions:
            if dimension.dimension_name != TIME_DIMENSION and meaning(dimension.operator) in ("all", "not_in"):
                message = (
                    f'case "{case.id}" expects "{dimension.operator}" in {dimension.dimension_name}, and no structure '
                    "says which codes "
                    "these are: an answer with the same operator is right, one that lists codes is not counted there"
                )
                hint = "Give the structures: --structure FILE here, and the option structures for scoring."
                yield Problem(message, file=case.source.file, line=case.source.line, hint=hint, severity="warning")


def _terms(case: Case[Target]) -> Iterator[tuple[Path_, str, str, Term]]:
    """(path in the document, dataset, dimension, term) of every term of the targets and their alternatives."""
    root: Path_ = () if case.source.item is None else (case.source.item,)
    for turn, message in enumerate(case.conversation):
        if message.target is None:
            continue
        target: Path_ = (*root, "conversation", turn, "target")
        selections: list[tuple[Path_, Selection]] = [(target, message.target)]
        selections += [((*target, "alternatives", n), other) for n, other in enumerate(message.target.alternatives)]
        for path, selection in selections:
            for i, part in enumerate(selection.indicator_selection):
                for j, dimension in enumerate(part.dimensions):
                    for k, term in enumerate(dimension.values):
                        where: Path_ = (*path, "indicator_selection", i, "dimensions", j, "values", k)
                        yield where, part.dataset_id, dimension.dimension_name, term


def _report(
    file: str,
    suspects: list[_Suspect],
    hints: Mapping[tuple[Ref, Term], str],
    problems: list[Problem],
    fixes: list[Fix],
) -> None:
    """The problems of one file, each at its scalar. The file is parsed once."""
    findings = Findings(file)
    try:
        roots = list(documents(read_bytes(file, YAML_MB), findings)) if file else []
    except OSError:  # it was there when the cases were loaded; its terms are reported without a column
        roots = []
    for suspect in suspects:
        code, codelist, source = suspect.term, suspect.codelist, suspect.source
        root = roots[source.document] if source.document < len(roots) else None
        official = codelist.codes.get(code.id)
        spot = find(root, (*suspect.path, "id" if official is None else "name")) if root else None
        if official is None:
            part = ", of which the file contains only a part" if codelist.partial else ""
            message = f'unknown id "{code.id}" in {suspect.dimension}: it is not in {codelist.ref}{part}'
            problem = Problem(message, hint=hints[codelist.ref, code])
        elif spot is None and (root is not None or not code.name):
            continue  # the case gives no name, so none has drifted
        else:
            message = f'label drift: {code.id} is called "{official}" in {codelist.ref}, the case says "{code.name}"'
            hint = "Add --fix-names to replace it with the official name." if spot else ""
            problem = Problem(message, hint=hint, severity="warning")
            if spot is not None:
                fixes.append(Fix(file, source.document, (*suspect.path, "name"), code.name, official))
        if spot is None:
            named = f'{problem.message} (case "{suspect.case}")'
            problems.append(msgspec.structs.replace(problem, message=named, file=file, line=source.line))
            continue
        findings.add(spot.node, problem.message, problem.hint)
        problems.append(msgspec.structs.replace(findings.problems.pop(), severity=problem.severity))


def _unchecked(
    found: Mapping[tuple[str, str], Codelist | NoCodelist], unchecked: Mapping[tuple[str, str], int]
) -> Iterator[Problem]:
    for (dataset, dimension), count in unchecked.items():
        why = found[dataset, dimension]
        if isinstance(why, NoCodelist):
            reason = f": {why.reason}" if why.reason else ""
            message = f"no codelist for {dimension} of {dataset}, so {count_of(count, 'term')} not checked{reason}"
            yield Problem(message, hint=why.hint, severity=why.severity)


# -- the nearest codes ----------------------------------------------------------------------------------------------


def _hints(suspects: Iterable[_Suspect]) -> dict[tuple[Ref, Term], str]:
    """For each unknown term what was probably meant. List by list, because many ids at once compare far quicker."""
    lists: dict[Ref, Codelist] = {}
    unknown: dict[Ref, dict[Term, None]] = defaultdict(dict)
    for suspect in suspects:
        if suspect.term.id not in suspect.codelist.codes:
            lists[suspect.codelist.ref] = suspect.codelist
            unknown[suspect.codelist.ref][suspect.term] = None
    return {
        (ref, term): hint for ref, terms in unknown.items() for term, hint in _hints_in(lists[ref].codes, list(terms))
    }


def _hints_in(codes: Mapping[str, str], terms: Sequence[Term]) -> Iterator[tuple[Term, str]]:
    def shown(code: str) -> str:
        name = codes[code] if len(codes[code]) <= 100 else f"{codes[code][:99]}…"
        return f"{code} ({name})" if name else code

    ids = list(codes)
    by_folded = {code.casefold(): code for code in ids}
    by_name = _near_names(codes, terms)
    by_id = _near_ids(ids, terms)
    for term, named, like in zip(terms, by_name, by_id, strict=True):
        bare = term.id.strip()
        twin = by_folded.get(bare.casefold())
        near = list(dict.fromkeys([*named, *like]))[:3]
        if twin is not None:
            ways = [*(["case"] if bare != twin else []), *(["surrounding spaces"] if bare != term.id else [])]
            yield term, f"It differs from {shown(twin)} only by {' and '.join(ways)}."
        elif near:
            yield term, f"Nearest: {', '.join(map(shown, near))}."
        else:
            yield term, f"Its codes: {', '.join(map(shown, ids))}." if len(ids) <= 8 else ""


def _near_ids(ids: Sequence[str], terms: Sequence[Term]) -> Iterator[list[str]]:
    """For each term the three codes whose ids are most like its own."""
    import numpy as np
    from rapidfuzz import fuzz, process

    folded = [code.casefold() for code in ids]
    for start in range(0, len(terms), 256):  # 256 rows of 20,000 codes are 5 MB
        words = [term.id.strip().casefold() for term in terms[start : start + 256]]
        for row in process.cdist(words, folded, scorer=fuzz.ratio, score_cutoff=60, dtype=np.uint8):
            found = np.flatnonzero(row)
            yield [ids[index] for index in found[np.argsort(-row[found].astype(int), kind="stable")[:3]]]


def _near_names(codes: Mapping[str, str], terms: Sequence[Term]) -> Iterator[list[str]]:
    """For each term at most two codes that have its name, or nearly."""
    from rapidfuzz import fuzz, process

    ids = list(codes)
    folded = [name.casefold() for name in codes.values()]
    same: dict[str, list[str]] = defaultdict(list)
    for code, name in zip(ids, folded, strict=True):
        same[name].append(code)
    for term in terms:
        name = term.name.strip().casefold()
        if not name or name in same:
            yield same[name][:2] if name else []
        else:
            found = process.extract(name, folded, scorer=fuzz.ratio, limit=2, score_cutoff=85.0)
            yield [ids[index] for _, _, index in found]
