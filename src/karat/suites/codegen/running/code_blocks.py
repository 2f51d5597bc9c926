"""The code in a text: its last Python block, or all of it when there is none.

A block that says it is Python comes before one without a language, which may be output. Of several the last is the
answer, whatever is in it.
"""

from __future__ import annotations

import re
import textwrap

from karat.core.replies.fences import in_languages, split

PYTHON = frozenset({"python", "py", "python3", "py3", "ipython", "ipython3", "pandas", "pycon", "jupyter"})
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)


def code_in(text: str) -> str:
    """The last Python block of a text; without blocks the whole text. Prompts (``>>>``) and common indentation are
    cut."""
    block = block_in(text)
    code = textwrap.dedent(text if block is None else block).strip("\n")
    lines = [line for line in code.splitlines() if line.strip()]
    if lines and all(line.startswith((">>>", "...")) for line in lines):
        code = _PROMPT.sub("", code)
    return code.strip("\n")


def block_in(text: str) -> str | None:
    """The last Python block of a text, with its indentation; None when it has none."""
    blocks = split(text)[0]
    found = in_languages(blocks, PYTHON) or in_languages(blocks, {""})
    return found[-1].text if found else None
