"""The default prompt of this suite: the codes there are, and the form of a selection. In templates, the codes are
``codelists``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.records import Case
from karat.core.suite_prompt import Hint, Prompting
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.filters import TIME_DIMENSION
from karat.suites.data_query.selection.selection import Target
from karat.suites.data_query.structures.records import Codelist

MOST_CODES = 300
"""Of one list."""
MOST_CODES_IN_ALL = 3_000

DEFAULT = """\
You turn a question into a selection of SDMX data: which datasets, and which codes in each of their dimensions.

{% if codelists %}
The codes to choose from:
{% for list in codelists %}

{{ list.dimension }}{{ " of dataset " ~ list.dataset if list.dataset }}:
{% for id, name in list.codes.items() %}
- {{ id }}: {{ name }}
{% endfor %}
{% if list.more %}
- and {{ list.more }} more
{% endif %}
{% endfor %}

{% endif %}
Question: {{ question }}

Reply with one JSON object and nothing else. Name every dimension that the question asks for, with the id and the name of each code:

{"indicator_selection": [{"dataset_id": "AGENCY:DATASET", "dimensions": [{"dimension_name": "INDICATOR", "values": [{"id": "CODE", "name": "its name"}]}]}], "is_out_of_scope": false, "period": {"start": "2015", "end": "2020"}}

Leave "period" out when the question names no time. When the data cannot answer the question, reply with {"indicator_selection": [], "is_out_of_scope": true}.
"""


def codelists(case: Case[Target], options: Options) -> list[JsonObject]:  # noqa: ARG001 (the same for all cases)
    """The codes of every dimension of every dataset in the structures, cut to a bounded size; none without
    structures."""
    if not options.structures:
        return []
    named = tuple(sorted(options.codelists.items()))
    changed = tuple(_changed(Path(file)) for file in options.structures)
    return _lists(options.structures, named, changed, options.language)


def _changed(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:  # reading it says what is wrong
        return 0


@lru_cache(maxsize=8)
def _lists(
    files: tuple[str, ...],
    named: tuple[tuple[str, str], ...],
    changed: tuple[int, ...],  # noqa: ARG001 (a changed file is another file)
    language: str,
) -> list[JsonObject]:
    found: list[JsonObject] = []
    room = MOST_CODES_IN_ALL
    for dataset, dimension, codelist in _used(files, dict(named), language):
        codes = dict(list(codelist.codes.items())[: min(MOST_CODES, room)])
        room -= len(codes)
        more = len(codelist.codes) - len(codes)
        entry = {"dataset": dataset, "dimension": dimension, "codelist": codelist.ref.id, "codes": codes, "more": more}
        found.append(entry)
    return found


def used_codelists(options: Options) -> Iterator[tuple[str, str, Codelist]]:
    """(dataset, dimension, codelist) of everything in the structures that the options name."""
    return _used(options.structures, options.codelists, options.language)


def _used(files: tuple[str, ...], named: Mapping[str, str], language: str) -> Iterator[tuple[str, str, Codelist]]:
    """(dataset, dimension, codelist) as the structures say; the lists alone where they say nothing of datasets."""
    from karat.suites.data_query.structures.codelists import read_structures

    structures = read_structures([Path(file) for file in files], language)
    contents = structures.contents
    by_ref = {(one.ref.agency, one.ref.id): one for one in contents.structures}
    datasets = [
        (str(flow.ref), by_ref.get((flow.structure.agency, flow.structure.id)))
        for flow in contents.dataflows
        if flow.structure
    ]
    datasets = datasets or [(str(one.ref), one) for one in contents.structures]
    seen: set[str] = set()
    for dataset, structure in datasets:
        for dimension in structure.dimensions if structure is not None else ():
            codelist = structures.find(dataset, dimension.id, named)
            if dimension.id != TIME_DIMENSION and isinstance(codelist, Codelist):
                seen.add(str(codelist.ref))
                yield dataset, dimension.id, codelist
    for codelist in structures.all:
        if str(codelist.ref) not in seen:
            own = codelist.ref.id.upper().removeprefix("CL_")  # as ``codelists`` looks them up
            yield "", next((name for name, wanted in named.items() if wanted == codelist.ref.id), own), codelist


_TEXT = {"type": "string"}


def _object(**properties: object) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def answer_schema(
    cases: Sequence[Case[Target]],  # noqa: ARG001 (always the same)
    options: Options,  # noqa: ARG001 (always the same)
) -> JsonMapping:
    """A selection in the suite's own form."""
    code = _object(id=_TEXT, name=_TEXT)
    dimension = _object(dimension_name=_TEXT, values={"type": "array", "items": code})
    part = _object(dataset_id=_TEXT, dimensions={"type": "array", "items": dimension})
    end = {"type": ["string", "null"]}
    return _object(
        indicator_selection={"type": "array", "items": part},
        is_out_of_scope={"type": "boolean"},
        period={"anyOf": [_object(start=end, end=end), {"type": "null"}]},
    )


PROMPTING = Prompting(
    DEFAULT,
    {"codelists": Hint("the codes in the structures: dataset, dimension, codelist, codes (id: name), more", codelists)},
    answer_schema,
)
