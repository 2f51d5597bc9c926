"""``karat check`` of judgements: questions that nothing can pass, judgements below 0, documents that the corpus lacks.

Lines that cannot be read, and documents judged twice, are found already when the file is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.case_files.case_checks import CheckedCases
from karat.core.problems import Problem, count_of
from karat.core.records import Case
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import Truths

FEW = 3


def check_cases(
    cases: Sequence[Case[Truths]],
    structures: Sequence[Path],  # noqa: ARG001 (the signature of every check)
    options: Options,
) -> CheckedCases:
    """Every question that looks wrong; a warning each, since trec_eval takes them all without a word."""
    problems: list[Problem] = []
    for case in cases:
        judged = {
            (name, key): relevance
            for turn in case.conversation
            if turn.target is not None
            for name, keys in turn.target.fields.items()
            for key, relevance in keys.items()
        }
        negative = [key for (_, key), relevance in judged.items() if relevance < 0]
        if negative:
            message = f'question "{case.id}": {count_of(len(negative), "judgement")} below 0, such as {negative[0]}'
            problems.append(_warning(case, message, "They count as not relevant, like 0."))
        if judged and not any(relevance >= options.relevance_level for relevance in judged.values()):
            message = f'question "{case.id}" has no relevant key among {count_of(len(judged), "judgement")}'
            hint = "It counts 0 in every metric, as in trec_eval; the option no_relevant=leave_out leaves it out."
            problems.append(_warning(case, message, hint))
    for file in dict.fromkeys(case.source.file for case in cases if case.source.file):
        problems += _lost(file, [case for case in cases if case.source.file == file])
    return CheckedCases(tuple(problems))


def _warning(case: Case[Truths], message: str, hint: str) -> Problem:
    return Problem(message, case.source.file, case.source.line, hint=hint, severity="warning")


def _lost(file: str, cases: Sequence[Case[Truths]]) -> list[Problem]:
    """What is relevant and not in the corpus of the BEIR folder that the file is in: no search can find it."""
    folder = beir.folder_of(Path(file.removesuffix(" (unpacked)")))
    if folder is None:
        return []
    asked = {
        key: case
        for case in cases
        for turn in case.conversation
        if turn.target is not None
        for keys in turn.target.fields.values()
        for key, relevance in keys.items()
        if relevance > 0
    }
    problems: list[Problem] = []
    lost = sorted(beir.not_in_corpus(folder, asked.keys(), problems))
    if lost:
        shown = ", ".join(f'{key} (question "{asked[key].id}")' for key in lost[:FEW])
        more = f" and {len(lost) - FEW:,} more" if len(lost) > FEW else ""
        message = f"{count_of(len(lost), 'relevant document')} not in {beir.CORPUS}: {shown}{more}"
        problems.append(Problem(message, file=file, severity="warning", hint="No search can find them."))
    return problems
