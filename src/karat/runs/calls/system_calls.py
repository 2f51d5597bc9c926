"""The calls of one run: its system opened, asked, followed up where the suite has more to say, and every answer stored
as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any  # Any: what a coroutine yields and is sent is the business of the event loop

from karat.core import plugins
from karat.core.problems import Problem, UserError
from karat.core.records import Prediction
from karat.core.system import RecordedConfig, System, SystemType
from karat.runs.calls.calling import Called, InFlight, Key, Predict, call_all, only_questions
from karat.runs.calls.follow_up import following_up
from karat.runs.calls.prompts import prompted
from karat.runs.calls.stopping import Stopped, Stopping
from karat.runs.calls.stored_answers import StoredAnswers
from karat.runs.job import Job
from karat.runs.live import Live
from karat.runs.scores.unmatched_predictions import unmatched_problems
from karat.runs.sharing import Share
from karat.systems.prompts.prompt import prompt_of
from karat.systems.prompts.rendering import Renderer

if TYPE_CHECKING:
    from karat.runs.calls.reuse import ReusedAnswers
    from karat.runs.tracing.spans import Tracing
    from karat.store.store import Store


def follows_up(job: Job) -> bool:
    """Whether what is stored may still be followed up. Nothing is opened to find out."""
    live = not isinstance(job.config, RecordedConfig) if job.opened is None else job.opened.can_be_asked_again
    return live and job.suite.follow_up is not None


def asks_at_random(job: Job) -> bool:
    """Whether the cases of an open job are asked in random order. Answers that are at hand (a recording, a sheet that
    was tuned over all its questions) are looked up in the file's order: there is nothing to estimate meanwhile."""
    return job.order == "random" and job.opened is not None and job.opened.measures_time


def misplaced(job: Job, system: System) -> list[Problem]:
    """Recorded answers for cases, turns and repeats that the run does not have. Cases may be left out of it on purpose,
    but not all."""
    if not system.recorded:
        return []
    return unmatched_problems(job.cases, system.recorded, job.repeats, job.system, job.left_out)


def open_system(job: Job) -> System:
    kind: SystemType = plugins.load("karat.systems", job.config.type)
    system: object = kind.open(job.config, job.suite)  # what a plug-in gives is known only when it is here
    if not isinstance(system, System):
        hint = "Derive its class from karat.System: only call has to be written, everything else has a default."
        raise UserError(
            f"the system type {kind.name} opened an object of type {type(system).__name__}, not a karat.System",
            hint=hint,
        )
    return system


async def call_system(
    store: Store,
    run_id: int,
    job: Job,
    system: System,
    stored: StoredAnswers,
    share: Share,
    called: Called,
    live: Live,
    retry_errors: bool,
    reused: ReusedAnswers | None = None,
    tracing: Tracing | None = None,
) -> None:
    """Ask everything of this share that has no stored answer, and what was still to be followed up. A wish to stop
    that ``live`` hears of is as good as Ctrl-C."""
    from karat.systems.caller import Caller

    def stop(in_flight: int, seconds: float) -> None:
        store.patience.seconds = min(store.patience.seconds, seconds)
        called.finish(in_flight)

    stopping = Stopping(job.grace, stop)
    caller = Caller(stopping.guarded(system), job.config, sleep=stopping.sleep, answers=reused, traces=tracing)
    predict: Predict = stopping.patient(caller.predict)
    kept: dict[Key, Prediction] = {}  # what is stored before the writer hears of it
    in_flight: InFlight = {}

    def keep(one: Prediction) -> None:
        store.add_predictions(run_id, [one])
        kept[one.case_id, one.turn or 0, one.repeat] = one

    def is_kept(one: Prediction) -> bool:
        key = (one.case_id, one.turn or 0, one.repeat)
        return (kept.pop(key, None) or stored.begun.get(key)) == one

    def save(batch: Sequence[Prediction]) -> None:
        store.add_predictions(run_id, [one for one in batch if not is_kept(one)])

    if job.suite.follow_up is not None and system.can_be_asked_again:
        predict = following_up(predict, system.reply, job.suite, in_flight, job.options, keep=keep, begun=stored.begun)
    renderer = Renderer()
    if (prompt := prompt_of(job.config, job.suite)) is not None:
        predict = prompted(predict, prompt, job.suite, in_flight, job.options, renderer)
    if system.can_be_asked_again:
        predict = only_questions(predict)

    async def ask() -> None:
        again = True
        while again:
            await call_all(
                share.source,
                predict=predict,
                reply=system.reply,
                save=save,
                finish=share.finish,
                whole=live.whole,
                called=called,
                in_flight=in_flight,
                retry_errors=retry_errors,
                # more than may call at once: some wait to try again
                workers=min(4 * job.config.concurrency, max(called.total, 1)),
            )
            again = await share.more()

    try:
        await stopping.until_stopped(ask(), lambda: live.stop_asked)
    finally:
        renderer.close()
        await system.close()


def run_async(work: Coroutine[Any, Any, None]) -> None:
    """Run to the end; also inside a notebook, whose own loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        try:
            asyncio.run(work)
        except Stopped:
            raise KeyboardInterrupt from None
        return
    with ThreadPoolExecutor(1) as thread:
        try:
            thread.submit(asyncio.run, work).result()
        except Stopped:
            raise KeyboardInterrupt from None
