"""Comparisons as one HTML file without a script, from the components of the viewer. Whatever the data says, it is text:
the template escapes it, and the page's own policy lets no script run."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

from karat.core.files.atomic import write_bytes
from karat.core.results.result import RunInfo
from karat.reports.compare.changes import SECTIONS
from karat.reports.compare.comparison import Compared, label, moves_text
from karat.reports.compare.comparison_page import comparison_page
from karat.reports.compare.several import NOTE, Matrix
from karat.reports.html.report import digest
from karat.reports.html.text import FILTERS

MOST_CASES = 200
"""Cases of a section in the file; of the others it says how many they are."""


def write_comparison_html(compared: Sequence[Compared], path: Path, matrix: Matrix | None = None) -> None:
    """Write the page; what was at the path before is replaced in one step, or kept when this fails."""
    write_bytes(path, comparison_html(compared, matrix).encode("utf-8", "backslashreplace"))


def comparison_html(compared: Sequence[Compared], matrix: Matrix | None = None) -> str:
    """The whole page: all runs beside each other where there are several, then each comparison."""
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("karat.reports", "look"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= FILTERS
    source = files("karat.reports").joinpath("templates/comparison.html.j2").read_text("utf-8")
    return environment.from_string(source).render(
        policy=f"default-src 'none'; style-src '{digest(style())}'; img-src data:; base-uri 'none'; form-action 'none'",
        style=Markup(style()),  # noqa: S704 (files of this package)
        title=" → ".join(dict.fromkeys(label(run) for item in compared for run in (item.a, item.b))),
        comparisons=[(item, comparison_page(item), _sections(item)) for item in compared],
        names=[(_name(item.a), _name(item.b)) for item in compared],
        labels=[(label(item.a), label(item.b)) for item in compared],
        matrix=matrix,
        matrix_cases=matrix.cases(0, MOST_CASES) if matrix is not None else [],
        note=NOTE,
    )


def _sections(item: Compared) -> list[tuple[str, int, list[tuple[object, str]]]]:
    found = []
    for name, words in SECTIONS.items():
        some = item.changes.of_section(name)
        if len(some):
            found.append((words, len(some), [(one, moves_text(item, one)) for one in some[:MOST_CASES]]))
    return found


def _name(run: RunInfo) -> str:
    return " ".join(part for part in (label(run), run.name if run.id else "", run.system) if part)


@cache
def style() -> str:
    """The tokens and components of the viewer."""
    look = files("karat.reports").joinpath("look")
    return "\n".join(look.joinpath(name).read_text("utf-8") for name in ("tokens.css", "components.css"))
