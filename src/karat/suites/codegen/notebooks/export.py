"""A judged case as a notebook: question, code, output and verdict, step by step."""

from __future__ import annotations

from karat.core.json_types import JsonObject
from karat.core.results.result import CaseResult
from karat.suites.codegen.details import Details, details_of
from karat.suites.codegen.notebooks.cells import STEP
from karat.suites.codegen.steps.form import figures_of
from karat.suites.codegen.steps.records import StepResult


def notebook_of(case: CaseResult) -> JsonObject | None:
    """None for a case without a judged answer."""
    details = details_of(case)
    if details is None:
        return None
    cells = [_markdown(f"# {case.id}")]
    if details.steps:
        cells += [cell for step in details.steps.steps for cell in _step(step)]
        cells.append(_markdown(f"**{figures_of(details.steps)}**"))
    else:
        cells += _whole(case, details)
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {
            "karat": {"id": case.id},
            "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"},
        },
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells)],
    }


def _step(step: StepResult) -> list[JsonObject]:
    cells = [_markdown(step.question)]
    # A step that was not answered has an empty cell: the steps after it stay in their places.
    cells.append(_code(step.code, step.number, step.output, step.result, step.error))
    why = step.error or step.trouble or step.reason.replace("_", " ")
    alone = f"; alone {step.alone}" if step.alone is not None else ""
    cells.append(_markdown(f"**Step {step.number}: {step.state}**{f' — {why}' if why else ''}{alone}"))
    return cells


def _whole(case: CaseResult, details: Details) -> list[JsonObject]:
    right = details.correctness
    verdict = "right" if right.passed else "not judged" if right.score is None else "wrong"
    why = details.error or right.reason.replace("_", " ")
    said = f"**{verdict}**{f' — {why}' if why else ''}"
    return [
        _markdown(case.question),
        _code(details.code, 1, "", details.result, details.error or ""),
        _markdown(said),
    ]


def _markdown(text: str) -> JsonObject:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def _code(code: str, number: int, printed: str, result: str, error: str) -> JsonObject:
    outputs: list[JsonObject] = []
    if printed:
        outputs.append({"output_type": "stream", "name": "stdout", "text": printed})
    if result:
        shown = {"text/plain": result}
        outputs.append({"output_type": "execute_result", "execution_count": number, "metadata": {}, "data": shown})
    if error:
        name, _, value = error.partition(": ")
        outputs.append({"output_type": "error", "ename": name, "evalue": value, "traceback": [error]})
    return {
        "cell_type": "code",
        "metadata": {"tags": [STEP]},
        "execution_count": number,
        "source": code,
        "outputs": outputs,
    }
