"""The text of a prompt: where it comes from, what it uses, and every mistake that can be seen without rendering it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from karat.core.problems import Problem, UserError, did_you_mean

if TYPE_CHECKING:
    from jinja2 import nodes

SUFFIXES = (".j2", ".jinja", ".jinja2", ".prompt", ".tmpl", ".txt", ".md")
"""One word that ends so is the name of a file."""
MOST_BYTES = 256 * 1024
_SPECIAL = frozenset({"loop", "self", "caller", "varargs", "kwargs"})


def file_of(text: str, folder: Path, suffixes: Collection[str] = SUFFIXES) -> Path | None:
    """The file that a setting names; None when it is a text itself. UserError for a file that is not there."""
    name = text.strip()
    if not name or len(name) > 1000 or re.search(r"[\n{}]", name):
        return None
    try:
        if (folder / name).is_file():
            return folder / name
    except (OSError, ValueError):
        return None
    if Path(name).suffix.lower() in suffixes and not re.search(r"\s", name):
        beside = (folder / name).parent
        known = [file.name for file in beside.iterdir() if file.is_file()] if beside.is_dir() else []
        hint = did_you_mean(Path(name).name, known)
        raise UserError(
            f"there is no file {name} to read the prompt from", hint=hint or "Paths are relative to karat.yaml."
        )
    return None


def read_file(file: Path) -> str:
    """The text of a prompt file. UserError when it cannot be one."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise UserError(f"the prompt file {file} is larger than {MOST_BYTES // 1024} KiB")
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        problem = Problem("the file is not UTF-8 text", file=str(file), line=line, hint="Save it as UTF-8.")
        raise UserError("the prompt cannot be used", problems=(problem,)) from None
    except OSError as error:
        raise UserError(f"cannot read the prompt file {file}: {error.strerror}") from error


def variables_in(template: str) -> frozenset[str]:
    """The names that a template takes from outside; none where it cannot be parsed."""
    found = _parsed(template)
    return frozenset() if isinstance(found, Problem) else frozenset(name for name, _ in _outside(found))


def problems_in(template: str, known: Collection[str], file: str = "") -> list[Problem]:
    """Every mistake of a template: its syntax, unknown variables and filters, what the sandbox refuses. Lines are the
    template's."""
    if len(template) > MOST_BYTES:
        return [Problem(f"the prompt is longer than {MOST_BYTES:,} characters", file=file)]
    found = _parsed(template)
    if isinstance(found, Problem):
        return [Problem(found.message, file=file, line=found.line, hint=found.hint)]
    problems = [Problem(message, file=file, line=line, hint=hint) for message, line, hint in _refused(found)]
    for name, line in _outside(found):
        if name not in known:
            hint = did_you_mean(name, known)
            listed = "" if hint.startswith("Known") else f" Available: {', '.join(sorted(known))}."
            problems.append(
                Problem(f'unknown variable "{name}" in the prompt', file=file, line=line, hint=hint + listed)
            )
    return problems


@lru_cache(maxsize=64)
def _parsed(template: str) -> nodes.Template | Problem:
    """The syntax tree. It is never compiled here: compiling computes constants, and ``10 ** 10 ** 10`` is one."""
    from jinja2 import TemplateSyntaxError

    from karat.systems.prompts.render_worker import environment

    try:
        return environment().parse(template)
    except TemplateSyntaxError as error:
        hint = "Write {{ '{{' }} for literal double braces." if "{" in template else ""
        return Problem(f"the prompt is not a valid template: {error.message}", line=error.lineno, hint=hint)
    except (RecursionError, ValueError, OverflowError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        return Problem(f"the prompt is not a valid template: {why}")


def _outside(tree: nodes.Template) -> Iterator[tuple[str, int]]:
    """(name, first line) of what the template uses and does not set itself."""
    from jinja2 import nodes

    from karat.systems.prompts.render_worker import environment

    names = list(tree.find_all(nodes.Name))
    own = {name.name for name in names if name.ctx in ("store", "param")} | _SPECIAL | set(environment().globals)
    own |= {macro.name for macro in tree.find_all(nodes.Macro)}
    first: dict[str, int] = {}
    for name in names:
        if name.ctx == "load" and name.name not in own:
            first.setdefault(name.name, name.lineno)
    yield from first.items()


def _refused(tree: nodes.Template) -> Iterator[tuple[str, int, str]]:
    from jinja2 import nodes

    from karat.systems.prompts.render_worker import environment

    made = environment()
    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        yield "a prompt cannot include other files", node.lineno, "Put the whole text into one file."
    for used in tree.find_all(nodes.Filter):
        if used.name not in made.filters:
            yield f'there is no filter "{used.name}"', used.lineno, did_you_mean(used.name, made.filters)
    for test in tree.find_all(nodes.Test):
        if test.name not in made.tests:
            yield f'there is no test "{test.name}"', test.lineno, did_you_mean(test.name, made.tests)
    for part in tree.find_all(nodes.Getattr):
        if part.attr.startswith("_"):
            yield f'the sandbox refuses the attribute "{part.attr}"', part.lineno, ""
