"""Predictions: what the assistant selected, from recorded files and from raw responses.

Three forms are understood, by what they hold:

- own: ``{"indicator_selection": [...], "is_out_of_scope"?, "period"?, "datasets_selection"?}``;
- DIAL chat completions as StatGPT answers them: ``choices[0].message.custom_content.state.tool_messages[]``;
- MCP tool results: ``structuredContent.queries[]``.

A recorded file is JSONL, one object a scored turn with ``id`` and ``turn``; also one JSON list; or a folder with a response
body in ``<case id>.json`` (``<case id>.<turn>.json`` for a later turn).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from karat.core import json
from karat.core.files import FileRefused, read_bytes
from karat.core.problems import Problem, UserError, nearest
from karat.core.records import Prediction, misplaced, recorded_error, recorded_tokens
from karat.core.suite import LoadedPredictions, Unreadable
from karat.suites.data_query.mcp import mcp_content, mcp_selection
from karat.suites.data_query.misspelt import refuse_misspelt
from karat.suites.data_query.operators import on_codes
from karat.suites.data_query.selection import DatasetSelection, Dimension, Period, Selection, Term
from karat.suites.data_query.time_filters import TIME_DIMENSION, with_period

# -- a response into a selection --------------------------------------------------------------------------------------

_own = msgspec.json.Decoder(Selection)
OWN_KEYS = ("indicator_selection", "is_out_of_scope", "datasets_selection", "period")
LINE_KEYS = ("id", "turn", "repeat", "error", "latency", "tokens", "cost", "response")
"""What a recorded line may say beside the selection."""


def read_response(response: bytes, today: str = "") -> Selection:
    """The selection in a raw response. Raises :class:`Unreadable` with what was expected when there is none.

    ``today`` is the day that relative dates mean.
    """
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
        return with_period(_own_selection(body), today)
    if "choices" in body:
        return _dial_selection(body)
    mcp = mcp_content(body)
    if mcp is not None:
        return mcp_selection(mcp, today)
    refuse_misspelt(body, (*OWN_KEYS, "choices", "structuredContent"), "the response")
    keys = ", ".join(list(body)[:8]) or "none"
    raise Unreadable(
        f'no selection in the response: expected "indicator_selection", "choices" (DIAL) or "structuredContent" (MCP); its keys are: {keys}'
    )


def _kind(value: Any) -> str:
    return {list: "a list", str: "a text", bool: "a boolean", type(None): "null"}.get(type(value), "a number")


def _own_selection(body: Mapping[str, Any]) -> Selection:
    refuse_misspelt(body, (*OWN_KEYS, *LINE_KEYS), "the answer")
    try:
        selection = msgspec.convert(body, Selection)
    except msgspec.ValidationError as error:
        raise Unreadable(f"the selection is not in the expected shape: {error}{_nearest_key(str(error))}") from error
    return msgspec.structs.replace(
        selection, indicator_selection=tuple(_with_known_operators(part) for part in selection.indicator_selection)
    )


_UNKNOWN_FIELD = re.compile(r"unknown field `([^`]*)`")


def _nearest_key(message: str) -> str:
    """``. Did you mean values?`` for a key that msgspec does not know."""
    found = _UNKNOWN_FIELD.search(message)
    known = {name for shape in _SHAPES for name in shape.__struct_fields__}
    near = nearest(found[1], known, cutoff=50.0) if found else []
    return f". Did you mean {near[0]}?" if near else ""


_SHAPES: tuple[type[msgspec.Struct], ...] = (DatasetSelection, Dimension, Term, Period)


def _with_known_operators(part: DatasetSelection) -> DatasetSelection:
    """Every operator under the name that it is compared by; a dimension that is excluded is left out."""
    if all(one.operator == "in" for one in part.dimensions):
        return part
    dimensions = [
        one if one.dimension_name == TIME_DIMENSION else msgspec.structs.replace(one, operator=operator)
        for one in part.dimensions
        if one.dimension_name == TIME_DIMENSION
        or (operator := on_codes(one.operator, one.dimension_name)) != "excluded"
    ]
    return msgspec.structs.replace(part, dimensions=tuple(dimensions))


def _dial_selection(body: Mapping[str, Any]) -> Selection:
    """StatGPT keeps what each tool selected in the state of its message. Without such a state nothing was selected."""
    try:
        message = body["choices"][0]["message"]
    except (LookupError, TypeError) as error:
        raise Unreadable("a chat completion without choices[0].message") from error
    content = _mapping(message, "custom_content")
    tools = _mapping(content, "state").get("tool_messages") or []
    parts: list[DatasetSelection] = []
    periods: set[Period] = set()
    for tool in tools if isinstance(tools, list) else []:
        state = _mapping(_mapping(tool, "custom_content"), "state")
        names = _mapping(state, "indexed_datasets_id_map")
        here: list[tuple[str, tuple[Dimension, ...]]] = []
        for key, dimensions in _mapping(state, "dimension_id_to_name").items():
            if not isinstance(dimensions, Mapping):
                raise Unreadable(f'dimension_id_to_name["{key}"] is {_kind(dimensions)}, not an object')
            here.append((str(names.get(key, key)), tuple(_dial_dimensions(dimensions))))
        when = _mapping(state, "date_time_query_response")
        own = None
        if when.get("start") or when.get("end"):
            own = Period(_text(when.get("start")), _text(when.get("end")))
            periods.add(own)
        parts.extend(DatasetSelection(dataset, dimensions, own) for dataset, dimensions in here)
    if len(periods) == 1:  # one tool may find the period and another the terms
        parts = [DatasetSelection(part.dataset_id, part.dimensions) for part in parts]
        return Selection(tuple(parts), period=periods.pop())
    return Selection(tuple(parts))


def _dial_dimensions(dimensions: Mapping[str, Any]) -> Iterable[Dimension]:
    for name, terms in dimensions.items():
        if not isinstance(terms, Mapping):
            raise Unreadable(f'the terms of dimension "{name}" are {_kind(terms)}, not an object of id: name')
        yield Dimension(name, tuple(Term(str(code), _text(label) or "") for code, label in terms.items()))


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
    except FileRefused:
        raise
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
        except FileRefused as error:
            problems.append(error.problem)
            continue
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
