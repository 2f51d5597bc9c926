"""What a question touches, and what there is to touch: fields, and the keys that are relevant in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from karat.core.records import Case
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Truths


def covers(case: Case[Truths], options: Options) -> Mapping[str, Iterable[str]]:
    """Kind → fields, and the keys that count as relevant."""
    found: dict[str, list[str]] = {"field": []}
    for turn in case.conversation:
        for name, judged in turn.target.fields.items() if turn.target is not None else ():
            found["field"].append(name)
            keys = [key for key, relevance in judged.items() if relevance >= options.relevance_level]
            found.setdefault(_kind(name), []).extend(keys)
    return found


def _kind(field: str) -> str:
    return "document" if field == DOCUMENTS else f"value of {field}"


def coverable(cases: Sequence[Case[Truths]], _options: Options) -> Mapping[str, Iterable[str]]:
    """The documents of the corpus, where a BEIR folder has one."""
    folder = beir.folder_of(Path(cases[0].source.file)) if cases else None
    documents = beir.documents_of(folder) if folder is not None else []
    return {"document": documents} if documents else {}
