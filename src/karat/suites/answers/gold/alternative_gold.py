"""The gold of an instance with one more answer that counts: what the gold is then, what its row says, and the new
file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any  # Any: the evaluation of a gold row, an object or a list of objects

import msgspec

from karat.core.case_files.case_checks import Edit
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.suites.answers.cases import FLAT_FOLDER
from karat.suites.answers.records import Answer, Entry, Gold
from karat.suites.answers.spider2.conditions import says_nothing
from karat.suites.answers.strict.found_numbers import find_numbers

MOST_BYTES = 8 * 1024 * 1024
"""A larger table is no thing to put into a patch."""
TABLES = ("table_match", "tables_match", "duckdb_match")


class Change(msgspec.Struct, frozen=True):
    """The gold as it is then, the keys of its row that change, and its new file."""

    gold: Gold
    row: JsonObject = {}
    """Key of the row → its new value."""
    table: Edit | None = None


def has_table(gold: Gold) -> bool:
    """Whether gold judges files."""
    return any(entry.func in TABLES for entry in gold.entries)


# -- texts and numbers ------------------------------------------------------------------------------------------------


def with_text(gold: Gold, answer: Answer, row: JsonMapping) -> list[Change]:
    """The ways to say the answer in one more entry: as the one number it holds, where gold asks for a number; as a
    text."""
    if answer.kind != "answer":
        raise UserError("the answer is several files that must all pass, so it cannot have alternatives")
    if gold.family == "flat":
        raise UserError("its gold is a table in a separate file, so a text cannot be added to it")
    entries = [Entry("string_match", {"gold": [answer.text.strip()]})]
    numbers = find_numbers(answer.text)
    asked = next((entry for entry in gold.entries if entry.func == "number_match"), None)
    if asked is not None and len(numbers) == 1:
        same: JsonObject = {
            key: asked.parameters[key] for key in ("percentage", "precision") if key in asked.parameters
        }
        entries.insert(0, Entry("number_match", {"gold": [numbers[0].text.strip()], **same}))
    return [_with_entry(gold, entry, row.get("evaluation")) for entry in entries]


def _with_entry(gold: Gold, entry: Entry, evaluation: Any) -> Change:
    parts = evaluation if isinstance(evaluation, list) else [evaluation]
    more = [*parts, {"func": entry.func, "parameters": entry.parameters}]
    return Change(msgspec.structs.replace(gold, entries=(*gold.entries, entry)), {"evaluation": more})


# -- tables -----------------------------------------------------------------------------------------------------------


def with_table(gold: Gold, answer: Answer, row: JsonMapping, gold_file: Path) -> Change:
    """One more gold file, with what the answer's file holds."""
    table = Path(answer.paths[0])
    if table.suffix.lower() != ".csv":
        raise UserError(f"{table.name} is not a CSV file, and only tables can have several golds")
    entry = next((one for one in reversed(gold.entries) if one.func in TABLES), None)
    if entry is None:
        raise UserError("its gold is a text or a number, but the answer is a table")
    if entry.func != "table_match":
        raise UserError(f"{entry.func} has only one gold, so it cannot have alternatives")
    if not entry.gold_files:
        raise UserError("its gold does not name a file that another could be added to")
    last = Path(entry.gold_files[-1])
    named = _named(entry)
    own = f"{FLAT_FOLDER}/" if gold.family == "flat" else _folder(gold, last, named[-1])
    folder, _, name = f"{own}{named[-1]}".rpartition("/")
    place = gold_file.parent / folder
    new = _next_name(name, len(named), {one.name for where in (last.parent, place) for one in _listed(where)})
    edit = Edit(place / new, _content(table))
    conditions = _conditions(entry.parameters, len(named))
    listed = [*named, f"{named[-1].rpartition('/')[0]}/{new}".removeprefix("/")]
    changed = Entry("table_match", {**entry.parameters, "gold": listed, **conditions}, (*entry.gold_files, str(table)))
    entries = tuple(changed if one is entry else one for one in gold.entries)
    keys = conditions if gold.family == "flat" else {"evaluation": _with_parameters(row.get("evaluation"), changed)}
    return Change(msgspec.structs.replace(gold, entries=entries), keys, edit)


def _with_parameters(evaluation: Any, changed: Entry) -> Any:
    """The evaluation with other parameters in its last part that judges tables."""
    parts = list(evaluation) if isinstance(evaluation, list) else [evaluation]
    last = max(place for place, part in enumerate(parts) if isinstance(part, dict) and part.get("func") in TABLES)
    parts[last] = {**parts[last], "parameters": changed.parameters}
    return parts if isinstance(evaluation, list) else parts[0]


def _named(entry: Entry) -> list[str]:
    """The gold files as the row names them."""
    named = entry.parameters.get("gold")
    return [str(one) for one in named] if isinstance(named, list) else [str(named)]


def _folder(gold: Gold, last: Path, named: str) -> str:
    """The folder of the instance, unless its files lie beside the gold file."""
    own = f"{gold.instance_id}/"
    return own if last.as_posix().endswith(f"/{own}{named}") else ""


def _next_name(name: str, count: int, taken: set[str]) -> str:
    """``result.csv`` → ``result_b.csv`` → ``result_c.csv``: the letter says which of the golds it is."""
    stem, _, suffix = name.rpartition(".")
    plain = re.sub(r"_[a-z]$", "", stem) if count > 1 or stem.endswith("_a") else stem
    for letter in ascii_lowercase[min(count, 25) :]:
        if (found := f"{plain}_{letter}.{suffix}") not in taken:
            return found
    raise UserError(f"all letters are used for the golds of {name}")


def _listed(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _content(table: Path) -> bytes:
    try:
        size = table.stat().st_size
        if size > MOST_BYTES:
            raise UserError(f"the table has {size:,} bytes; at most {MOST_BYTES:,} fit into a patch")
        data = table.read_bytes()
        data.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{table.name} is not UTF-8 text, so a patch cannot contain it") from error
    except OSError as error:
        raise UserError(f"the table of the answer no longer exists: {table.name}") from error
    return data


def _conditions(parameters: JsonObject, golds: int) -> JsonObject:
    """The conditions that must change so that the old golds keep theirs, and of the new one all columns count."""
    changed: JsonObject = {}
    columns = parameters.get("condition_cols")
    if isinstance(columns, list) and not says_nothing(columns):
        nested = isinstance(columns[0], list | tuple)
        own: Sequence[Any] = columns if nested else [columns] * golds
        changed["condition_cols"] = [*own, *([[]] * (golds + 1 - len(own)))]
    order = parameters.get("ignore_order")
    if isinstance(order, list) and len(order) == golds:
        changed["ignore_order"] = [*order, any(order)]
    return changed
