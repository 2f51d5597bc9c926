"""Runs of LangSmith: a tree of ``child_runs``, or the same runs as a flat list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from karat.core.json_types import Json, JsonMapping
from karat.core.trace.records import Call, Source, Trace, distinct
from karat.core.trace.values import arguments, count, fault, links, mapping, mappings, moment, sources


def is_run(value: Json) -> bool:
    """Whether a value is a run, or a list of runs."""
    if isinstance(value, list):
        return bool(value) and all(is_run(one) for one in value)
    one = mapping(value)
    return isinstance(one.get("run_type"), str) and bool({"inputs", "outputs", "child_runs", "dotted_order"} & set(one))


def langsmith(value: Json) -> Trace:
    """What the runs of one answer say. A single run whose children were not loaded says nothing about tools."""
    given = mappings(value if isinstance(value, list) else [value])
    runs = list(_all(given))
    roots = [one for one in given if not one.get("parent_run_id")] or given[:1]
    complete = len(runs) > 1 or any("child_runs" in one or one.get("run_type") == "tool" for one in runs)
    tools = sorted((one for one in runs if one.get("run_type") == "tool"), key=_order)
    outputs = [mapping(root.get("outputs")) for root in roots]
    texts = [text for output in outputs for text in output.values() if isinstance(text, str)]
    return Trace(
        form="LangSmith",
        calls=tuple(_call(one) for one in tools) if complete else None,
        sources=distinct(
            *(one for output in outputs for key in ("sources", "citations") for one in sources(output.get(key))),
            *(one for run in runs if run.get("run_type") == "retriever" for one in _documents(run)),
            *(one for text in texts for one in links(text)),
        ),
        tokens=_tokens(roots, runs),
    )


def _all(runs: Sequence[Json]) -> Iterator[JsonMapping]:
    waiting = [*reversed(mappings(list(runs)))]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += reversed(mappings(one.get("child_runs")))


def _order(run: JsonMapping) -> tuple[float, str]:
    return moment(run.get("start_time")) or 0.0, str(run.get("dotted_order") or "")


def _call(run: JsonMapping) -> Call:
    begin, end = moment(run.get("start_time")), moment(run.get("end_time"))
    given = run.get("inputs")
    if isinstance(given, dict) and set(given) == {"input"}:  # how LangChain wraps the arguments of its tools
        given = given["input"]
    outputs = run.get("outputs")
    if isinstance(outputs, dict) and set(outputs) == {"output"}:
        outputs = outputs["output"]
    took = end - begin if begin is not None and end is not None and end >= begin else None
    return Call(str(run.get("name") or ""), arguments(given), outputs, took, fault(run.get("error")))


def _documents(run: JsonMapping) -> Iterator[Source]:
    found = mapping(run.get("outputs"))
    yield from sources(found.get("documents", found.get("output", [])))


def _tokens(roots: Sequence[JsonMapping], runs: Sequence[JsonMapping]) -> int | None:
    for group in (roots, [one for one in runs if one.get("run_type") == "llm"]):
        used = [tokens for one in group if (tokens := count(one.get("total_tokens"))) is not None]
        if used:
            return sum(used)
    return None
