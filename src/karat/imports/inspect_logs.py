"""Logs of inspect_ai: the JSON form, and the ``.eval`` form, a zip archive with a JSON file for each sample.

A sample has an input (a text or messages), a target (several: any is right), and an output. Epochs are repeats.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from karat.core.case_files.import_rows import AnyOf
from karat.core.files import json
from karat.core.files.limits import MIB, UNPACKED_MB
from karat.core.files.reading import FileRefused, open_bytes
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem
from karat.imports.source import Source, SourceRow
from karat.imports.xlsx import BROKEN

KNOWN = {"question": "input", "expected": "target", "answer": "output", "id": "id", "repeat": "epoch", "error": "error"}
MOST_MEMBERS = 1_000_000
MOST_EPOCHS = 1_000_000


def is_log(value: Json) -> bool:
    """Whether a document is a log with its samples."""
    return isinstance(value, Mapping) and "eval" in value and ("samples" in value or "plan" in value)


def read_log(path: Path, value: JsonMapping) -> Source:
    """The samples of a log in JSON."""
    samples = value.get("samples")
    return _source(path, "inspect_ai log", samples if isinstance(samples, list) else [])


def is_archive(path: Path) -> bool:
    """Whether a file is a zip archive with samples."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except BROKEN:
        return False
    return any(name.startswith("samples/") for name in names) and not any(name.startswith("xl/") for name in names)


def read_archive(path: Path) -> Source:
    """The samples of a log in the ``.eval`` form."""
    with open_bytes(path) as file:
        data = file.read()
    left = UNPACKED_MB.value * MIB
    samples = []
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("samples/") and name.endswith(".json"))
        for name in names[:MOST_MEMBERS]:
            try:
                with archive.open(name) as member:
                    text = member.read(left + 1)
                left -= len(text)
                if left < 0:
                    said = f"the unpacked content of the file is larger than {UNPACKED_MB.value:,} MiB"
                    raise FileRefused(path, said, hint=UNPACKED_MB.hint)
                samples.append(json.decode(text))
            except json.BadJson as error:
                raise FileRefused(path, f"{name} is not valid JSON: {error}") from None
            except FileRefused:
                raise
            except BROKEN as error:
                hint = "inspect log convert --to json FILE writes a form that can always be read."
                raise FileRefused(path, f"{name} cannot be unpacked: {error}", hint=hint) from None
    return _source(path, "inspect_ai log (.eval)", samples)


def _source(path: Path, form: str, samples: Iterable[object]) -> Source:
    if not (found := [sample for sample in samples if isinstance(sample, Mapping)]):
        raise FileRefused(
            path, "the log has no samples", hint="It may contain only the header: inspect log dump writes all of it."
        )
    source = Source(form, [], dict(KNOWN))
    for number, sample in enumerate(found, start=1):
        target, epoch = sample.get("target"), sample.get("epoch") or 1
        if not isinstance(epoch, int) or not 1 <= epoch <= MOST_EPOCHS:
            said = f"sample {number} is skipped: its epoch is not a whole number from 1 to {MOST_EPOCHS:,}"
            source.problems.append(Problem(said, file=str(path)))
            continue
        cells = {
            "id": str(sample.get("id", number)),
            "epoch": epoch - 1,
            "input": sample.get("input"),
            "target": AnyOf(target) if isinstance(target, list) else target,
            "output": _output(sample.get("output")),
        }
        if failed := sample.get("error"):
            cells["error"] = str(failed.get("message", failed)) if isinstance(failed, Mapping) else str(failed)
        metadata = sample.get("metadata")
        if isinstance(metadata, Mapping):
            cells |= {f"metadata.{key}": value for key, value in metadata.items()}
        source.rows.append(SourceRow(number, cells))
    return source


def _output(output: object) -> Json:
    if not isinstance(output, Mapping):
        return output
    if isinstance(output.get("completion"), str) and output["completion"]:
        return output["completion"]
    try:
        content = output["choices"][0]["message"]["content"]
    except (LookupError, TypeError):
        return None
    if isinstance(content, list):
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in texts if isinstance(text, str)) or None
    return content or None
