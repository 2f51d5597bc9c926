"""The published sets that are recognised by the keys of a row, and the rows of their files: JSONL, JSON or Parquet."""

from __future__ import annotations

import ast
import codecs
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any  # Any: each set has rows of its own type

from karat.core.files import json
from karat.core.files.reading import FileRefused, read_unpacked
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem
from karat.suites.codegen.benchmarks import (
    bigcodebench,
    dabstep,
    dacode,
    dsbench,
    dsbench_models,
    evalplus,
    kramabench,
    pandasplotbench,
    viseval,
)
from karat.suites.codegen.benchmarks.companion_files import LeftOut
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.tables.files.probe import NotOpened, parquet_copy
from karat.tables.table import TableError

SETS = (
    bigcodebench.SET,
    evalplus.SET,
    dabstep.SET,
    kramabench.SET,
    dacode.SET,
    dsbench.SET,
    dsbench_models.SET,
    pandasplotbench.SET,
    viseval.SET,
)
OTHER_FORMS = (".parquet", ".json")


def set_of(row: JsonMapping) -> PublishedSet[Any] | None:
    """The set that a row belongs to."""
    return next((one for one in SETS if one.has(row)), None)


def rows_of(file: Path) -> Iterator[tuple[int, JsonObject]]:
    """The rows of a Parquet or JSON file, numbered from 1."""
    if file.suffix == ".parquet":
        yield from enumerate(_parquet(file), start=1)
        return
    data = read_unpacked(file).removeprefix(codecs.BOM_UTF8)
    try:
        found = json.decode(data)
    except json.BadJson as error:  # DSBench has a Python literal on each line
        yield from _literals(data, file, str(error))
        return
    if isinstance(found, dict) and found and all(isinstance(one, dict) for one in found.values()):
        found = [{"id": name, **one} for name, one in found.items()]  # entries by their ids, as VisEval has them
    rows = found if isinstance(found, list) else [found]
    yield from ((number, row) for number, row in enumerate(rows, start=1) if isinstance(row, dict))


def _parquet(file: Path) -> Iterator[JsonObject]:
    import pyarrow
    import pyarrow.parquet

    try:
        for batch in pyarrow.parquet.ParquetFile(parquet_copy(file, by="arrow")).iter_batches(batch_size=256):
            yield from batch.to_pylist()
    except TableError as error:
        raise FileRefused(file, error.reason) from error
    except (NotOpened, pyarrow.ArrowException, OSError) as error:
        raise FileRefused(file, f"cannot be read as Parquet: {error}") from error


def _literals(data: bytes, file: Path, why: str) -> Iterator[tuple[int, JsonObject]]:
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if line.strip():
            try:
                row = ast.literal_eval(line.strip())
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                raise FileRefused(file, f"not JSON: {why}") from None
            if isinstance(row, dict):
                yield number, row


def left_out_problems(left_out: Sequence[LeftOut], file: str) -> list[Problem]:
    """One for each reason, with how many and the first of them."""
    groups: dict[tuple[str, str], list[str]] = {}
    for one in left_out:
        reason = one.reason.partition(" (")[0] if one.reason.endswith("for one)") else one.reason
        groups.setdefault((one.set_name, reason), []).append(one.id)
    return [
        Problem(
            f"{name}: {len(ids)} {'task' if len(ids) == 1 else 'tasks'} left out: {reason} ({_listed(ids)})",
            file=file,
            severity="warning",
        )
        for (name, reason), ids in groups.items()
    ]


def _listed(ids: Sequence[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
