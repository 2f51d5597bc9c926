"""``karat store``: check, repair and move a store as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exit_codes
from karat.cli.options.output_files import file_output
from karat.cli.options.shared import ConfigOption, JsonOption

if TYPE_CHECKING:
    from karat.store.upkeep.findings import Checked, Watch

app = typer.Typer(help="Check, repair and move a store.", rich_markup_mode=None, no_args_is_help=True)

StoreArgument = Annotated[
    str | None,
    typer.Argument(metavar="[STORE]", help="The store: a file, sqlite:///… or postgresql://… [default: the project's]"),
]


@app.command("check")
def check(store: StoreArgument = None, json: JsonOption = None, config: ConfigOption = None) -> None:
    """Check every row of a store. Exit code 1 if something is wrong. Nothing is changed.

    It checks the database file, that every stored value can be read, and that no row has lost what it belongs to.
    STORE may also be the URL of a file in an object store: s3://…, gs://…, az://…
    """
    from karat.verbs.store import check_store

    with _progress("checking") as watch:
        found = check_store(store or "", config=config, watch=watch)
    _print(found, json)
    if not found.sound:
        raise typer.Exit(exit_codes.BROKEN)


@app.command("repair")
def repair(
    store: StoreArgument = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write the repaired store to this new file. [default: in place; the damaged file is kept beside it]",
            callback=file_output,
        ),
    ] = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Save what can be saved of a damaged SQLite store, and list what is lost. Exit code 3 if something is.

    The damaged file is never changed or deleted. A scoring that lost a row is left out as a whole, because its figures
    would be over fewer cases: karat score RUN computes it again.
    """
    from karat.verbs.store import repair_store

    with _progress("repairing") as watch:
        found = repair_store(store or "", out, config=config, watch=watch)
    _print(found, json)
    if not found.sound:
        raise typer.Exit(exit_codes.ERRORS)


@app.command("move")
def move(
    source: Annotated[str, typer.Argument(help="The store to copy: a file, sqlite:///…, postgresql://… or s3://…")],
    destination: Annotated[str, typer.Argument(help="Where to: the same forms. There must be no store yet.")],
    json: JsonOption = None,
) -> None:
    """Copy a whole store to another database: SQLite, PostgreSQL, or a SQLite file in an object store.

    Everything is copied or nothing, and compared row by row before it counts. Run ids stay. The source is not deleted.
    """
    import msgspec

    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of
    from karat.verbs.store import move_store

    with _progress("copying") as watch:
        found = move_store(source, destination, watch=watch)
    if json is not None:
        write_json_value(msgspec.to_builtins(found), json)
    if json != "-":
        rows = count_of(sum(found.tables.values()), "row")
        runs = count_of(found.tables["runs"], "run")
        stdout().print(f"copied {runs} ({rows}) from {found.source} to {found.target}", soft_wrap=True)
        stdout().print("The source is still there. Delete it when you no longer need it.", soft_wrap=True)


def _print(found: Checked, json: str | None) -> None:
    import msgspec

    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of

    if json is not None:
        write_json_value({"sound": found.sound, **msgspec.to_builtins(found)}, json)
    if json == "-":
        return
    console = stdout()
    for finding in found.findings:
        console.print(finding.text, style="red", soft_wrap=True)
    if found.count > len(found.findings):
        console.print(f"… and {found.count - len(found.findings):,} more", soft_wrap=True)
    held = ", ".join(count_of(number, noun) for noun, number in found.contents.items())
    if found.sound:
        console.print(f"{found.store}: nothing is wrong. It has {held or 'no runs'}.", soft_wrap=True)
    elif found.saved_as:
        console.print(f"saved to {found.saved_as}: {held or 'no runs'}", style="bold", soft_wrap=True)
        if found.kept:
            console.print(f"The damaged store is kept as {found.kept}.", soft_wrap=True)
    else:
        said = f"{found.store}: {count_of(found.count, 'finding')}. karat store repair saves what can be saved."
        console.print(said, style="bold", soft_wrap=True)


@contextmanager
def _progress(title: str) -> Iterator[Watch]:
    """The table and the row that it is at, on a terminal; nothing elsewhere."""
    from karat.cli.printing.consoles import notes
    from karat.core.problems import count_of

    console = notes()
    if not console.is_terminal or console.quiet:
        yield lambda _table, _rows: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False))
    with Progress(*columns, console=console, transient=True, refresh_per_second=8) as bar:
        task = bar.add_task(title, total=None)
        yield lambda table, rows: bar.update(task, description=f"{title} {table}: {count_of(rows, 'row')}")
