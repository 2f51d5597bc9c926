"""What gold says about the comparison, in its own parameters: tolerances and normalisations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args  # Any: parameters as a gold row has them, each checked here

import msgspec

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import did_you_mean
from karat.tables.options import NORMALISATIONS, CompareOptions, WholeNumbers


class BadParameter(ValueError):
    """A parameter of gold that cannot be meant."""


def options_of(parameters: JsonMapping, options: CompareOptions) -> CompareOptions:
    """The options with what gold sets. ``normalise`` is a list of the ones that are on, or says on or off by name. A
    gold that sets a wider ``rel_tol`` means its whole numbers too, unless it says ``whole_numbers: exact``.
    """
    changes: JsonObject = {}
    for name in ("rel_tol", "abs_tol"):
        if name in parameters:
            changes[name] = _tolerance(name, parameters[name])
    if changes.get("rel_tol", 0.0) > options.rel_tol:
        changes["whole_numbers"] = "tolerance"
    if "whole_numbers" in parameters:
        changes["whole_numbers"] = _whole_numbers(parameters["whole_numbers"])
    if "allow_shape" in parameters:
        changes["allow_shape"] = _flag("allow_shape", parameters["allow_shape"])
    if "normalise" in parameters:
        changes |= _normalise(parameters["normalise"])
    return msgspec.structs.replace(options, **changes) if changes else options


def columns_given(parameters: JsonMapping) -> list[Any]:
    """``condition_cols``: numbers of columns, or a list of them for each gold; empty for all."""
    value = parameters.get("condition_cols") or []
    flat = (
        [each for part in value for each in (part if isinstance(part, list) else [part])]
        if isinstance(value, list)
        else [None]
    )
    if any(not isinstance(each, int) or isinstance(each, bool) for each in flat):
        raise BadParameter(f"condition_cols is {value!r}, and should be a list of column numbers")
    return list(value)


def flags_given(parameters: JsonMapping, name: str) -> bool | list[bool]:
    """``ignore_order`` or ``ignore_orders``: a flag, or one for each gold."""
    value = parameters.get(name)
    if isinstance(value, list):
        return [_flag(name, each) for each in value]
    return _flag(name, value) if value is not None else False


def texts_given(parameters: JsonMapping, name: str) -> list[Any]:
    """A list of texts or numbers; a lone one is a list of one."""
    value = parameters.get(name)
    if value is None or value == "":
        return []
    found = value if isinstance(value, list) else [value]
    if any(not isinstance(each, str | int | float) for each in found):
        raise BadParameter(f"{name} is {value!r}, and should be a list of texts or numbers")
    return list(found)


def _tolerance(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise BadParameter(f"{name} is {value!r}, and should be a number from 0 up to 1")
    return float(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadParameter(f"{name} is {value!r}, and should be true or false")
    return value


def _whole_numbers(value: Any) -> str:
    if value not in get_args(WholeNumbers):
        raise BadParameter(f'whole_numbers is {value!r}, and should be "exact" or "tolerance"')
    return str(value)


def _normalise(value: Any) -> dict[str, bool]:
    if isinstance(value, Mapping):
        chosen = {str(name): _flag(f"normalise.{name}", on) for name, on in value.items()}
    elif isinstance(value, list):
        chosen = dict.fromkeys(NORMALISATIONS, False) | {str(name): True for name in value}
    else:
        raise BadParameter(f"normalise is {value!r}, and should be a list of names")
    for name in chosen:
        if name not in NORMALISATIONS:
            raise BadParameter(f'unknown normalisation "{name}". {did_you_mean(name, NORMALISATIONS)}')
    return chosen
