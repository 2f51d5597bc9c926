"""A gold file with other values in one of its rows; every other sign of it stays, also where it is not quite JSONL."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any  # Any: a member of a gold row, as JSON has it

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import UserError
from karat.suites.answers.gold.loose_json import ReadObject, member_text, read_objects


def row_of(data: bytes, instance_id: str, file: str) -> JsonObject:
    """What the row of an instance says."""
    rows, _ = read_objects(data, file)
    return rows[_number(rows, instance_id, file)].value


def _number(rows: Sequence[ReadObject], instance_id: str, file: str) -> int:
    for place, row in enumerate(rows):
        if row.value.get("instance_id") == instance_id:
            return place
    raise UserError(f"{file} no longer has a row for {instance_id}")


def with_row(data: bytes, instance_id: str, changes: JsonMapping, file: str) -> bytes:
    """The file with these values in the row of the instance. UserError where they cannot be put there alone."""
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{file} is not UTF-8 text, so it is not changed") from error
    rows, problems = read_objects(data, file)
    number = _number(rows, instance_id, file)
    row = rows[number]
    start = _offset(text.removeprefix("\ufeff"), row) + (1 if text.startswith("\ufeff") else 0)
    new = row.raw
    for key, value in changes.items():
        new = _with_member(new, key, row.value.get(key), value)
    result = (text[:start] + new + text[start + len(row.raw) :]).encode()
    expected = [one.value for one in rows]
    expected[number] = {**row.value, **changes}
    again, more = read_objects(result, file)
    if [one.value for one in again] != expected or len(more) != len(problems):
        raise UserError(f"it cannot be inserted into {file} without changing something else")
    return result


def _offset(text: str, row: ReadObject) -> int:
    """Where the text of a row begins."""
    at = 0
    for _ in range(row.line - 1):
        at = text.find("\n", at) + 1
    return text.find(row.raw, at)


def _with_member(raw: str, key: str, old: Any, new: Any) -> str:
    written = member_text(raw, key)
    if not written:
        last = len(raw[:-1].rstrip())
        return f"{raw[:last]}, {_json(key, raw)}: {_json(new, raw)}{raw[last:]}"
    found = re.search(rf'"{re.escape(key)}"\s*:\s*(?={re.escape(written)})', raw)
    if found is None:
        raise UserError(f'the value of "{key}" was not found in the row')
    return raw[: found.end()] + _value(written, old, new, raw) + raw[found.end() + len(written) :]


def _value(written: str, old: Any, new: Any, raw: str) -> str:
    """The new value. Where a list got one more, or a lone object became the first of a list, what stood there stays as
    it was written."""
    if isinstance(new, list) and isinstance(old, dict) and new[:-1] == [old]:
        return f"[{written}, {_json(new[-1], raw)}]"
    if isinstance(new, list) and isinstance(old, list) and old and new[:-1] == old:
        inside = written[:-1].rstrip()
        comma = "" if inside.endswith(",") else ","
        return f"{inside}{comma} {_json(new[-1], raw)}{written[len(inside) :]}"
    if isinstance(new, dict) and isinstance(old, dict) and old:
        for key in new:
            if key not in old or new[key] != old[key]:
                written = _with_member(written, key, old.get(key), new[key])
        return written
    return _json(new, raw)


def _json(value: Any, raw: str) -> str:
    """As JSON, with blanks after commas and colons where the row has them."""
    separators = (", ", ": ") if '": ' in raw else (",", ":")
    return json.dumps(value, ensure_ascii=False, separators=separators)
