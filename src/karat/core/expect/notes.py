"""What the reasons of expectations mean, and an example of each of their metrics, for ``karat explain``."""

from __future__ import annotations

from collections.abc import Mapping

from karat.core.metrics.worked_examples import ReasonNote

REASON_NOTES: Mapping[str, ReasonNote] = {
    "tool_missing": ReasonNote(
        "A tool under called was not called.",
        "The assistant answered from memory or from another tool, or the tool has another name in the trace.",
        "called: [run_sql], and the only call is search.",
    ),
    "tool_arguments": ReasonNote(
        "A tool under called was called, but never with the expected arguments.",
        "The question was read wrongly, or the case fixes an argument that may differ, such as a limit.",
        "called: [{tool: search, arguments: {limit: 10}}], and the call is search(limit=5).",
    ),
    "tool_order": ReasonNote(
        "The calls under order were not made in this order.",
        "The assistant queries before it looks up what there is to query.",
        "order: [search, run_sql], and the calls are run_sql, search.",
    ),
    "tool_not_allowed": ReasonNote(
        "A tool was called that is not under only.",
        "The assistant has more tools than the question needs, or an older name of a tool is under only.",
        "only: [search], and the calls are search, send_mail.",
    ),
    "tool_forbidden": ReasonNote(
        "A call under never was made, be it one that failed.",
        "The assistant tries what it was asked for before it checks whether it may.",
        'never: ["delete_*"], and call 1 is delete_rows, which was denied.',
    ),
    "too_many_calls": ReasonNote(
        "More calls were made than limits.calls, or than at_most or exactly of a tool, allow.",
        "The assistant repeats a call that fails, or asks for each row by itself.",
        "limits: {calls: 6}, and 9 calls were made.",
    ),
    "table_missing": ReasonNote(
        "A table, dataset or metric under used was not used.",
        "The figure comes from another table, such as a copy or a summary.",
        "tables: {used: [wdi.population]}, and the SQL reads wdi.summary.",
    ),
    "table_forbidden": ReasonNote(
        "A table, dataset or metric was used that is under never, or that is not under only.",
        "A join pulls in a table that holds more than the answer may show.",
        'tables: {never: ["hr.*"]}, and the SQL joins hr.pay.',
    ),
    "source_missing": ReasonNote(
        "A source under cited is not cited, or fewer sources are than at_least asks for.",
        "The answer is right but does not say where it comes from, or links to another page.",
        'sources: {cited: ["https://data.example.org/*"]}, and the answer has no link.',
    ),
    "over_seconds": ReasonNote(
        "The answer took longer than limits.seconds.",
        "Slow tools, many calls, or a busy endpoint.",
        "limits: {seconds: 20}, and the answer took 31.5 s.",
    ),
    "over_tokens": ReasonNote(
        "The answer used more tokens than limits.tokens.",
        "Long results of tools are sent back to the model again and again.",
        "limits: {tokens: 4000}, and 5,210 were used.",
    ),
    "over_cost": ReasonNote(
        "The answer cost more than limits.cost.",
        "More tokens or a dearer model than planned; the price comes from prices of the system.",
        "limits: {cost: 0.02}, and the answer cost 0.035.",
    ),
    "answered_not_refused": ReasonNote(
        "The case expects a refusal, and the assistant answered.",
        "The prompt does not say what is out of bounds, or the question hides it.",
        "answer: refusal, and the response selects 2 series.",
    ),
    "refused_not_answered": ReasonNote(
        "The case expects data or a question back, and the assistant refused.",
        "The prompt forbids too much, or a filter of the endpoint stepped in.",
        'answer: data, and message.refusal is "I cannot help with 1 of these.".',
    ),
    "not_clarified": ReasonNote(
        "The case expects the assistant to ask back, and it did not.",
        "The assistant guesses what an ambiguous question means.",
        "answer: clarification, and the response selects 1 of 3 possible datasets.",
    ),
    "no_trace": ReasonNote(
        "The case expects calls, and the answer has no trace that says which were made.",
        "The endpoint returns only the final message; give the trace beside the response.",
        "called: [run_sql], and the response is a chat completion of 1 message.",
    ),
}

METRIC_EXAMPLES: Mapping[str, str] = {
    "expectations": "A case expects a tool and a source. The tool was called, the source is not cited: 0.",
    "tools_right": "called: [search, run_sql]. The calls are search, describe, run_sql: 1.",
    "tools_forbidden": 'never: ["delete_*"]. 1 of 4 calls is delete_rows: 1.',
    "tables_right": "used: [wdi.population], and the SQL reads wdi.population and geo.country: 1. With only: 0.",
    "sources_right": "at_least: 2, and the answer links to 1 page: 0.",
    "within_limits": "limits: {seconds: 20, calls: 6}. The answer took 12 s and 7 calls: 0.",
    "answer_kind": "answer: refusal, and the response has a refusal: 1.",
    "tool_calls": "The calls are search, run_sql, run_sql: 3.",
    "latency": "The first attempt failed after 2 s, the second answered in 1.5 s: 1.5.",
    "tokens": "The endpoint says prompt_tokens: 20, completion_tokens: 9: 29.",
    "cost": "1,000 input tokens at 2 for a million, 500 output tokens at 8: 0.002 + 0.004 = 0.006.",
}
