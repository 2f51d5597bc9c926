"""What options and tasks name must be there before anything is asked: the vocabulary, another Python, environments."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from karat.core.problems import UserError
from karat.core.records import Case
from karat.sandbox.kernel_counters import counter_trouble
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.vocabulary import AUTO, vocabulary
from karat.suites.codegen.records import Task
from karat.suites.codegen.running.environments import check_environments


def check_options(cases: Sequence[Case[Task]], options: Options) -> None:
    """UserError where one of them cannot be used."""
    if options.vocabulary != AUTO:
        vocabulary(options.vocabulary)
    if options.python and shutil.which(options.python) is None:
        raise UserError(
            f"the option python names {options.python}, which is not a program on this machine",
            hint="Give the path of a Python that has pandas, or leave the option out.",
        )
    if options.timing == "instructions" and (trouble := counter_trouble()):
        raise UserError(
            f"the option timing is instructions, and this machine has no counter of instructions: {trouble}",
            hint="Use timing=auto, which takes pairs of runs here, or timing=paired.",
        )
    check_environments(cases, options)
