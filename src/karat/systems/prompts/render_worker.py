"""A process that renders prompt templates: one JSON object per line in, one per line out.

It runs apart from Karat (see ``rendering``), with little memory, no environment and a parent that kills it when a
template takes too long: the sandbox of Jinja2 keeps a template from Python's internals, but not from ``{% for %}``
without end. Nothing of Karat is imported here.
"""

from __future__ import annotations

import json
import sys
import traceback
from contextlib import suppress

from jinja2 import StrictUndefined, Template, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

MEMORY = 1024**3
"""Bytes of address space. The interpreter and Jinja2 take a tenth of it."""
PLACE = "<template>"
"""What Jinja2 calls a template without a file."""


def environment() -> ImmutableSandboxedEnvironment:
    """The environment of every prompt: no loader, no write access, unknown names are errors."""
    made = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, finalize=shown
    )
    made.globals.pop("lipsum")
    return made


def shown(value: object) -> object:
    """What ``{{ value }}`` writes: nothing for none; lists and objects as JSON, a list of objects one per line."""
    if value is None:
        return ""
    if isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value):
        return "\n".join(str(shown(item)) for item in value)
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | tuple | dict) else value


class TooLong(Exception):
    """The text is longer than a prompt may be."""


def rendered(template: str, variables: dict[str, object], most: int) -> str:
    """The text of a template, of at most this many characters."""
    parts, length = [], 0
    for part in _compiled(template).generate(variables):
        length += len(part)
        if length > most:
            raise TooLong(f"the text is longer than {most:,} characters")
        parts.append(part)
    return "".join(parts)


_templates: dict[str, Template] = {}
_environment = environment()


def _compiled(template: str) -> Template:
    if template not in _templates:
        _templates[template] = _environment.from_string(template)
    return _templates[template]


def answer(line: str) -> dict[str, object]:
    """The reply to one request: ``text``, or ``error`` with the line of the template."""
    try:
        asked = json.loads(line)
        _limit_processor(asked["seconds"])
        return {"text": rendered(asked["template"], asked["variables"], asked["most"])}
    except MemoryError:
        return {"error": "it needs too much memory", "line": 0}
    except RecursionError:
        return {"error": "it is nested too deeply", "line": 0}
    except Exception as error:  # whatever a template does is the fault of the template
        words = str(error) if isinstance(error, TemplateError | TooLong) else f"{type(error).__name__}: {error}"
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == PLACE]
        return {"error": words[:1000], "line": getattr(error, "lineno", None) or (lines[-1] if lines else 0) or 0}


def _limit_processor(seconds: float) -> None:
    """End this process soon after its time, also when nobody is left to kill it."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 2, hard))


def main() -> None:
    """Serve until the input ends."""
    with suppress(
        ImportError, ValueError, OSError
    ):  # not every platform has limits; the parent's clock holds there too
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    print("ready", flush=True)  # noqa: T201 (this is how it speaks)
    for line in sys.stdin:
        print(json.dumps(answer(line)), flush=True)  # noqa: T201 (as above)


if __name__ == "__main__":
    main()
