"""Where vectors are ranked: on the processor or on a GPU. Both give the same ranks, so this is about time alone.

``KARAT_DEVICE`` says ``cpu``, ``gpu``, or ``auto`` (the default): the GPU where there is one and the work is worth it.
"""

from __future__ import annotations

import os
from importlib.util import find_spec

from karat.core.problems import UserError, did_you_mean

VARIABLE = "KARAT_DEVICE"
WORDS = ("auto", "cpu", "gpu")
WORTH = 10_000_000_000
"""The number of question-value pairs from which starting torch and copying the values to the GPU pays off. A fresh
process on an H200 with sixteen processors took 5.2 s for ten billion pairs, and 7.4 s without the GPU; for three
billion 5.0 s, and 4.2 s without."""


def on_gpu(pairs: int) -> bool:
    """Whether this many pairs go to the GPU. Raises UserError where one is asked for by name and there is none."""
    word = os.environ.get(VARIABLE, "") or "auto"
    if word not in WORDS:
        raise UserError(f'{VARIABLE} is "{word}"', hint=did_you_mean(word, WORDS))
    if word == "cpu" or (word == "auto" and (pairs < WORTH or find_spec("torch") is None)):
        return False
    from karat.search.gpu.ranks import why_not

    missing = why_not()
    if missing and word == "gpu":
        raise UserError(f"{VARIABLE} requests a GPU: {missing}", hint=f"{VARIABLE}=cpu ranks on the processor.")
    return not missing
