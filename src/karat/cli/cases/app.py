"""``karat cases``: the commands that work on cases."""

from __future__ import annotations

import typer

from karat.cli.cases import edit, listing

app = typer.Typer(
    help="List, find, edit, add and propose cases, and see what they cover.",
    short_help="List, edit, add and propose cases.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

app.command("list", short_help="List the cases.")(listing.list_cases)
app.command("find", short_help="Find cases by a text.")(listing.find)
app.command("edit", short_help="Edit one case in your editor; it is checked on save.")(edit.edit)
app.command("accept", short_help="Accept drafts, so that they are scored.")(edit.accept)
