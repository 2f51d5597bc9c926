"""``karat doctor``: what works on this machine, and what to install for the rest."""

from __future__ import annotations

import typer

from karat.cli import exit_codes
from karat.cli.options.shared import ConfigOption, JsonOption, StoreOption


def doctor(json: JsonOption = None, store: StoreOption = None, config: ConfigOption = None) -> None:
    """Show versions, suites, systems, plug-ins, extras, sandbox layers, the project file with its environments, and the
    store. Exit code 1 if something is broken."""
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.setup.doctor import findings

    found = findings(store, config)
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        console = stdout()
        for one in found:
            mark, style = {"ok": ("✓", "green"), "absent": ("·", "dim"), "broken": ("✗", "bold red")}[one.state]
            console.print(f"{mark} {one.what:<22} {one.note}", style=style, markup=False, soft_wrap=True)
    if any(one.state == "broken" for one in found):
        raise typer.Exit(exit_codes.BROKEN)
