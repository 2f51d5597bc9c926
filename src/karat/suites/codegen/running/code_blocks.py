"""The code in a text: its last Python block, or all of it when there is none.

A block that says it is Python comes before one without a language, which may be output. Of several the last is the
answer, whatever is in it; :func:`whole_code_in` adds the blocks that it goes on from.
"""

from __future__ import annotations

import re
import textwrap

from karat.core.replies.fences import in_languages, split
from karat.suites.codegen.analysis.continued_blocks import whole_code

PYTHON = frozenset({"python", "py", "python3", "py3", "ipython", "ipython3", "pandas", "pycon", "jupyter"})
_PROMPT = re.compile(r"^(?:>>>|\.\.\.) ?", re.MULTILINE)


def code_in(text: str) -> str:
    """The last Python block of a text; without blocks the whole text. Prompts (``>>>``) and common indentation are
    cut."""
    block = block_in(text)
    return _without_prompts(text if block is None else block)


def whole_code_in(text: str) -> str:
    """The same, with the blocks before the last one that it goes on from."""
    blocks = [_without_prompts(block) for block in blocks_in(text)]
    return whole_code(blocks) if blocks else _without_prompts(text)


def _without_prompts(text: str) -> str:
    code = textwrap.dedent(text).strip("\n")
    lines = [line for line in code.splitlines() if line.strip()]
    if lines and all(line.startswith((">>>", "...")) for line in lines):
        code = _PROMPT.sub("", code)
    return code.strip("\n")


def block_in(text: str) -> str | None:
    """The last Python block of a text, with its indentation; None when it has none."""
    found = blocks_in(text)
    return found[-1] if found else None


def blocks_in(text: str) -> list[str]:
    """The Python blocks of a text, with their indentation."""
    blocks = split(text)[0]
    return [block.text for block in in_languages(blocks, PYTHON) or in_languages(blocks, {""})]
