"""The questions of a qrels file with the documents that are relevant to each.

A document is a truth when it is judged at ``relevance_level`` or above. A question without such a document is left out,
and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from karat.core.case_files.drafts import DRAFT
from karat.core.files.reading import why_not_there
from karat.core.problems import Problem, UserError, count_of
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.formats.qrels import read_qrels

SHOWN = 20


@dataclass(frozen=True)
class Judged:
    """What is asked, and what must be found."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]
    """The text of each question; empty where it is not known."""
    truths: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...]
    """Questions whose judgements are all below the relevance level."""
    problems: tuple[Problem, ...]
    """Warnings about the files."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The questions as people read them: the text, else the id."""
        return tuple(text or name for name, text in zip(self.ids, self.texts, strict=True))


def read_judgements(path: Path, *, relevance_level: int = 1, texts_needed: bool = False) -> Judged:
    """The judgements of a qrels file or of a BEIR folder. ``texts_needed``: a question without a text is an error.
    Raises :class:`UserError` with every mistake in the files."""
    if relevance_level < 1:
        raise UserError("--relevance-level must be at least 1")
    if not path.exists():
        raise UserError(f"there are no judgements at {path}: {why_not_there(path)}")
    qrels = beir.qrels_of(path) if path.is_dir() else path
    problems: list[Problem] = []
    questions = read_qrels(qrels, problems)
    folder = beir.folder_of(qrels)
    queries = beir.queries_of(folder, questions.keys(), problems) if folder is not None else {}
    questions = {
        name: found for name, found in questions.items() if name not in queries or queries[name].status != DRAFT
    }
    texts = {name: query.text for name, query in queries.items()}
    refuse(problems, qrels)
    if not questions:
        raise UserError(f"{qrels} has no judgements", hint="A line is: question 0 document relevance.")
    truths = {
        name: tuple(key for key, relevance in question.judged.items() if relevance >= relevance_level)
        for name, question in questions.items()
    }
    kept = [name for name, found in truths.items() if found]
    if not kept:
        raise UserError(
            f"no document in {qrels} is judged {relevance_level} or higher",
            hint="Give a lower --relevance-level." if relevance_level > 1 else "",
        )
    silent = [name for name in kept if not texts.get(name, "").strip()]
    if texts_needed and silent:
        where = f"{folder / beir.QUERIES}" if folder is not None else "the judgements"
        shown = ", ".join(silent[:5]) + (", …" if len(silent) > 5 else "")
        raise UserError(f"{count_of(len(silent), 'judged question')} without a text in {where}: {shown}")
    return Judged(
        tuple(kept),
        tuple(texts.get(name, "") for name in kept),
        tuple(truths[name] for name in kept),
        tuple(name for name, found in truths.items() if not found),
        tuple(problems),
    )


def refuse(problems: list[Problem], path: Path) -> None:
    """Lines that cannot be read would change the figures: no choice is made on the rest. Raises :class:`UserError`."""
    mistakes = [problem for problem in problems if problem.severity == "error"]
    if mistakes:
        raise UserError(f"{count_of(len(mistakes), 'mistake')} in {path}", problems=mistakes[:SHOWN])
