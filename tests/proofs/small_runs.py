"""Small runs of two suites, whose answers come from Python functions that note every call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Answer = Callable[[dict[str, Any]], Any]


@dataclass(frozen=True)
class SmallRun:
    """A run that takes a moment."""

    given: dict[str, Any]
    """What ``karat.run`` takes beside system and store."""
    answer: Answer
    case_ids: tuple[str, ...]
    attempts: int
    """Attempts at each question in a finished run."""
    calls_at_most: int
    """Calls for a case whose answer is stored, however often the run is resumed."""

    def system(self, calls: Path) -> Answer:
        """The function that answers; it writes the case of each call to a file."""

        def ask(request: dict[str, Any]) -> Any:
            with calls.open("a") as file:
                file.write(f"{request['id']}\n")
            return self.answer(request)

        return ask


def _selection(code: str) -> dict[str, Any]:
    values = [{"id": code, "name": f"name of {code}"}]
    return {"indicator_selection": [{"dataset_id": "X:D", "dimensions": [{"dimension_name": "A", "values": values}]}]}


def _data_query() -> SmallRun:
    names = tuple(f"c{number}" for number in range(5))
    cases = [
        {"id": name, "conversation": [{"role": "user", "content": "Which?", "target": _selection("a")}]}
        for name in names
    ]

    def answer(request: dict[str, Any]) -> Any:
        if request["id"] == "c3":
            raise ValueError("not this one")
        return _selection("b" if request["id"] == "c1" else "a")

    return SmallRun({"suite": "data_query", "cases": cases}, answer, names, 1, 1)


def _codegen() -> SmallRun:
    names = ("one", "two")
    cases = [
        {
            "id": name,
            "question": "What is the total fine?",
            "tables": {"loans": {"fine": [1.5, 2.25, 4.0]}},
            "reference": "result = loans.fine.sum()",
        }
        for name in names
    ]

    def answer(request: dict[str, Any]) -> Any:
        repaired = sum(message["role"] == "user" for message in request["messages"]) > 1
        return "```python\nresult = loans.fine." + ("sum()" if repaired else "summ()") + "\n```"

    options = {"performance": False, "max_recovery_attempts": 1}
    return SmallRun({"suite": "codegen", "cases": cases, "options": options, "workers": 1}, answer, names, 2, 3)


def small_run(suite: str) -> SmallRun:
    """The small run of a suite."""
    return {"data_query": _data_query, "codegen": _codegen}[suite]()
