"""``karat runs``: what is in the store."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options import ConfigOption, JsonOption, StoreOption, complete_runs

app = typer.Typer(help="List, show, tag and delete stored runs.", rich_markup_mode=None)

RunArgument = Annotated[
    str, typer.Argument(help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs)
]


@app.callback(invoke_without_command=True)
def runs(context: typer.Context) -> None:
    """List, show, tag and delete stored runs. Without a command, it lists them."""
    if context.invoked_subcommand is None:
        list_runs()


@app.command("list")
def list_runs(
    suite: Annotated[str | None, typer.Option("--suite", "-s", help="Show only runs of this suite.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show the newest N runs.")] = 30,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """List the newest runs with their main figures."""
    import msgspec

    from karat.cli.printing import stdout, write_json_value
    from karat.cli.project import open_store_for
    from karat.core import plugins
    from karat.store import run_name

    if suite is not None:
        plugins.load_suite(suite)  # a suite that is not there is told as such, not as one without runs
    with open_store_for(config, store, create=False) as opened:
        rows = opened.runs(limit, suite)
    if json is not None:
        write_json_value([{"run": run_name(row.id), **msgspec.to_builtins(row)} for row in rows], json)
    if json == "-":
        return
    console = stdout()
    if not rows:
        console.print(f"no runs{f' of {suite}' if suite else ''} yet: karat run creates one", markup=False)
        return
    from karat.reports.console.runs import print_runs

    titles = {name: {m.name: m.title for m in plugins.load_suite(name).metrics} for name in {row.suite for row in rows}}
    print_runs(rows, titles, console)


@app.command("show")
def show_run(
    run: RunArgument = "latest", json: JsonOption = None, store: StoreOption = None, config: ConfigOption = None
) -> None:
    """Show one run: its figures, its weakest cases and its errors."""
    from karat.cli.project import open_store_for
    from karat.cli.showing import Outputs, origin_of, show
    from karat.core import plugins
    from karat.runs.baseline import find_run

    with open_store_for(config, store, create=False) as opened:
        result = opened.result(find_run(opened, run))
        origin = origin_of(opened, result, config, store)
    show(result, plugins.load_suite(result.run.suite), Outputs(json), origin=origin)


@app.command("tag")
def tag_run(
    run: Annotated[
        str, typer.Argument(help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs)
    ],
    tags: Annotated[list[str] | None, typer.Argument(help="The tags to add.")] = None,
    remove: Annotated[list[str] | None, typer.Option("--remove", help="Remove this tag. Repeatable.")] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Add tags to a run: karat runs tag r-0012 baseline

    Gates compare with the newest run that is tagged or named baseline.
    """
    from karat.cli.printing import stdout
    from karat.cli.project import open_store_for
    from karat.core.problems import UserError
    from karat.runs.baseline import find_run
    from karat.store import run_name

    added = [tag.strip() for tag in tags or ()]
    if not all(added) or not (added or remove):
        raise UserError(
            "no tag given",
            hint="For example: karat runs tag r-0012 baseline, or karat runs tag r-0012 --remove baseline",
        )
    with open_store_for(config, store, create=False) as opened:
        run_id = find_run(opened, run)
        found = opened.tag_run(run_id, added, remove or ())
    stdout().print(f"{run_name(run_id)}: {', '.join(found) or 'no tags'}", markup=False)


@app.command("delete")
def delete_run(
    run: Annotated[
        str, typer.Argument(help="r-0012, 12, or a name or tag that only one run has.", autocompletion=complete_runs)
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Delete a run with its predictions and scores. This cannot be undone."""
    from karat.cli.printing import stdout
    from karat.cli.project import open_store_for
    from karat.core.problems import count_of
    from karat.runs.baseline import find_run
    from karat.store import run_name

    with open_store_for(config, store, create=False) as opened:
        run_id = find_run(opened, run, only=True)
        record = opened.run(run_id)
        question = (
            f"delete {run_name(run_id)} ({record.suite}, {count_of(record.cases, 'case')}, {record.started[:16]})?"
        )
        if not yes:
            typer.confirm(question, abort=True)
        opened.delete_run(run_id)
    stdout().print(f"deleted {run_name(run_id)}", markup=False)
