"""Gold and submission folders for the tests, made from a few words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from karat.suites.answers.records import Answer, Gold


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    """A folder with these files; texts as UTF-8."""
    for name, content in files.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def lines(*rows: dict[str, Any]) -> str:
    """JSONL."""
    return "".join(json.dumps(row) + "\n" for row in rows)


def entry(func: str, **parameters: Any) -> dict[str, Any]:
    return {"func": func, "parameters": parameters}


def gold_folder(root: Path, rows: list[dict[str, Any]], files: dict[str, str | bytes] | None = None) -> Path:
    """A gold folder in the contract's form."""
    return write(root, {"spider2_eval.jsonl": lines(*rows), **(files or {})})


def golds(path: Path) -> dict[str, Gold]:
    """The golds of a folder by instance."""
    from karat.suites.answers.cases import load_cases

    found: dict[str, Gold] = {}
    for case in load_cases(path).cases:
        assert case.conversation[0].target is not None
        found[case.id] = case.conversation[0].target
    return found


def answers(path: Path) -> dict[str, Answer]:
    """The answers of a submission by instance."""
    from karat.suites.answers.predictions import read_predictions
    from karat.suites.answers.responses import read_answer

    return {item.case_id: read_answer(item.response) for item in read_predictions(path).predictions}
