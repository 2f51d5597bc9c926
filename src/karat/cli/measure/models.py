"""``karat models``: what can rank values here, and what to install for the rest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import JsonOption

if TYPE_CHECKING:
    from rich.console import Console

    from karat.search.models import ModelInfo
    from karat.search.models.vectors import Kept


def models(
    json: JsonOption = None,
    cache: Annotated[
        Path | None,
        typer.Option(
            "--cache", metavar="FOLDER", help="Show the contents of a vector cache folder, for example .karat/vectors."
        ),
    ] = None,
) -> None:
    """List the embedding models, cheapest first: which are ready to use, and what to install for the others."""
    import dataclasses

    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import UserError
    from karat.search.models import DEFAULT_MODEL, known_models
    from karat.search.models.vectors import VectorCache

    if cache is not None and not cache.is_dir():
        raise UserError(
            f"there is no folder {cache}", hint="The folder is created by the first run that needs vectors."
        )
    found = known_models()
    kept = VectorCache(cache).contents() if cache is not None else ()
    if json is not None:
        listed = [dataclasses.asdict(model) | {"default": model.name == DEFAULT_MODEL} for model in found]
        more = {"cache": [dataclasses.asdict(file) for file in kept]} if cache is not None else {}
        write_json_value({"models": listed, **more}, json)
    if json == "-":
        return
    console = stdout()
    _print_models(found, DEFAULT_MODEL, console)
    if cache is not None:
        _print_cache(kept, cache, console)


def _print_models(found: tuple[ModelInfo, ...], default: str, console: Console) -> None:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("", no_wrap=True)
    table.add_column("model, cheapest first", no_wrap=True)
    table.add_column("dims", justify="right", no_wrap=True)
    table.add_column("description", overflow="fold")
    for model in found:
        style = "" if model.ready else "dim"
        what = f"{model.summary} (the default)" if model.name == default else model.summary
        dims = f"{model.dimensions}" if model.dimensions else "–"
        table.add_row("✓" if model.ready else "·", Text(model.name, style), dims, Text(what, style))
    console.print(table)
    # Each command once, with the models it brings: four lines that say the same would hide the fifth.
    missing: dict[str, list[str]] = {}
    for model in found:
        if not model.ready:
            missing.setdefault(model.install, []).append(model.name)
    for install, names in missing.items():
        console.print(f"\nfor {', '.join(names)}:\n    {install}", markup=False, soft_wrap=True)


def _print_cache(kept: tuple[Kept, ...], cache: Path, console: Console) -> None:
    from karat.core.problems import count_of

    console.print(f"\n{cache}: {count_of(len(kept), 'file')}", markup=False, soft_wrap=True)
    for file in kept:
        size = f"{file.bytes / 1e6:,.1f} MB"
        text = (
            f"  {file.model:<24} {file.vectors:>10,} vectors of {file.dimensions}  {size:>10}  revision {file.revision}"
        )
        console.print(text, markup=False, soft_wrap=True)
