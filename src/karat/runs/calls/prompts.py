"""The prompt of a run: tried before anything is asked, hashed for the record, put into every request.

Rendering happens once for each turn, before any repairs (see ``follow_up``), so that a repair continues
the conversation that really took place.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from karat.core.json_types import JsonMapping, JsonObject
from karat.core.problems import Problem, UserError
from karat.core.records import AnyCase, CallError, Prediction
from karat.core.suite import Suite, SuiteOptions
from karat.core.system import Request, SystemConfig
from karat.runs.calls.calling import InFlight, Predict, first_request
from karat.systems.prompts.prompt import Prompt, prompt_hash, prompt_of, prompt_texts, settled
from karat.systems.prompts.rendering import Renderer, RenderFailed
from karat.systems.prompts.template import file_of

C = TypeVar("C", bound=SystemConfig)
TRIED = 50
"""Cases that a prompt is rendered for before a run starts."""


def hints_of(prompt: Prompt, suite: Suite, case: AnyCase, options: SuiteOptions) -> JsonObject:
    """The hints that the prompt uses, for one case."""
    return {name: suite.prompting.hints[name].of(case, options) for name in prompt.hints}


def ready(config: C, suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions) -> C:
    """The settings with their prompt settled, and rendered for the first cases. UserError with the first mistake."""
    made = settled(config, suite, options, cases=cases)
    prompt = prompt_of(made, suite)
    if prompt is None:
        return made
    with Renderer() as renderer:
        for case in cases[:TRIED]:
            try:
                prompt.applied(first_request(case), hints_of(prompt, suite, case, options), renderer)
            except RenderFailed as error:
                file = file_of(prompt_texts(config).get(error.setting, ""), Path.cwd())
                place = (str(file), error.line) if file else ("", 0)
                problem = Problem(error.message, *place, hint=f'Tried with the case "{case.id}".')
                raise UserError("the prompt cannot be used", problems=(problem,)) from None
    return made


def run_hash(config: SystemConfig, suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions) -> str:
    """The hash of a run's prompt, with the hints of its cases."""
    prompt = prompt_of(config, suite)
    return prompt_hash(config, () if prompt is None or not prompt.hints else _all_hints(prompt, suite, cases, options))


def _all_hints(prompt: Prompt, suite: Suite, cases: Sequence[AnyCase], options: SuiteOptions) -> Iterator[JsonMapping]:
    for case in cases:
        try:
            yield hints_of(prompt, suite, case, options)
        except UserError as error:
            yield {"error": error.message}  # the case becomes an error of the run, with the same words


def prompted(
    predict: Predict,
    prompt: Prompt,
    suite: Suite,
    in_flight: InFlight,
    options: SuiteOptions,
    renderer: Renderer,
) -> Predict:
    """A ``predict`` that sends the prompt in place of the question. A case whose prompt cannot be made is an error, and
    nothing is sent."""

    def made(request: Request) -> Request:
        case = in_flight[request.case_id, request.repeat]
        return prompt.applied(request, hints_of(prompt, suite, case, options), renderer)

    async def ask(request: Request) -> Prediction | None:
        try:
            sent = await asyncio.to_thread(made, request)
        except (RenderFailed, UserError) as error:
            why = CallError("bad_prompt", error.message, 0)
            return Prediction(request.case_id, request.turn, request.repeat, error=why)
        return await predict(sent)

    return ask
