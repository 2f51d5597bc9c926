"""Predictions: what the assistant selected, from recorded files and from raw responses.

Three forms are understood, by what they hold:

- own: ``{"indicator_selection": [...], "is_out_of_scope"?, "period"?, "datasets_selection"?}``;
- DIAL chat completions as StatGPT answers them: ``choices[0].message.custom_content.state.tool_messages[]``;
- MCP tool results: ``structuredContent.queries[]``.

A recorded file is JSONL, one object a scored turn with ``id`` and ``turn``; also one JSON list; or a folder with a response
body in ``<case id>.json`` (``<case id>.<turn>.json`` for a later turn).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from karat.core import json
from karat.core.files import read_bytes
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens
from karat.core.suite import LoadedPredictions, Unreadable
from karat.suites.data_query.selection import DatasetSelection, Dimension, Period, Selection, Term

# -- a response into a selection --------------------------------------------------------------------------------------

_own = msgspec.json.Decoder(Selection)
OWN_KEYS = ("indicator_selection", "is_out_of_scope", "datasets_selection", "period")
TIME_DIMENSION = "TIME_PERIOD"


def read_response(response: bytes) -> Selection:
    """The selection in a raw response. Raises :class:`Unreadable` with what was expected when there is none."""
    try:
        body = json.decode(response)
    except json.BadJson as error:
        raise Unreadable(f"the response is not JSON: {error}") from error
    if not isinstance(body, Mapping):
        raise Unreadable(f"the response is {_kind(body)}, not a JSON object")
    if "response" in body and not any(key in body for key in OWN_KEYS):
        body = body["response"]
        if not isinstance(body, Mapping):
            raise Unreadable(f'"response" is {_kind(body)}, not a JSON object')
    if any(key in body for key in OWN_KEYS):
        return _own_selection(body)
    if "choices" in body:
        return _dial_selection(body)
    mcp = _mcp_content(body)
    if mcp is not None:
        return _mcp_selection(mcp)
    keys = ", ".join(list(body)[:8]) or "none"
    raise Unreadable(
        f'no selection in the response: expected "indicator_selection", "choices" (DIAL) or "structuredContent" (MCP); its keys are: {keys}'
    )


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")


def _own_selection(body: Mapping[str, Any]) -> Selection:
    try:
        return msgspec.convert(body, Selection)
    except msgspec.ValidationError as error:
        raise Unreadable(f"the selection is not in the expected shape: {error}") from error


def _dial_selection(body: Mapping[str, Any]) -> Selection:
    """StatGPT keeps what each tool selected in the state of its message. Without such a state nothing was selected."""
    try:
        message = body["choices"][0]["message"]
    except (LookupError, TypeError) as error:
        raise Unreadable("a chat completion without choices[0].message") from error
    content = _mapping(message, "custom_content")
    tools = _mapping(content, "state").get("tool_messages") or []
    parts: list[DatasetSelection] = []
    period: Period | None = None
    for tool in tools if isinstance(tools, list) else []:
        state = _mapping(_mapping(tool, "custom_content"), "state")
        names = _mapping(state, "indexed_datasets_id_map")
        for key, dimensions in _mapping(state, "dimension_id_to_name").items():
            if not isinstance(dimensions, Mapping):
                raise Unreadable(f'dimension_id_to_name["{key}"] is {_kind(dimensions)}, not an object')
            parts.append(DatasetSelection(str(names.get(key, key)), tuple(_dial_dimensions(dimensions))))
        when = _mapping(state, "date_time_query_response")
        if when.get("start") or when.get("end"):
            period = Period(_text(when.get("start")), _text(when.get("end")))
    return Selection(tuple(parts), period=period)


def _dial_dimensions(dimensions: Mapping[str, Any]) -> Iterable[Dimension]:
    for name, terms in dimensions.items():
        if not isinstance(terms, Mapping):
            raise Unreadable(f'the terms of dimension "{name}" are {_kind(terms)}, not an object of id: name')
        yield Dimension(name, tuple(Term(str(code), _text(label) or "") for code, label in terms.items()))


def _mcp_content(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The structured content of a tool result, bare or inside a JSON-RPC envelope."""
    for holder in (body, _mapping(body, "result")):
        content = holder.get("structuredContent")
        if isinstance(content, Mapping) and "queries" in content:
            return content
    return None


class _McpFilter(msgspec.Struct, frozen=True):
    dimensionId: str
    operator: str = "in"
    values: tuple[Term | str, ...] = ()
    isDefault: bool = False


class _McpQuery(msgspec.Struct, frozen=True):
    datasetUrn: str
    filters: tuple[_McpFilter, ...] = ()


def _mcp_selection(content: Mapping[str, Any]) -> Selection:
    try:
        queries = msgspec.convert(content["queries"], tuple[_McpQuery, ...])
    except msgspec.ValidationError as error:
        raise Unreadable(f"structuredContent.queries is not in the expected shape: {error}") from error
    parts: list[DatasetSelection] = []
    period: Period | None = None
    for query in queries:
        dimensions = []
        for item in query.filters:
            terms = tuple(Term(value) if isinstance(value, str) else value for value in item.values)
            if item.dimensionId == TIME_DIMENSION:
                period = _mcp_period(item.operator, [term.id for term in terms], period)
            elif item.operator != "excluded":
                dimensions.append(Dimension(item.dimensionId, terms, item.operator, item.isDefault))
        parts.append(DatasetSelection(_dataset_of_urn(query.datasetUrn), tuple(dimensions)))
    return Selection(tuple(parts), period=period)


