"""The public names of Karat: signature, meaning and example of each."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Sequence
from itertools import pairwise
from types import ModuleType

import msgspec

from karat.core.yaml.json_schema import field_docs
from tools.reference.schema_tables import anchor, cell

WIDTH = 100


def python_names(modules: Sequence[ModuleType]) -> list[str]:
    """One section per module, one part per name, with the docstring as it is."""
    lines = ["# Reference: Python", "", "Every public name. [Python](../python.md) explains how to use them together."]
    lines += ["The examples run as tests.", ""]
    for module in modules:
        lines += [f"## {module.__name__}", "", first_paragraph(module), ""]
        for name in sorted(module.__all__, key=str.lower):
            lines += entry(module.__name__, name, getattr(module, name))
    return lines


def entry(module: str, name: str, value: object) -> list[str]:
    """One name."""
    lines = [f"### {module}.{name}", ""]
    if isinstance(value, ModuleType):
        return [*lines, f"{first_paragraph(value)} See [below](#{anchor(value.__name__)}).", ""]
    if name == "__version__":
        return [*lines, "The version of Karat that is installed, such as `0.1.0`.", ""]
    if not hasattr(value, "__module__") or value.__module__ in ("builtins", "typing"):
        return [*lines, prose(value_doc(sys.modules[module], name)), ""]
    shown = signature(name, value)
    lines += ["```text", shown, "```", ""] if shown else []
    text, _, example = (inspect.getdoc(value) or "").partition(">>>")
    lines += [prose(text).strip(), ""]
    if example:
        lines += ["```python-console", *(">>>" + example).rstrip().splitlines(), "```", ""]
    return [*lines, *fields(value)]


def value_doc(module: ModuleType, name: str) -> str:
    """The text below a constant or a type alias, in the module that assigns it; empty if there is none."""
    statements = ast.parse(inspect.getsource(module)).body
    for line, after in pairwise(statements):
        targets = (
            line.targets if isinstance(line, ast.Assign) else [line.target] if isinstance(line, ast.AnnAssign) else []
        )
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            text = after.value.value if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) else ""
            return " ".join(str(text).split())
    for line in statements:
        if isinstance(line, ast.ImportFrom) and line.module and name in [each.name for each in line.names]:
            return value_doc(sys.modules[line.module], name)
    return ""


def fields(value: object) -> list[str]:
    """The fields of a struct and what each means."""
    if not isinstance(value, type) or not issubclass(value, msgspec.Struct):
        return []
    meanings = field_docs(value)
    rows = [f"| `{name}` | {cell(prose(meanings.get(name, '')))} |" for name in value.__struct_fields__]
    return ["| field | meaning |", "|---|---|", *rows, ""] if rows else []


def signature(name: str, value: object) -> str:
    """``name(parameters) -> result``, one parameter per line where they are many. Types are as in the source."""
    if isinstance(value, type) and issubclass(value, msgspec.Struct):
        parts, returns = struct_parts(value), ""
    elif inspect.isfunction(value):
        found = inspect.signature(value)
        parts = [plain(str(part)) for part in found.parameters.values()]
        kinds = [part.kind for part in found.parameters.values()]
        if inspect.Parameter.KEYWORD_ONLY in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
            parts.insert(kinds.index(inspect.Parameter.KEYWORD_ONLY), "*")
        empty = found.return_annotation is inspect.Signature.empty
        returns = "" if empty else f" -> {plain(str(found.return_annotation))}"
    else:
        return ""
    text = f"{name}({', '.join(parts)}){returns}"
    return text if len(text) <= WIDTH else "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){returns}"])


def struct_parts(value: type[msgspec.Struct]) -> list[str]:
    """``field: type = default`` of a struct."""
    types = {
        name: text for each in reversed(value.__mro__) for name, text in vars(each).get("__annotations__", {}).items()
    }
    names, defaults = value.__struct_fields__, value.__struct_defaults__
    given = dict(zip(names[len(names) - len(defaults) :], defaults, strict=True))
    given = {name: default for name, default in given.items() if default is not msgspec.NODEFAULT}
    simple = str | int | float | bool | None
    shown = {name: f" = {default!r}" if isinstance(default, simple) else " = …" for name, default in given.items()}
    return [plain(f"{name}: {types[name]}{shown.get(name, '')}") for name in names]


def prose(text: str) -> str:
    """A docstring as Markdown: names in backticks, whatever role they have."""
    return re.sub(r":\w+:(?=`)", "", text).replace("``", "`").replace("<", "&lt;")


def plain(text: str) -> str:
    """A type as it is in the source, and no address of an object."""
    return re.sub(r"<.*>", "…", re.sub(r"(: |^|-> )'([^']*)'", r"\1\2", text))


def first_paragraph(module: ModuleType) -> str:
    """What a module is for."""
    return prose((inspect.getdoc(module) or "").split("\n\n")[0])
