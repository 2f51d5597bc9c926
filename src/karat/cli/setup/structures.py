"""``karat structures``: what is in structure files, before cases are checked against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import JsonOption

if TYPE_CHECKING:
    from rich.console import Console

    from karat.core.json_types import JsonObject


def structures(
    paths: Annotated[
        list[Path],
        typer.Argument(
            help="SDMX-ML or SDMX-JSON structures, CSV files with the columns codelist,id,name, gzip or zip archives "
            "of them, or folders.",
            metavar="PATH…",
        ),
    ],
    json: JsonOption = None,
) -> None:
    """List what structure files contain: codelists, data structures, dataflows and constraints.

    karat structures sdmx/ --json structures.json

    A bad file in a folder is reported, and the others are used. Exit code 2 if a file that you name cannot be read, or
    if nothing can; the JSON is written anyway.
    """
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.inputs.structures import list_structures

    found = list_structures(paths)
    if json is not None:
        write_json_value({"files": found.rows}, json)
    if json != "-":
        console = stdout()
        for row in found.rows:
            _print(row, console)
        print_problems([p for one in found.files if not one.named for p in one.problems], console)
    found.refuse()


def _print(row: JsonObject, console: Console) -> None:
    from karat.core.problems import count_of

    console.print(f"{row['file']}: {row['status']}", style="bold", markup=False, soft_wrap=True)
    for one in row["codelists"]:
        inherited = f" ({one['own_codes']:,} of its own)" if one["own_codes"] != one["codes"] else ""
        more = "".join((inherited, ", partial" if one["partial"] else ""))
        spoken = f", {' '.join(one['languages'])}" if one["languages"] else ""
        _line(console, "codelist", one, f"{count_of(one['codes'], 'code')}{more}{spoken}")
    for one in row["structures"]:
        _line(console, "structure", one, " ".join(d["id"] for d in one["dimensions"]))
    for one in row["dataflows"]:
        _line(console, "dataflow", one, f"→ {one['structure']}" if one["structure"] else "")
    for one in row["constraints"]:
        on = ", ".join(one["attached"]) or "nothing"
        held = f"{count_of(one['regions'], 'region')}, {count_of(one['keys'], 'key')}"
        _line(console, "constraint", one, f"{one['role']}, on {on}: {held}")


def _line(console: Console, kind: str, one: JsonObject, note: str) -> None:
    agency = f"{one['agency']}:" if one["agency"] else ""
    name = f"{agency}{one['id']}({one['version']})" if one["version"] else f"{agency}{one['id']}"
    console.print(f"  {kind:<10} {name}  {note}", markup=False, soft_wrap=True)
