"""``karat cases``: the commands that work on cases."""

from __future__ import annotations

import typer

from karat.cli.cases import edit, listing, propose, survey

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
app.command("add", short_help="Add cases from stored answers, logs and tables.")(propose.add)
app.command("duplicates", short_help="Find questions that are nearly the same.")(survey.duplicates)
app.command("coverage", short_help="Show what the cases touch, and what no case touches.")(survey.coverage)
app.command("variants", short_help="Let a system rephrase a question.")(propose.variants)
app.command("draft", short_help="Let a system propose cases; they are drafts.")(propose.draft)
