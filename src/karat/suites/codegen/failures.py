"""What is wrong with code, for failure groups: its exception, or the code of the reason why its result is wrong."""

from __future__ import annotations

import re

from karat.core.explanation import Failure
from karat.core.results.failures.failures import message_failure
from karat.suites.codegen.details import Details

_EXCEPTION = re.compile(r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Exit|Interrupt|Iteration)): ")


def failure_of(details: Details) -> Failure:
    """``KeyError: 'age'``, in the family ``KeyError``; ``row_count``."""
    found = message_failure(details.error or details.reason)
    exception = _EXCEPTION.match(found.label)
    return Failure(found.label, exception[1]) if exception else found
