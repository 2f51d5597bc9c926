"""Where scoring runs."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from karat.core.problems import UserError
from karat.core.suite import Suite


@contextmanager
def scoring_executor(suite: Suite, workers: int | None, executor: Executor | None = None) -> Iterator[Executor | None]:
    """Where scoring runs: on what was given; on processes when asked for, or when the suite is heavy; else right here."""
    if workers is not None and workers < 1:
        raise UserError("workers must be at least 1")
    if executor is not None:
        yield executor
        return
    count = workers if workers is not None else (None if suite.cpu_heavy else 1)
    if count == 1 or not sys.executable:  # a program that has Python inside it may not say where one is
        yield None
        return
    from karat.runs.workers import Workers

    with Workers(count) as pool:
        yield pool
