"""The colours of ``tokens.css`` for what is no style sheet, the workbook and its charts, and for the HTML report, whose
reader can choose light or dark."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import Literal

Theme = Literal["light", "dark", "print"]

_BLOCK = re.compile(r":root\s*\{([^}]*)\}")
_TOKEN = re.compile(r"--([a-z0-9-]+):\s*([^;]+);")


@cache
def tokens(theme: Theme = "light") -> dict[str, str]:
    """Name → value of every token of a theme; dark and paper change only some of those of light."""
    blocks = dict(zip(("light", "dark", "print"), _BLOCK.findall(_text()), strict=True))
    found = dict(_TOKEN.findall(blocks["light"]))
    return found if theme == "light" else found | dict(_TOKEN.findall(blocks[theme]))


def colour(name: str) -> str:
    """A colour on a light ground, for the workbook."""
    return tokens()[name]


@cache
def chosen_by_reader() -> str:
    """The tokens with both values of each colour, for a page on which ``color-scheme`` decides, and those of paper."""
    light, dark, paper = tokens(), tokens("dark"), tokens("print")
    both = [
        f"--{name}: light-dark({value}, {dark[name]});" if dark[name] != value else f"--{name}: {value};"
        for name, value in light.items()
    ]
    printed = [f"--{name}: {value};" for name, value in paper.items() if value != light[name]]
    return (
        f":root {{ color-scheme: light dark; {' '.join(both)} }}\n"
        ':root[data-theme="light"] { color-scheme: light; }\n'
        ':root[data-theme="dark"] { color-scheme: dark; }\n'
        f"@media print {{ :root, :root[data-theme] {{ color-scheme: light; {' '.join(printed)} }} }}\n"
    )


def _text() -> str:
    text = files("karat.reports").joinpath("look", "tokens.css").read_text("utf-8")
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
