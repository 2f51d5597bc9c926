"""Runs of LangSmith: a tree of ``child_runs``, or the same runs as a flat list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Source, Trace, distinct
from karat.core.trace.spans.requested_calls import Asked, asked_by, not_run
from karat.core.trace.values import count, fault, links, mapping, mappings, moment, python_or_json, sources, total
from karat.core.trace.written_calls import holds_written_call

_ASKS = frozenset(("tool_calls", "function_call"))


def is_run(value: Json) -> bool:
    """Whether a value is a run, or a list of runs."""
    if isinstance(value, list):
        return bool(value) and all(is_run(one) for one in value)
    one = mapping(value)
    return isinstance(one.get("run_type"), str) and bool({"inputs", "outputs", "child_runs", "dotted_order"} & set(one))


def langsmith(value: Json) -> Trace:
    """What the runs of one answer say. A single run whose children were not loaded says nothing about tools, and
    neither do runs that name children which are not there, nor runs of models that ask for calls where no run is one.
    Where some are, a call that was asked for and has no run counts too."""
    given = mappings(value if isinstance(value, list) else [value])
    runs = list(_all(given))
    roots = [one for one in given if not one.get("parent_run_id")] or given[:1]
    complete = len(runs) > 1 or any(
        isinstance(one.get("child_runs"), list) or one.get("run_type") == "tool" for one in runs
    )
    tools = [(_order(one), _call(one)) for one in runs if one.get("run_type") == "tool"]
    asked = [(_end(one), call) for one in runs if one.get("run_type") == "llm" for call in _asked(one.get("outputs"))]
    lost = _lost(runs)
    unread = (complete and bool(asked) and not tools) or (lost and len(runs) > 1)
    unread = unread or (
        not tools and any(run.get("run_type") == "llm" and holds_written_call(run.get("outputs")) for run in runs)
    )
    left = not_run([call for _, call in asked], set(), [call for _, call in tools])
    tools += [(order, one.call) for order, one in asked if any(one is other for other in left)]
    outputs = [mapping(root.get("outputs")) for root in roots]
    texts = [text for output in outputs for text in output.values() if isinstance(text, str)]
    return Trace(
        form="LangSmith",
        calls=None
        if unread or lost or not complete
        else tuple(call for _, call in sorted(tools, key=lambda one: one[0])),
        sources=distinct(
            *(one for output in outputs for key in ("sources", "citations") for one in sources(output.get(key))),
            *(one for run in runs if run.get("run_type") == "retriever" for one in _documents(run)),
            *(one for text in texts for one in links(text)),
        ),
        tokens=_tokens(roots, runs),
        unread=unread,
    )


def _all(runs: Sequence[Json]) -> Iterator[JsonMapping]:
    waiting = [*reversed(mappings(list(runs)))]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(mappings(one.get("child_runs")))


def _lost(runs: Sequence[JsonMapping]) -> bool:
    """Whether a run names children that were not loaded: one of them may be a tool."""
    known = {str(one.get("id")) for one in runs}
    named = (one["child_run_ids"] for one in runs if isinstance(one.get("child_run_ids"), list))
    return any(str(child) not in known for children in named for child in children)


def _asked(value: Json) -> Iterator[Asked]:
    """The calls that the outputs of a model ask for, wherever they are in them."""
    waiting: list[Json] = [value]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, list):
            waiting += one
        elif isinstance(one, dict):
            found = list(asked_by([one])) if _ASKS & set(one) or one.get("type") == "tool_use" else []
            yield from found
            waiting += () if found else one.values()


def _order(run: JsonMapping) -> tuple[float, str]:
    return moment(run.get("start_time")) or 0.0, str(run.get("dotted_order") or "")


def _end(run: JsonMapping) -> tuple[float, str]:
    return moment(run.get("end_time")) or _order(run)[0], str(run.get("dotted_order") or "")


def _call(run: JsonMapping) -> Call:
    begin, end = moment(run.get("start_time")), moment(run.get("end_time"))
    given = run.get("inputs")
    if isinstance(given, dict) and set(given) == {"input"}:  # how LangChain wraps the arguments of its tools
        inner = python_or_json(given["input"])
        given = inner if isinstance(inner, dict) else given  # else it is an argument of that name
    outputs = run.get("outputs")
    if isinstance(outputs, dict) and set(outputs) == {"output"}:
        outputs = outputs["output"]
    took = end - begin if begin is not None and end is not None and end >= begin else None
    return Call(
        str(run.get("name") or ""),
        None if given is None else python_or_json(given),
        outputs,
        took,
        fault(run.get("error")),
    )


def _documents(run: JsonMapping) -> Iterator[Source]:
    found = mapping(run.get("outputs"))
    yield from sources(found.get("documents", found.get("output", [])))


def _tokens(roots: Sequence[JsonMapping], runs: Sequence[JsonMapping]) -> int | None:
    """Those of the outermost runs, else of all model calls; unknown where one that did not fail does not say."""
    for group in (roots, [one for one in runs if one.get("run_type") == "llm"]):
        used = [count(one.get("total_tokens")) for one in group if not one.get("error") or one.get("total_tokens")]
        if any(tokens is not None for tokens in used):
            return total(used)
    return None
