"""Cases: sheets, TREC qrels, BEIR folders. A question with its judgements is one case, whose only user turn carries the :class:`Truths`.

The id of a case is the question's id, its text comes from ``queries.jsonl``; where there is none, the id stands for it.
"""

from __future__ import annotations

from pathlib import Path

from karat.core.files import why_not_there
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case, Turn, Where
from karat.core.suite import LoadedCases
from karat.suites.retrieval import beir
from karat.suites.retrieval.lines import shown_name
from karat.suites.retrieval.qrels import Question, looks_like_qrels, read_qrels
from karat.suites.retrieval.records import DOCUMENTS, Truths

SHEET = ".sheet"


def load_cases(path: Path) -> LoadedCases:
    """Every question under a path, by what the path is."""
    if path.is_dir():
        return _judged(beir.qrels_of(path))
    if path.is_file():
        if path.suffix == SHEET:
            from karat.suites.retrieval.sheets import load_sheet

            return load_sheet(path)
        return _judged(path)
    hint = "Give a sheet, a TREC qrels file or a BEIR folder."
    raise UserError(f"there are no cases at {path}: {why_not_there(path)}", hint=hint)


def recognises(path: Path) -> bool:
    """A sheet, a qrels file, or a BEIR folder."""
    if path.is_dir():
        return beir.is_beir(path)
    return path.suffix == SHEET or looks_like_qrels(path)


def _judged(qrels: Path) -> LoadedCases:
    problems: list[Problem] = []
    questions = read_qrels(qrels, problems)
    folder = beir.folder_of(qrels)
    texts = beir.texts_of(folder, questions.keys(), problems) if folder else {}
    file = shown_name(qrels)
    if folder is not None:
        problems += _without_text([name for name in questions if name not in texts], file)
    cases = tuple(_case(name, question, texts.get(name) or name, file) for name, question in questions.items())
    return LoadedCases(cases, tuple(problems), 1 if folder is None else 2)


def _case(name: str, question: Question, text: str, file: str) -> Case[Truths]:
    turn = Turn(role="user", content=text, target=Truths({DOCUMENTS: question.judged}))
    return Case(name, (turn,), source=Where(file, line=question.line))


def _without_text(names: list[str], file: str) -> list[Problem]:
    if not names:
        return []
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    message = f"{count_of(len(names), 'question')} without a text in {beir.QUERIES}: {shown}"
    return [Problem(message, file=file, severity="warning", hint="Their ids are shown instead.")]
