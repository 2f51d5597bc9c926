"""Options that the commands of ``karat cases`` share."""

from __future__ import annotations

from typing import Annotated

import typer

CaseArgument = Annotated[str, typer.Argument(metavar="ID", help="The id or the name of a case.")]
SystemOption = Annotated[
    str,
    typer.Option("--system", metavar="NAME", help="The system of karat.yaml that is asked, or a type of system."),
]
SystemSettings = Annotated[
    list[str] | None,
    typer.Option("--system-option", metavar="KEY=VALUE", help="Set a setting of the system. Repeatable."),
]
CountOption = Annotated[int, typer.Option("--count", "-n", min=1, max=200, metavar="N", help="How many to ask for.")]
