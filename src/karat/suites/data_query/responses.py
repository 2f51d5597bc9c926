"""A response as a selection. ``docs/responses.md`` lists the forms a response may have; what counts as a selection in
them:

- own: an object with ``indicator_selection`` (an empty list selects nothing), ``datasets_selection``,
  ``is_out_of_scope: true`` or ``outcome``;
- MCP: ``structuredContent.queries[]``, or ``queries[]`` of datasets as JSON in words or tool arguments;
- DIAL: the states of the tools in ``custom_content.state.tool_messages[]``.

Nothing selected is read only where the response says so: an empty selection, ``is_out_of_scope: true``, a refusal, or a
rule of the project (``outcome_from``). Anything else without a selection is unreadable, and so are two selections that
differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from karat.core.case_files.line_keys import MEASURED
from karat.core.files.validation_errors import shape_in_words
from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import slip_of
from karat.core.replies import Candidate, Reply, only_one, read_reply
from karat.core.replies.failures import refuse_empty_failures
from karat.core.suite import Unreadable
from karat.suites.data_query.formats.dial import dial_selection, dial_states, refuse_misspelt_states
from karat.suites.data_query.formats.mcp import mcp_selection, refuse_misspelt_queries
from karat.suites.data_query.formats.misspelt_keys import (
    SELECTING,
    SELECTING_ALONE,
    refuse_lost_conditions,
    refuse_misspelt,
)
from karat.suites.data_query.formats.operators import on_codes
from karat.suites.data_query.options import Options
from karat.suites.data_query.periods.faults import refuse_no_periods
from karat.suites.data_query.periods.filters import exchanged, is_time, with_period
from karat.suites.data_query.periods.year_numbers import with_years
from karat.suites.data_query.selection.outcomes import (
    NOT_STATED,
    WITHOUT_ANSWER,
    Found,
    OutcomeRule,
    SaysError,
    outcome_by_rule,
    own_outcome,
    values_at,
)
from karat.suites.data_query.selection.selection import (
    DatasetSelection,
    DatasetsSelection,
    Dimension,
    Period,
    Selection,
    Term,
)
from karat.suites.data_query.selection.stages import Stage, read_stages

OWN_KEYS = ("indicator_selection", "is_out_of_scope", "datasets_selection", "period", "outcome", "stages")
LINE_KEYS = ("id", "turn", "repeat", "error", "errors", "latency", "tokens", "cost", "response")
"""What a recorded line may say beside the selection."""
STATING = ("indicator_selection", "datasets_selection", "is_out_of_scope", "outcome")
"""Of the own keys, those that make an object an answer."""
NO_DATA = '"outcome": "no_data"'
DEEPEST = 6
"""How deep inside a response a selection is looked for, to say where it is."""
EXPECTED = (
    '"indicator_selection", "outcome" or "is_out_of_scope", "structuredContent.queries" (MCP) or tool states in '
    '"custom_content" (DIAL)'
)
IN_WORDS = "If these words mean that nothing is selected, say so with the option outcome_from."


class Reading(msgspec.Struct, frozen=True):
    """What a response says: the selection, and the outcome where it states one, with how."""

    selection: Selection
    found: Found | None = None
    stages: tuple[Stage, ...] = ()
    notes: tuple[str, ...] = ()
    """What was read in another way than it was written."""


def read_response(response: bytes, today: str = "", rules: Sequence[OutcomeRule] = ()) -> Selection:
    """The selection in a raw response; see :func:`read`."""
    return read(response, today, rules).selection


def read(response: bytes, today: str = "", rules: Sequence[OutcomeRule] = (), stages_from: str = "") -> Reading:
    """What a raw response says. Raises :class:`Unreadable` with the reason when it says nothing about a selection.

    ``today`` is the day that relative dates mean, ``rules`` the option ``outcome_from``, ``stages_from`` where the
    stages are.
    """
    reply = read_reply(response, STATING)
    try:
        reading = _reading(reply, today, rules)
        stages = _stages(reply, stages_from)
        return msgspec.structs.replace(reading, stages=stages) if stages else reading
    except SaysError:
        raise
    except Unreadable as error:
        raise reply.explained(error) from error


def outcome_of(reading: Reading, silence: str = NOT_STATED) -> tuple[str, str]:
    """(what the response does, what says so). ``silence``: what an empty selection means that says nothing more."""
    selection = reading.selection
    if reading.found is not None and reading.found.outcome != "answer":
        return reading.found.outcome, reading.found.how
    if selection.is_out_of_scope:
        return "out_of_scope", "is_out_of_scope"
    if selection.selects:
        return "answer", "selection"
    if reading.found is not None:
        return reading.found.outcome, reading.found.how
    return silence, "nothing is selected"


def understand(response: bytes, options: Options) -> JsonObject:
    """What is read from one response, for ``karat check --response``."""
    found = read(response, options.today, options.outcome_from)
    said = {"outcome": found.found.outcome, "by": found.found.how} if found.found else {}
    selection: JsonObject = msgspec.to_builtins(found.selection)
    if not found.selection.indicator_selection and not said:
        selection["indicator_selection"] = []
    return {**said, **selection}


def _reading(reply: Reply, today: str, rules: Sequence[OutcomeRule]) -> Reading:
    if reply.failure:
        said = isinstance(reply.body, Mapping) and reply.body.get("isError") is True
        raise SaysError(reply.failure, "isError") if said else Unreadable(reply.failure)
    candidates = [*_tool_result(reply), *reply.json_candidates(_fits)]
    found = _stated(candidates) or outcome_by_rule(reply, rules)
    if found is None:
        inner = ((one.value.get("structuredContent", one.value), one.where) for one in candidates)
        refuse_empty_failures((Candidate(value, where) for value, where in inner if isinstance(value, Mapping)), _fits)
    if found is not None and found.outcome == "error":
        raise SaysError(f"the response says that it failed ({found.how})", found.how)
    if found is not None and found.outcome in WITHOUT_ANSWER:
        return Reading(Selection(is_out_of_scope=found.outcome == "out_of_scope"), found)
    if found is not None and found.rule is not None and found.rule.tool:
        given = reply.calls[-1].arguments
        candidates = [Candidate(given, f"the arguments of {found.rule.tool}")] if isinstance(given, Mapping) else []
    states = dial_states(reply.custom_content)
    if reply.refusal and (candidates or states):
        raise Unreadable("the response both refuses and selects")
    if reply.refusal:
        return Reading(Selection(is_out_of_scope=True), Found("out_of_scope", "refusal"))
    selection = _selection(reply, candidates, states, today)
    if selection.is_out_of_scope and found is None:
        found = Found("out_of_scope", "is_out_of_scope")
    notes = tuple(dict.fromkeys(note for one in candidates for note in _notes(one.value, today)))
    return Reading(selection, found, notes=notes)


def _notes(value: JsonMapping, today: str) -> Iterator[str]:
    """Periods whose ends were exchanged, in either form of a selection."""
    value = with_years(value)
    content = value.get("structuredContent", value)
    queries = content.get("queries") if isinstance(content, Mapping) else None
    for entry in (*_objects(queries), *_objects(value.get("indicator_selection"))):
        for item in (*_objects(entry.get("filters")), *_objects(entry.get("dimensions"))):
            name = item.get("dimensionId") or item.get("dimension_name")
            values = [one["id"] if isinstance(one, Mapping) else one for one in item.get("values") or ()]
            if isinstance(name, str) and is_time(name) and "operator" in item:
                note = exchanged(str(item["operator"]), values, today)
                if note:
                    yield note


def _objects(items: object) -> list[JsonMapping]:
    return [item for item in items if isinstance(item, Mapping)] if isinstance(items, list) else []


def _stages(reply: Reply, path: str) -> tuple[Stage, ...]:
    """The stages under the key ``stages``, or where the option ``stages_from`` says."""
    if path:
        found = next(values_at(reply.body, path.split(".")), None)
        return read_stages(found) if found is not None else ()
    held = [one.value["stages"] for one in reply.json_candidates(_fits) if "stages" in one.value]
    return read_stages(held[0]) if held else ()


def _fits(value: JsonMapping) -> bool:
    """Whether an object says what is selected."""
    if "indicator_selection" in value or "datasets_selection" in value or value.get("is_out_of_scope") is True:
        return True
    if isinstance(value.get("outcome"), str):
        return True
    if isinstance(value.get("structuredContent"), Mapping):
        return "queries" in value["structuredContent"]
    queries = value.get("queries")
    return isinstance(queries, list) and any(isinstance(query, Mapping) and "datasetUrn" in query for query in queries)


def _tool_result(reply: Reply) -> list[Candidate]:
    """The queries of an MCP tool result. There, an empty list of them says that nothing was selected."""
    content = reply.body.get("structuredContent") if isinstance(reply.body, Mapping) else None
    found = isinstance(content, Mapping) and "queries" in content
    return [Candidate({"structuredContent": content}, "structuredContent")] if found else []


def _stated(candidates: Sequence[Candidate]) -> Found | None:
    """The outcome that the response states itself, under ``outcome``."""
    stated = [own_outcome(one.value["outcome"]) for one in candidates if isinstance(one.value.get("outcome"), str)]
    if len({found.outcome for found in stated}) > 1:
        raise Unreadable("several different outcomes in the response: expected exactly one")
    return stated[0] if stated else None


def _selection(reply: Reply, candidates: list[Candidate], states: Sequence[JsonMapping], today: str) -> Selection:
    if states:
        candidates = [*candidates, Candidate({"tool states": states}, "custom_content")]
    if not candidates:
        for value in reply.json_objects():
            refuse_misspelt(value, (*STATING, "structuredContent"), "the response")
            refuse_misspelt_queries(value.get("queries"))
            if place := _deeper(value):
                raise Unreadable(
                    f'"{place}" contains a selection, but Karat does not look there. Give that object as the response, '
                    "or name its place with response_path (systems of type http)."
                )
        refuse_misspelt_states(reply.custom_content)
        if reply.custom_content and not reply.cut:
            raise Unreadable(f"no tool in custom_content says what was selected. Expected {EXPECTED}.")
        error = reply.nothing("selection", EXPECTED)
        raise Unreadable(f"{error} {IN_WORDS}") if _only_words(reply) else error
    selection: Selection = only_one(candidates, lambda value: _selection_in(value, today), "selection")
    refuse_no_periods(selection, today)
    return selection


def _only_words(reply: Reply) -> bool:
    return bool(reply.text.strip()) and not (reply.cut or reply.broken_json or reply.calls or reply.json_objects())


def _selection_in(value: JsonMapping, today: str) -> Selection:
    if "tool states" in value:
        return dial_selection(value["tool states"], today)
    value = with_years(value)
    if any(key in value for key in STATING):
        return with_period(_own_selection(value), today)
    return mcp_selection(value.get("structuredContent", value), today)


def _deeper(value: JsonMapping) -> str:
    """The path of the first object inside that says what is selected; empty where there is none."""
    waiting: list[tuple[str, object, int]] = [(str(key), inner, 1) for key, inner in value.items()]
    for path, one, depth in waiting:
        if isinstance(one, Mapping) and _fits(one):
            return path
        if depth < DEEPEST:
            inner = one.items() if isinstance(one, Mapping) else enumerate(one) if isinstance(one, list) else ()
            waiting += [(f"{path}.{key}", held, depth + 1) for key, held in inner if isinstance(held, Mapping | list)]
    return ""


def _own_selection(body: JsonMapping) -> Selection:
    _refuse_keys_beside(body)
    try:
        selection = msgspec.convert(body, Selection)
    except msgspec.ValidationError as error:
        _refuse_keys_inside(body)
        raise Unreadable(f"the selection cannot be read: {shape_in_words(error, 'the answer', _KEYS)}") from error
    return msgspec.structs.replace(
        selection, indicator_selection=tuple(_with_known_operators(part) for part in selection.indicator_selection)
    )


def _refuse_keys_beside(body: JsonMapping) -> None:
    """A key beside the selection that is a misspelt one of ours, or a part of a selection that nothing reads."""
    answering = {key: value for key, value in body.items() if not slip_of(key, MEASURED)}  # these are only warned of
    refuse_misspelt(answering, (*OWN_KEYS, *LINE_KEYS), "the answer")
    if not isinstance(body.get("outcome"), str | None):
        raise Unreadable(f"outcome must be one text, such as {NO_DATA}")
    others = {key: value for key, value in body.items() if key not in OWN_KEYS and key not in LINE_KEYS}
    if not others:
        return
    stated = body.get("indicator_selection") or body.get("datasets_selection") or body.get("is_out_of_scope")
    words = SELECTING if stated else SELECTING_ALONE
    if isinstance(others.get("query"), str):  # most likely the question
        del others["query"]
    refuse_lost_conditions(others, words, "the answer", "Write what is selected under indicator_selection.")


def _refuse_keys_inside(body: JsonMapping) -> None:
    """A misspelt key inside a selection that cannot be read, with the key that was meant."""
    try:
        for first, part in enumerate(_objects(body.get("indicator_selection"))):
            place = f"indicator_selection[{first}]"
            refuse_misspelt(part, DatasetSelection.__struct_fields__, place)
            for second, dimension in enumerate(_objects(part.get("dimensions"))):
                inner = f"{place}.dimensions[{second}]"
                refuse_misspelt(dimension, Dimension.__struct_fields__, inner)
                for third, value in enumerate(_objects(dimension.get("values"))):
                    refuse_misspelt(value, Term.__struct_fields__, f"{inner}.values[{third}]")
    except Unreadable as error:
        raise Unreadable(f"the selection cannot be read: {error}") from error


_KEYS = {
    "": (*OWN_KEYS, *LINE_KEYS),
    "indicator_selection": DatasetSelection.__struct_fields__,
    "dimensions": Dimension.__struct_fields__,
    "values": Term.__struct_fields__,
    "period": Period.__struct_fields__,
    "also": Period.__struct_fields__,
    "datasets_selection": DatasetsSelection.__struct_fields__,
}
"""Under each key of a selection, the keys that are known there."""


def _with_known_operators(part: DatasetSelection) -> DatasetSelection:
    """Every operator under the name that it is compared by; a dimension that is excluded is left out."""
    if all(one.operator == "in" for one in part.dimensions):
        return part
    dimensions = [
        one if is_time(one.dimension_name) else msgspec.structs.replace(one, operator=operator)
        for one in part.dimensions
        if is_time(one.dimension_name) or (operator := on_codes(one.operator, one.dimension_name)) != "excluded"
    ]
    return msgspec.structs.replace(part, dimensions=tuple(dimensions))
