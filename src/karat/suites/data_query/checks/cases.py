"""Every term of every target against its codelist: unknown ids, drifted names, and what could not be checked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.files.limits import YAML_MB
from karat.core.files.reading import read_bytes
from karat.core.problems import Problem, count_of
from karat.core.records import Case, Where
from karat.core.suite import CheckedCases, Fix
from karat.core.yaml.edit import find
from karat.core.yaml.structs import Findings, Path_, documents
from karat.suites.data_query.checks.nearest_codes import hints_in
from karat.suites.data_query.formats.operators import meaning
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.selection import Selection, Target, Term
from karat.suites.data_query.structures.codelists import NoCodelist, read_structures
from karat.suites.data_query.structures.records import Codelist, Ref
from karat.suites.data_query.target_faults import target_doubts


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


def _hints(suspects: Iterable[_Suspect]) -> dict[tuple[Ref, Term], str]:
    """For each unknown term what was probably meant. List by list, because many ids at once compare far quicker."""
    lists: dict[Ref, Codelist] = {}
    unknown: dict[Ref, dict[Term, None]] = defaultdict(dict)
    for suspect in suspects:
        if suspect.term.id not in suspect.codelist.codes:
            lists[suspect.codelist.ref] = suspect.codelist
            unknown[suspect.codelist.ref][suspect.term] = None
    return {
        (ref, term): hint for ref, terms in unknown.items() for term, hint in hints_in(lists[ref].codes, list(terms))
    }
