"""The prompt of this suite: which fields to answer for, and how. Templates see them as ``fields``."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.records import Case
from karat.core.suite_prompt import Hint, Prompting
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.records import DOCUMENTS, Truths

DEFAULT = """\
Find what answers this question, and list it with the best match first.

Question: {{ question }}

{% if fields == ["documents"] %}
Reply with one JSON object and nothing else, with the ids of the documents:

{"fields": {"documents": ["first id", "second id"]}}
{% else %}
Reply with one JSON object and nothing else, with a list of values for each of the fields {{ fields | join(", ") }}:

{"fields": { {%- for field in fields %}"{{ field }}": ["first value", "second value"]{{ ", " if not loop.last }}{% endfor -%} }}
{% endif %}
"""


def fields(case: Case[Truths], options: Options) -> list[str]:  # noqa: ARG001 (the signature of a hint)
    """The names of the fields that the case asks for."""
    asked = [turn.target for turn in case.conversation if turn.target is not None]
    return list(asked[-1].fields) if asked else [DOCUMENTS]


def answer_schema(cases: Sequence[Case[Truths]], options: Options) -> JsonMapping:
    """A list of keys for each field that the cases ask for; the only field of TREC and BEIR files is ``documents``."""
    asked = [fields(case, options) for case in cases] or [[DOCUMENTS]]
    names = list(dict.fromkeys(name for one in asked for name in one))
    in_all = [name for name in names if all(name in one for one in asked)]
    keys = {"type": "array", "items": {"type": "string"}}
    return _object({"fields": _object(dict.fromkeys(names, keys), in_all)}, ["fields"])


def _object(properties: JsonMapping, required: Sequence[str]) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


PROMPTING = Prompting(DEFAULT, {"fields": Hint("the names of the fields to answer for", fields)}, answer_schema)
