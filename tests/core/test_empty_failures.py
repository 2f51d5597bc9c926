"""An answer that is empty because the call failed is an error in every suite; one that is there keeps its place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from karat.core.replies.failures import stated_failure
from karat.core.suite import Unreadable
from karat.suites.answers.responses import read_answer
from karat.suites.codegen.responses import code_of
from karat.suites.data_query.responses import read_response as read_selection
from karat.suites.retrieval.predictions import read_response as read_results

EMPTY: dict[str, Any] = {
    "data_query": (read_selection, {"indicator_selection": []}, {"indicator_selection": [{"dataset_id": "A:B"}]}),
    "retrieval": (read_results, {"results": []}, {"results": ["d1"]}),
    "retrieval, fields": (read_results, {"fields": {"documents": []}}, {"fields": {"documents": ["d1"]}}),
    "answers": (read_answer, {"answer": ""}, {"answer": "42"}),
    "codegen": (code_of, {"code": ""}, {"code": "result = 1"}),
}
FAILED = [
    {"error": "the index is not loaded"},
    {"error": {"code": 500, "message": "the backend is down"}},
    {"errors": ["timeout"]},
    {"success": False},
    {"is_error": True},
    {"status": "Timed out"},
]
FINE = [{"error": None}, {"error": ""}, {"error": "none"}, {"errors": []}, {"success": True}, {"status": "done"}]


@pytest.mark.parametrize("form", EMPTY)
def test_an_empty_answer_of_a_failed_call_is_an_error(form: str) -> None:
    read, empty, full = EMPTY[form]
    for more in FAILED:
        with pytest.raises(Unreadable, match="says that it failed"):
            read(json.dumps(empty | more).encode())
        with pytest.raises(Unreadable, match="says that it failed"):  # where a model wrote it
            read(json.dumps({"choices": [{"message": {"content": json.dumps(empty | more)}}]}).encode())
        assert read(json.dumps(full | more).encode()) == read(json.dumps(full).encode())
    for more in FINE:
        assert read(json.dumps(empty | more).encode()) == read(json.dumps(empty).encode())


def test_what_failed_is_named() -> None:
    assert stated_failure({"results": [], "error": {"type": "timeout"}}) == "timeout"
    assert stated_failure({"error": True}) == "it is not said why"
    assert stated_failure({"errors": [{"message": "no index"}]}) == "no index"