def _mcp_period(operator: str, values: list[str], period: Period | None) -> Period | None:
    known = period or Period()
    if operator in ("between", "in") and values:
        return Period(min(values), max(values))
    if operator in ("ge", "gt") and values:
        return Period(values[0], known.end)
    if operator in ("le", "lt") and values:
        return Period(known.start, values[0])
    return period


def _dataset_of_urn(urn: str) -> str:
    """``urn:sdmx:…Dataflow=IMF.RES:WEO(9.0.0)`` → ``IMF.RES:WEO(9.0.0)``; anything else as it is."""
    return urn.rpartition("=")[2] if urn.startswith("urn:") else urn


def _mapping(holder: Any, key: str) -> Mapping[str, Any]:
    value = holder.get(key) if isinstance(holder, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str | None:
    return None if value is None or value == "" else str(value)


# -- recorded files ---------------------------------------------------------------------------------------------------


class _Line(msgspec.Struct, frozen=True):
    """What a recorded line says beside the selection itself."""

    id: str
    turn: int | None = None
    repeat: int = 0
    error: Any = None
    latency: float | None = None
    tokens: Any = None
    cost: float | None = None


EXAMPLE = 'Each line is a JSON object such as {"id": "case id", "indicator_selection": […]}.'


def read_predictions(path: Path) -> LoadedPredictions:
    """Every recorded prediction under a path; a line that cannot be read is a problem and costs nothing else."""
    try:
        if path.is_dir():
            return _read_folder(path)
        data = read_bytes(path)
    except FileNotFoundError:
        raise UserError(
            f"there are no predictions at {path}: no such file or folder", hint="Give a JSONL file."
        ) from None
    except OSError as error:
        raise UserError(f"cannot read the predictions at {path}: {error.strerror}") from error
    if data.lstrip()[:1] == b"[":
        return _read_list(path, data)
    return _read_lines(path, data)


def _read_lines(path: Path, data: bytes) -> LoadedPredictions:
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, int | None, int], int] = {}
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    for number, line in enumerate(data.split(b"\n"), start=1):
        line = line.strip()
        if not line:
            continue
        _take(line, str(path), number, predictions, problems, seen)
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _read_list(path: Path, data: bytes) -> LoadedPredictions:
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    seen: dict[tuple[str, int | None, int], int] = {}
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        items = json.items(data)
    except json.BadJson as error:
        return LoadedPredictions((), (error.problem(str(path)),))
    for number, (line, item) in enumerate(items, start=1):
        _take(item, str(path), number, predictions, problems, seen, noun="item", line_of_item=line)
    return LoadedPredictions(tuple(predictions), tuple(problems))


def _take(
    line: bytes,
    file: str,
    number: int,
    predictions: list[Prediction],
    problems: list[Problem],
    seen: dict[tuple[str, int | None, int], int],
    noun: str = "line",
    line_of_item: int = 0,
) -> None:
    place = line_of_item or number
    where = "" if noun == "line" else f"{noun} {number}: "
    try:
        head = msgspec.convert(json.decode(line), _Line)
        if fault := misplaced(head.turn, head.repeat):
            problems.append(Problem(f"{where}{fault}", file=file, line=place, hint="The prediction is left out."))
            return
        prediction = Prediction(
            head.id,
            head.turn,
            head.repeat,
            line,
            recorded_error(head.error),
            head.latency,
            recorded_tokens(head.tokens),
            head.cost,
        )
    except json.BadJson as error:
        problems.append(error.problem(file, place, what=f"{where}not a prediction", hint=EXAMPLE))
        return
    except msgspec.ValidationError as error:
        problems.append(Problem(f"{where}not a prediction: {error}", file=file, line=place, hint=EXAMPLE))
        return
    key = (prediction.case_id, prediction.turn or 0, prediction.repeat)
    if key in seen:
        message = f'{where}a second prediction for case "{key[0]}", turn {key[1]}, repeat {key[2]}: the first, in {noun} {seen[key]}, is used'
        problems.append(Problem(message, file=file, line=place, hint='Give repeats a "repeat" number.'))
        return
    seen[key] = number
    predictions.append(prediction)


def _read_folder(path: Path) -> LoadedPredictions:
    files = sorted(file for file in path.rglob("*.json*") if not file.is_dir())
    if not files:
        raise UserError(
            f"there are no predictions in {path}", hint="Put <case id>.json files there, or give a JSONL file."
        )
    predictions: list[Prediction] = []
    problems: list[Problem] = []
    for file in files:
        try:
            data = read_bytes(file)
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror}", file=str(file)))
            continue
        if file.suffix == ".jsonl":
            loaded = _read_lines(file, data)
            predictions.extend(loaded.predictions)
            problems.extend(loaded.problems)
        elif file.suffix == ".json":
            case_id, _, turn = file.stem.rpartition(".")
            whole = not (case_id and turn.isdecimal() and turn.isascii() and len(turn) < 5)
            predictions.append(Prediction(file.stem if whole else case_id, None if whole else int(turn), response=data))
    return LoadedPredictions(tuple(predictions), tuple(problems))
