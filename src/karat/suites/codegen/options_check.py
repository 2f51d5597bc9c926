"""What the options name must be there before anything is asked: the vocabulary, and another Python."""

from __future__ import annotations

import shutil
from collections.abc import Sequence

from karat.core.problems import UserError
from karat.core.records import Case
from karat.suites.codegen.options import Options
from karat.suites.codegen.question.vocabulary import vocabulary
from karat.suites.codegen.records import Task


def check_options(_cases: Sequence[Case[Task]], options: Options) -> None:
    """UserError where one of them cannot be used."""
    if options.vocabulary:
        vocabulary(options.vocabulary)
    if options.python and shutil.which(options.python) is None:
        raise UserError(
            f"the option python names {options.python}, which is no program here",
            hint="Give the path of a Python that has pandas, or leave the option out.",
        )
