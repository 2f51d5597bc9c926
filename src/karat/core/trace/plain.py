"""The plain form: ``trace`` with one object per call, and beside it ``sources``, ``tables``, ``datasets``, ``metrics``,
``tokens`` and ``kind``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Trace, distinct
from karat.core.trace.values import arguments, fault, links, mapping, mappings, opened, seconds, sources, usage

KINDS = {
    "data": "data",
    "answer": "data",
    "refusal": "refusal",
    "out_of_scope": "refusal",
    "no_data": "refusal",
    "invalid_period": "refusal",
    "clarification": "clarification",
}
"""Words of a field → what the answer is."""


STEPS = ("tool_calls", "toolCalls", "intermediate_steps", "intermediateSteps", "usedTools", "used_tools")
"""Lists of calls beside an answer. An empty one does not say that nothing was called: many write it anyway."""
TOOL = ("tool", "tool_name", "toolName")
NAME = (*TOOL, "name", "function")
GIVEN = (
    *("arguments", "args", "input", "tool_input", "toolInput", "parameters", "params", "kwargs"),
    *("tool_kwargs", "toolArgs", "tool_args", "inputs", "raw_input"),
)
RESULT = (
    "result",
    "output",
    "tool_output",
    "toolOutput",
    "observation",
    "response",
    "raw_output",
    "outputs",
    "content",
)
TOOK = ("seconds", "duration", "duration_s")
AROUND = ("error", "function", "metadata", "usage", "timing", "tokens", "attributes", "annotations")
"""Under which names people write the parts of a call, the best first."""


def is_plain_calls(value: Json, names: Sequence[str] = TOOL) -> bool:
    """Whether a list is one of calls in the plain form; an empty list is one without calls. A call whose
    arguments may be under a name that is not known is none."""
    return isinstance(value, list) and all(_name(one, names) and not _unknown(one) for one in map(_step, value))


def plain_calls(value: Json) -> tuple[Call, ...]:
    """The calls of a list in the plain form. A call that is there when it begins and when it ends, as LlamaIndex writes
    it, is one."""
    found: dict[object, Call] = {}
    for place, one in enumerate(map(_step, value)):
        result = opened(_first(one, RESULT))
        failed = "the call failed" if mapping(result).get("is_error") is True else ""
        call = Call(
            _name(one, NAME), _arguments(one), result, seconds(_first(one, TOOK)), fault(one.get("error")) or failed
        )
        mark = one.get("tool_id")
        found[place if mark is None else (call.tool, str(mark))] = call
    return tuple(found.values())


def _arguments(call: JsonMapping) -> Json:
    """The arguments; None where the call has no key for them."""
    given = _first(call, GIVEN)
    found = None if given is None else arguments(given)
    own = mapping(found)
    return own["kwargs"] if set(own) == {"args", "kwargs"} and not own["args"] else found  # as LlamaIndex has them


def _unknown(call: JsonMapping) -> bool:
    """Whether a call has an object that is neither its arguments nor its result, and nothing else that may be its
    arguments."""
    known = (*GIVEN, *RESULT, *AROUND)
    return _first(call, GIVEN) is None and any(mapping(value) and key not in known for key, value in call.items())


def _step(value: Json) -> JsonMapping:
    """A call. LangChain's steps are an action and what came of it, as a pair or under these names; OpenAI's have a
    ``function`` inside."""
    if isinstance(value, list) and len(value) == 2 and mapping(value[0]):
        return {"result": value[1], **mapping(value[0])}
    one = mapping(value)
    if mapping(one.get("action")):
        return {"result": one.get("observation"), **mapping(one["action"])}
    return {**one, **mapping(one["function"])} if mapping(one.get("function")) else one


def _name(call: JsonMapping, names: Sequence[str]) -> str:
    return next((call[key] for key in names if isinstance(call.get(key), str) and call[key]), "")


def _first(call: JsonMapping, names: Sequence[str]) -> Json:
    return next((call[key] for key in names if call.get(key) is not None), None)


def plain(body: JsonMapping) -> Trace:
    """What the keys of an object say."""
    calls = opened(body.get("trace"))
    known = isinstance(calls, list) and is_plain_calls(calls, NAME)
    if not known and body.get("role") is None:
        beside = (body[key] for key in STEPS if isinstance(body.get(key), list))
        steps: list[Json] = _inner_steps(body) or next(filter(None, beside), [])
        if steps and is_plain_calls(steps, NAME):
            calls, known = steps, True
        elif body.get("sources") and is_plain_calls(body["sources"]):  # what tools of LlamaIndex returned
            calls, known = body["sources"], True
    return Trace(
        form="plain" if known else "",
        calls=plain_calls(calls) if known else None,
        sources=distinct(
            *(one for key in ("sources", "citations") for one in sources(body.get(key))),
            *(
                one
                for key in ("answer", "text", "content")
                if isinstance(body.get(key), str)
                for one in links(body[key])
            ),
        ),
        tables=_names(body.get("tables")),
        datasets=_names(body.get("datasets")),
        metrics=_names(body.get("metrics")),
        tokens=usage(body.get("tokens")) if body.get("tokens") is not None else usage(body.get("usage")),
        kind=_kind(body),
    )


def _inner_steps(body: JsonMapping) -> list[Json]:
    """The calls of all steps, as the Vercel AI SDK returns them: those beside the answer are of the last step alone."""
    given = mappings(body.get("steps"))
    return [call for step in given for key in STEPS if isinstance(step.get(key), list) for call in step[key]]


def said_in_steps(body: JsonMapping) -> list[Json]:
    """The messages of the steps of the Vercel AI SDK 5, each of which has the parts of one; none where they are not."""
    value = body.get("steps")
    steps = mappings(value)
    if not steps or not isinstance(value, list) or len(steps) != len(value):
        return []
    parts = [one.get("content") for one in steps]
    typed = all(isinstance(own, list) and all("type" in part for part in mappings(own)) for own in parts)
    return [{"role": "assistant", "content": own} for own in parts] if typed else []


def _names(value: Json) -> tuple[str, ...] | None:
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        return None
    return tuple(value)


def _kind(body: JsonMapping) -> str:
    said = body.get("kind", body.get("outcome"))
    if isinstance(said, str) and said in KINDS:
        return KINDS[said]
    if isinstance(body.get("refusal"), str) and body["refusal"].strip():
        return "refusal"
    flag = body.get("is_out_of_scope")
    return "refusal" if flag is True else "not_refusal" if flag is False else ""
