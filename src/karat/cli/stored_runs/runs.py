"""``karat runs``: what is in the store."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import ConfigOption, JsonOption, StoreOption, complete_runs

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

    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core import plugins
    from karat.store import run_name
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.runs import newest_runs, require_suite

    require_suite(suite)
    with open_store_here(store, config) as opened:
        rows = newest_runs(opened, limit, suite)
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
    from karat.cli.printing.outputs import Outputs
    from karat.cli.printing.results import show, store_flags
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.runs import origin_of, stored_result

    with open_store_here(store, config) as opened:
        result = stored_result(opened, run)
        origin = origin_of(opened, result, store_flags(config, store))
    show(result, Outputs(json), origin=origin)


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
    from karat.cli.printing.consoles import stdout
    from karat.store import run_name
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.runs import require_tags, tag_run

    require_tags(tags or (), remove or ())
    with open_store_here(store, config) as opened:
        run_id, found = tag_run(opened, run, tags or (), remove or ())
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
    from karat.cli.printing.consoles import stdout
    from karat.core.problems import count_of
    from karat.runs.baseline import find_run
    from karat.store import run_name
    from karat.verbs.inputs.projects import open_store_here

    with open_store_here(store, config) as opened:
        run_id = find_run(opened, run, only=True)
        record = opened.run(run_id)
        question = (
            f"delete {run_name(run_id)} ({record.suite}, {count_of(record.cases, 'case')}, {record.started[:16]})?"
        )
        if not yes:
            typer.confirm(question, abort=True)
        opened.delete_run(run_id)
    stdout().print(f"deleted {run_name(run_id)}", markup=False)
