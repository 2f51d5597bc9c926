"""promptfoo: a configuration (YAML or JSON with prompts and tests) and the results that it writes (JSON).

The variables of a test are columns, ``vars.question``. What is expected comes from its assertions: ``equals``,
``contains``, ``contains-any``, ``contains-all`` and their forms without case. Assertions that ask a model or run code
cannot be taken, and are counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from karat.core.case_files.import_rows import AnyOf
from karat.core.json_types import Json, JsonMapping
from karat.core.problems import Problem, UserError
from karat.imports.source import Source, SourceRow

EXPECTED = "expected"


def is_config(value: Json) -> bool:
    """Whether a document is a configuration of promptfoo."""
    return (
        isinstance(value, Mapping)
        and "tests" in value
        and bool(set(value) & {"prompts", "providers", "targets", "defaultTest"})
    )


def is_results(value: Json) -> bool:
    """Whether a document is what promptfoo writes after a run."""
    if not isinstance(value, Mapping):
        return False
    return bool(_results(value))


def _results(value: JsonMapping) -> list[Json]:
    found = value.get("results")
    if isinstance(found, Mapping):
        found = found.get("results")
    signs = {"vars", "testCase", "promptIdx", "gradingResult"}
    return (
        found if isinstance(found, list) and found and isinstance(found[0], Mapping) and signs & set(found[0]) else []
    )


def read_config(path: Path, value: JsonMapping) -> Source:
    """A row for each test."""
    tests = value["tests"]
    if isinstance(tests, str):
        raise UserError(f"the tests of {path} are in another file: {tests}", hint="Import that file: karat import FILE")
    default = value.get("defaultTest")
    default = default if isinstance(default, Mapping) else {}
    source = Source("promptfoo configuration", [], {EXPECTED: EXPECTED})
    left: Counter[str] = Counter()
    for number, test in enumerate(tests if isinstance(tests, list) else [], start=1):
        if not isinstance(test, Mapping):
            where = f"test {number} is skipped: {test}" if isinstance(test, str) else f"test {number} is skipped"
            source.problems.append(Problem(f"{where}; its tests are in another file", file=str(path)))
            continue
        names = {**_mapping(default.get("vars")), **_mapping(test.get("vars"))}
        asserts = [*_list(default.get("assert")), *_list(test.get("assert"))]
        cells = {f"vars.{name}": item for name, item in names.items()}
        cells[EXPECTED] = _expected(asserts, left)
        if "description" in test:
            cells["description"] = test["description"]
        source.rows.append(SourceRow(number, cells))
    _note_left(source, left)
    return source


def read_results(path: Path, value: JsonMapping) -> Source:
    """A row for each test, with a column of answers for each provider and prompt."""
    source = Source("promptfoo results", [], {EXPECTED: EXPECTED})
    left: Counter[str] = Counter()
    results = [one for one in _results(value) if isinstance(one, Mapping)]
    prompts = {one.get("promptIdx", 0) for one in results}
    rows: dict[str, SourceRow] = {}
    seen: set[str] = set()
    for number, one in enumerate(results, start=1):
        test = _mapping(one.get("testCase"))
        names = _mapping(one.get("vars")) or _mapping(test.get("vars"))
        key = str(one["testIdx"]) if "testIdx" in one else msgspec.json.encode(names, order="sorted").decode()
        if key not in rows:
            cells = {f"vars.{name}": item for name, item in names.items()}
            cells[EXPECTED] = _expected(_list(test.get("assert")), left)
            rows[key] = SourceRow(number, cells)
        provider = _provider(one) + (f", prompt {one.get('promptIdx', 0)}" if len(prompts) > 1 else "")
        column = f"answer of {provider}"
        seen.add(column)
        response = one.get("response")
        output = response.get("output") if isinstance(response, Mapping) else one.get("output")
        failed = one.get("error") if output is None else None
        if failed:
            rows[key].cells[f"error of {provider}"] = str(failed)
        elif rows[key].cells.setdefault(column, output) is not output:
            source.problems.append(
                Problem(f"result {number} is skipped: a second answer of {provider}", file=str(path))
            )
    source.rows = list(rows.values())
    if len(seen) == 1:
        column = next(iter(seen))
        source.known |= {"answer": column, "error": column.replace("answer of", "error of", 1)}
    _note_left(source, left)
    return source


def _provider(one: JsonMapping) -> str:
    given = one.get("provider")
    if isinstance(given, Mapping):
        given = given.get("label") or given.get("id")
    return str(given or "the provider")


def _expected(asserts: Sequence[Json], left: Counter[str]) -> Json:
    """The one thing that the assertions of a test expect; what cannot be taken is counted."""
    found: list[Json] = []
    for kind, value in _flat(asserts):
        if (kind == "equals" and value is not None) or (kind in ("contains", "icontains") and value is not None):
            found.append(value)
        elif kind in ("contains-any", "icontains-any") and (parts := _parts(value)):
            found.append(AnyOf(parts))
        elif kind in ("contains-all", "icontains-all") and (parts := _parts(value)):
            found.append(parts)
        else:
            left[kind] += 1
    if not found:
        return None
    if len(found) == 1:
        return found[0]
    if any(isinstance(part, AnyOf) for part in found):
        left["several assertions of which one is contains-any"] += 1
        return None
    return [item for part in found for item in (part if isinstance(part, list) else [part])]


def _flat(asserts: Sequence[Json]) -> Iterator[tuple[str, object]]:
    for one in asserts:
        if isinstance(one, Mapping) and one.get("type") == "assert-set":
            yield from _flat(_list(one.get("assert")))
        elif isinstance(one, Mapping):
            yield str(one.get("type", "an assertion without a type")), one.get("value")


def _parts(value: Json) -> list[Json]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, list) else []


def _note_left(source: Source, left: Counter[str]) -> None:
    if left:
        told = ", ".join(f"{kind} ({count})" for kind, count in left.most_common())
        source.notes.append(f"assertions that are not imported: {told}")


def _mapping(value: Json) -> JsonMapping:
    return value if isinstance(value, Mapping) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
