"""``karat check`` of the suite: every target against the structures, and what could not be checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from karat.core.case_files.case_checks import CheckedCases
from karat.core.problems import Problem, Severity, count_of, did_you_mean
from karat.core.records import Case
from karat.core.yaml.structs import Path_
from karat.suites.data_query.checks.constraints import Allowed
from karat.suites.data_query.checks.datasets import Datasets, time_fault
from karat.suites.data_query.checks.findings import Found, found_in, placed
from karat.suites.data_query.checks.names import drifted, look_alikes, replacement, spoken, with_blanks
from karat.suites.data_query.checks.nearest_codes import hints_in
from karat.suites.data_query.checks.target_faults import target_doubts
from karat.suites.data_query.checks.traversal import entries, terms
from karat.suites.data_query.formats.operators import meaning
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.selection.selection import DatasetSelection, Target, Term
from karat.suites.data_query.structures.codelists import Codelists, NoCodelist, read_structures
from karat.suites.data_query.structures.records import Codelist, Ref, parse_ref

SEVERITY: tuple[Severity, Severity] = ("error", "warning")
"""Outside what is allowed; outside what has data."""
Unknown = tuple[Case[Target], Path_, str, Term, Codelist]
"""A term whose id is not in its codelist."""


def check_cases(cases: Sequence[Case[Target]], structure_files: Sequence[Path], options: Options) -> CheckedCases:
    """Every target against the structures: datasets, dimensions, codes, names, and what is allowed."""
    files = [*structure_files, *(Path(file) for file in options.structures)]
    doubts = target_doubts(cases, options.today)
    if not files:
        timed = [problem for problem, _ in placed(found for case in cases for found in _timed(case))]
        return CheckedCases((*doubts, *timed, *_open_targets(cases)))
    check = _Check(read_structures(files, options.language), options)
    for case in cases:
        check.case(case)
    problems, fixes = [*check.codelists.contents.problems, *doubts], []
    for problem, fix in placed(check.all_found()):
        problems.append(problem)
        if fix is not None:
            fixes.append(fix)
    problems += check.notes()
    return CheckedCases(tuple(dict.fromkeys(problems)), tuple(fixes))  # an aliased term is one problem, not several


def _timed(case: Case[Target]) -> Iterator[Found]:
    """The time dimension among those of a target."""
    for path, part in entries(case):
        for number, dimension in enumerate(part.dimensions):
            if dimension.dimension_name == TIME_DIMENSION:
                fault = time_fault(TIME_DIMENSION)
                yield found_in(case, (*path, "dimensions", number, "dimension_name"), fault.message, fault.hint)


def _open_targets(cases: Iterable[Case[Target]]) -> Iterator[Problem]:
    """Targets that take every code, or all but some: without a codelist an answer that lists codes cannot be judged
    there."""
    for case in cases:
        for dimension in (one for _, part in entries(case) for one in part.dimensions):
            if dimension.dimension_name != TIME_DIMENSION and meaning(dimension.operator) in ("all", "not_in"):
                message = (
                    f'case "{case.id}" expects "{dimension.operator}" in {dimension.dimension_name}, and no structure '
                    "says which codes "
                    "these are: an answer with the same operator is right, one that lists codes is not counted there"
                )
                hint = "Give the structures: --structure FILE here, and the option structures for scoring."
                yield Problem(message, file=case.source.file, line=case.source.line, hint=hint, severity="warning")


class _Check:
    """The structures, and what was found so far."""

    def __init__(self, codelists: Codelists, options: Options) -> None:
        self.codelists, self.options = codelists, options
        self.datasets = Datasets(codelists)
        self.found: list[Found | Unknown] = []
        self._lists: dict[tuple[str, str], Codelist | NoCodelist] = {}
        self._unchecked: dict[tuple[str, str], int] = defaultdict(int)
        self._unnamed: dict[str, None] = {}
        self._unstructured: dict[str, Ref | None] = {}
        self._rules: dict[str, tuple[Allowed, Allowed]] = {}
        self._terms: dict[tuple[str, str, str], tuple[bool, bool]] = {}

    def case(self, case: Case[Target]) -> None:
        """All that can be seen in one case."""
        named: list[tuple[Term, Codelist]] = []
        drifts: list[tuple[int, Path_, Term, Codelist]] = []
        for path, part in entries(case):
            wrong = self._entry(case, path, part)
            for place, dimension, term in terms(path, part):
                if dimension == TIME_DIMENSION:
                    continue
                codelist = self._codelist(part.dataset_id, dimension)
                if isinstance(codelist, NoCodelist):
                    if dimension not in wrong:
                        self._unchecked[part.dataset_id, dimension] += 1
                elif term.id not in codelist.codes:
                    self.found.append((case, place, dimension, term, codelist))
                else:
                    named.append((term, codelist))
                    if drifted(term, codelist):
                        drifts.append((len(self.found) + len(drifts), place, term, codelist))
        if drifts:  # the language of the case is known only now
            most = "" if self.options.language else spoken(named)
            for index, path, term, codelist in drifts:
                self.found.insert(index, self._drift(case, path, term, codelist, most))

    def _codelist(self, dataset: str, dimension: str) -> Codelist | NoCodelist:
        key = (dataset, dimension)
        if key not in self._lists:
            self._lists[key] = self.codelists.find(dataset, dimension, self.options.codelists)
        return self._lists[key]

    # -- datasets, dimensions, constraints --------------------------------------------------------------------------

    def _entry(self, case: Case[Target], path: Path_, part: DatasetSelection) -> set[str]:
        """What is wrong with an entry as a whole; the dimensions that it cannot have."""
        if not self.datasets.any:
            self._unnamed[part.dataset_id] = None
        fault = self.datasets.fault(part.dataset_id)
        if fault is not None:
            self.found.append(found_in(case, (*path, "dataset_id"), fault.message, fault.hint))
        elif part.dataset_id not in self._unstructured:
            self._unstructured[part.dataset_id] = self.codelists.missing_structure(parse_ref(part.dataset_id))
        wrong: set[str] = set()
        for number, dimension in enumerate(part.dimensions):
            name = dimension.dimension_name
            fault = self.datasets.dimension_fault(part.dataset_id, name) if name.strip() else None
            if fault is None and name == TIME_DIMENSION:
                fault = time_fault(name)
            if fault is not None:
                wrong.add(name)
                place = (*path, "dimensions", number, "dimension_name")
                self.found.append(found_in(case, place, fault.message, fault.hint))
        if self.datasets.fault(part.dataset_id) is None:
            self._constrained(case, path, part, wrong)
        return wrong

    def _is_known(self, dataset: str, dimension: str, term: Term) -> bool:
        """Whether the id of a term is not unknown: that is a finding of its own."""
        held = self._codelist(dataset, dimension)
        return not isinstance(held, Codelist) or term.id in held.codes

    def _constrained(self, case: Case[Target], path: Path_, part: DatasetSelection, wrong: set[str]) -> None:
        """Terms, and the entry where nothing else is wrong in it, outside what is allowed or has data."""
        dataset = part.dataset_id
        if dataset not in self._rules:
            held = self.codelists.constraints(parse_ref(dataset))
            roles = [[one for one in held if one.role == role] for role in ("allowed", "actual")]
            allowed, actual = (Allowed(dataset, own, self.codelists, self.options.codelists) for own in roles)
            self._rules[dataset] = (allowed, actual)
        if not any(self._rules[dataset]):
            return
        given = [one for one in terms(path, part) if one[1] not in wrong]
        known = [one for one in given if self._is_known(dataset, one[1], one[2])]
        sound = not wrong and len(known) == sum(len(one.values) for one in part.dimensions)
        for place, rule in enumerate(self._rules[dataset]):
            if not rule:
                continue
            outside = [
                (where, dimension, term)
                for where, dimension, term in known
                if not self._permits_term(dataset, dimension, term.id)[place]
            ]
            for where, dimension, term in outside:
                message = f"{term.id} in {dimension} is not {self._outside(place, rule)}"
                hint = did_you_mean(term.id, rule.near_values(dimension))
                self.found.append(found_in(case, (*where, "id"), message, hint, SEVERITY[place]))
            if sound and not outside and not rule.permits(part):
                message = f"no series of this entry is {self._outside(place, rule)}"
                self.found.append(found_in(case, (*path, "dataset_id"), message, rule.way_out(part), SEVERITY[place]))
            if not place and outside:
                return  # what is not allowed has no data either

    def _permits_term(self, dataset: str, dimension: str, code: str) -> tuple[bool, bool]:
        key = (dataset, dimension, code)
        if key not in self._terms:
            allowed, actual = (not rule or rule.permits_term(dimension, code) for rule in self._rules[dataset])
            self._terms[key] = (allowed, actual)
        return self._terms[key]

    @staticmethod
    def _outside(place: int, rule: Allowed) -> str:
        return f"in {rule}: no data today" if place else f"allowed by {rule}"

    # -- codes and names --------------------------------------------------------------------------------------------

    def _drift(self, case: Case[Target], path: Path_, term: Term, codelist: Codelist, most: str) -> Found:
        names = codelist.names_of(term.id)
        new = replacement(names, self.options.language, most)
        official = new or codelist.codes[term.id]
        place = (*path, "name")
        if not term.name.strip():
            message = f'{term.id} has no name, and is called "{official}" in {codelist.ref}: by name it can never match'
            hint = "Add --fix-names to put the official name in."
            return Found(case.id, case.source, place, message, hint, "warning", term.name, new)
        if held := with_blanks(term.name, names):
            message = (
                f'{term.id} is called "{held}" in {codelist.ref}, the case says "{term.name}", with blanks at its ends'
            )
            hint = "Names are compared exactly. Add --fix-names to remove the blanks."
            return Found(case.id, case.source, place, message, hint, "warning", term.name, held)
        message = f'label drift: {term.id} is called "{official}" in {codelist.ref}, the case says "{term.name}"'
        if same := look_alikes(term.name.strip(), official):
            message += f"; {same}"
        hint = "Add --fix-names to replace it with the official name."
        if new is None:
            known = ", ".join(names)
            hint = f"--fix-names cannot tell in which language: the code has names in {known}. Add --language."
        return Found(case.id, case.source, place, message, hint, "warning", term.name, new)

    def all_found(self) -> Iterator[Found]:
        """What was found, with the nearest codes of unknown ids. List by list, because many ids at once compare far
        quicker."""
        hints = _hints(one for one in self.found if isinstance(one, tuple))
        for one in self.found:
            if isinstance(one, Found):
                yield one
                continue
            case, path, dimension, term, codelist = one
            part = ", of which the file contains only a part" if codelist.partial else ""
            message = f'unknown id "{term.id}" in {dimension}: it is not in {codelist.ref}{part}'
            if codelist.lacking:  # the id may be in the list that is not at hand
                message = (
                    f'"{term.id}" in {dimension} cannot be checked: it is not in {codelist.ref}, which takes codes '
                )
                message += f"from {codelist.lacking[0]}, {self._why_lacking(codelist.lacking[0])}"
            severity: Severity = "warning" if codelist.lacking else "error"
            yield found_in(case, (*path, "id"), message, hints[codelist.ref, term], severity)

    # -- what could not be checked ----------------------------------------------------------------------------------

    def notes(self) -> Iterator[Problem]:
        """One for each dataset, codelist or constraint that could not be used."""
        for dataset in self._unnamed:
            message = f"{dataset} and its dimensions are not checked: no structure file has dataflows or structures"
            hint = "Give the dataflow with its data structure, too."
            yield Problem(message, hint=hint, severity="warning")
        for dataset, structure in self._unstructured.items():
            if structure is not None:
                absence = f"the data structure {structure} is not in the structure files{self._at_hand(structure)}"
                message = f"{absence}, so the dimensions of {dataset} are not checked"
                yield Problem(message, hint="Give its structure file too.", severity="warning")
        absent: dict[Ref, int] = defaultdict(int)
        for (dataset, dimension), count in self._unchecked.items():
            why = self._lists[dataset, dimension]
            if not isinstance(why, NoCodelist):
                continue
            if why.missing is not None:
                absent[why.missing] += count
                continue
            reason = f": {why.reason}" if why.reason else ""
            message = f"no codelist for {dimension} of {dataset}, so {count_of(count, 'term')} not checked{reason}"
            yield Problem(message, hint=why.hint, severity=why.severity)
        for ref, count in absent.items():
            absence = f"the codelist {ref} is not in the structure files{self._at_hand(ref)}"
            message = f"{absence}, so {count_of(count, 'term')} not checked"
            yield Problem(message, hint="Give its structure file too.", severity="warning")
        for one in self.codelists.contents.constraints:
            kinds = {kind for kind, _ in one.attached}
            if kinds and not kinds & {"Dataflow", "DataStructure"}:
                message = f"the constraint {one.ref} is attached to a {min(kinds)} and is not used"
                yield Problem(message, severity="warning", hint="Only those on a dataflow or a data structure are.")

    def _why_lacking(self, ref: Ref) -> str:
        held = self.codelists.referred(ref)
        in_a_circle = held is not None and not held.is_stub
        return "which is in a circle of lists that extend each other" if in_a_circle else "and no file has that list"

    def _at_hand(self, ref: Ref) -> str:
        others = self.codelists.other_versions(ref)
        return f" (only version {', '.join(others)})" if others else ""


def _hints(unknown: Iterable[Unknown]) -> Mapping[tuple[Ref, Term], str]:
    """For each unknown term what was probably meant."""
    lists: dict[Ref, Codelist] = {}
    wanted: dict[Ref, dict[Term, None]] = defaultdict(dict)
    for _, _, _, term, codelist in unknown:
        lists[codelist.ref] = codelist
        wanted[codelist.ref][term] = None
    return {(ref, term): hint for ref, held in wanted.items() for term, hint in hints_in(lists[ref].codes, list(held))}
