"""Answers that are empty because the call failed, and say so: ``{"results": [], "error": "the index is not loaded"}``.

Read as an answer, such an object would say that nothing was found, and count as a wrong one, or as a right one where
nothing is expected. An object that has an answer as well keeps it: the failure may have come after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from karat.core.json_types import Json, JsonMapping
from karat.core.replies.reply import Candidate, excerpt
from karat.core.suite import Unreadable

_TELLS = re.compile(r"errors?|errormessage|exception|failure|failurereason")
_TRUE = re.compile(r"iserror|haserror|failed|isfailure")
_FALSE = re.compile(r"success|ok|succeeded|successful")
_STATE = re.compile(r"status|state")
_FAILED = re.compile(r"error|failed|failure|timeout|timedout|exception|crashed|aborted")
_HARMLESS = re.compile(r"|none|null|no|noerrors?|ok|n/?a|false|0|success")
_FOLD = str.maketrans("", "", "_- .")


def refuse_empty_failures(candidates: Iterable[Candidate], fits: Callable[[JsonMapping], bool]) -> None:
    """Raise Unreadable for an object that says that it failed, and fits only by what is empty in it."""
    for one in candidates:
        said = stated_failure(one.value)
        if said and not fits({key: value for key, value in one.value.items() if not _empty(value)}):
            raise Unreadable(f"the response says that it failed: {excerpt(said)}")


def stated_failure(body: JsonMapping) -> str:
    """How an object says that something failed; empty where it does not."""
    for key, value in body.items():
        name = str(key).lower().translate(_FOLD)
        if _TELLS.fullmatch(name) and (said := _told(value)):
            return said
        if (value is True and _TRUE.fullmatch(name)) or (value is False and _FALSE.fullmatch(name)):
            return f'"{key}" is {"true" if value else "false"}'
        if isinstance(value, str) and _STATE.fullmatch(name) and _FAILED.fullmatch(value.lower().translate(_FOLD)):
            return f'"{key}" is "{value}"'
    return ""


def _told(error: Json) -> str:
    if isinstance(error, str):
        return "" if _HARMLESS.fullmatch(error.lower().translate(_FOLD)) else error
    if isinstance(error, Mapping):
        named = next((error[key] for key in ("message", "detail", "type", "code") if error.get(key)), None)
        return str(named or (dict(error) if error else ""))
    if isinstance(error, list):
        return next((said for one in error if (said := _told(one))), "")
    return "it is not said why" if error is True else ""


def _empty(value: Json) -> bool:
    """Nothing, or only nothing inside: ``{"documents": []}``."""
    if isinstance(value, Mapping):
        return all(_empty(inner) for inner in value.values())
    return value in (None, "", []) or value is False
