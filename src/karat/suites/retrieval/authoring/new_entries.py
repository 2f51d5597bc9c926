"""Questions of a BEIR folder as entries, and new ones for it: lines of ``queries.jsonl`` and judgements in qrels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from karat.core.files.limits import FILE_MB
from karat.core.files.reading import read_bytes
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError
from karat.core.records import Case
from karat.suites.retrieval.formats import beir
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Truths


def entry(case: Case[Truths]) -> JsonMapping:
    """A question with what is relevant for it."""
    target = next(turn.target for turn in case.conversation if turn.target is not None)
    return {"id": case.id, "question": case.question, "relevant": dict(target.fields.get(DOCUMENTS, {}))}


def add_entries(path: Path, entries: Sequence[JsonMapping]) -> Mapping[Path, bytes]:
    """The two files of a BEIR folder with the new questions."""
    qrels = beir.qrels_of(path) if path.is_dir() else path
    folder = beir.folder_of(qrels)
    queries = beir.packed_or_not(folder / beir.QUERIES) if folder else None
    if queries is None or ".gz" in (queries.suffix, qrels.suffix):
        raise UserError(f"questions can be added to a BEIR folder that is not compressed, and {path} is not one")
    lines, judged = "", ""
    for one in entries:
        relevant = one.get("relevant")
        keys = relevant if isinstance(relevant, Mapping) else dict.fromkeys(relevant or (), 1)
        if not keys:
            raise UserError(f'"{one.get("id")}" does not say what is relevant')
        about = {key: one[key] for key in ("status", "cluster") if one.get(key)}
        lines += json.dumps({"_id": one["id"], "text": one.get("question", ""), **about}, ensure_ascii=False) + "\n"
        judged += "".join(f"{one['id']}\t{key}\t{value}\n" for key, value in keys.items())
    return {qrels: _with(qrels, judged), queries: _with(queries, lines)}


def _with(file: Path, text: str) -> bytes:
    data = read_bytes(file, FILE_MB)
    return data + (b"" if not data or data.endswith(b"\n") else b"\n") + text.encode()


def try_target(case: Case[Truths], _options: Options) -> str:
    """A document that the corpus does not have."""
    target = next(turn.target for turn in case.conversation if turn.target is not None)
    folder = beir.folder_of(Path(case.source.file))
    wanted = set(target.fields.get(DOCUMENTS, {}))
    missing = beir.not_in_corpus(folder, wanted, []) if folder else set()
    return f'the corpus has no document "{min(missing)}"' if missing else ""
