"""``karat env``: the Python environments of a project."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import ConfigOption, JsonOption

app = typer.Typer(
    help="Build, list and remove the Python environments of a project.", rich_markup_mode=None, no_args_is_help=True
)

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="An environment of karat.yaml.")]


@app.command("build")
def build(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="Build only this environment.")] = "",
    offline: Annotated[
        bool, typer.Option("--offline", help="Install only from the folder of wheels that the environment names.")
    ] = False,
    config: ConfigOption = None,
) -> None:
    """Build the environments that karat.yaml names, once.

    karat env build pandas15

    An environment is a folder in your cache, named by its Python, its packages and the platform. The packages are
    resolved, written to karat-env.lock with their hashes, and installed from there; the next build takes what is
    locked. Only wheels are installed. A build that is stopped leaves nothing behind.
    """
    from karat.cli.printing.consoles import stderr, stdout
    from karat.core.problems import count_of
    from karat.verbs.setup.environments import build_environments

    def begins(one: str) -> None:
        stderr().print(f"building {one} …", style="dim", markup=False)

    console = stdout()
    for made in build_environments(name, offline=offline, config=config, begins=begins):
        what = "built" if made.new else "is built already"
        packages = count_of(len(made.built.locked.packages), "package")
        words = f"{made.name} {what}: Python {made.built.locked.python}, {packages}, {made.built.size / 1e6:,.0f} MB"
        console.print(f"{words}\n  {made.folder}", markup=False, highlight=False, soft_wrap=True)


@app.command("list")
def list_(json: JsonOption = None, config: ConfigOption = None) -> None:
    """List the environments of the project, and those in your cache that it does not name."""
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of
    from karat.verbs.setup.environments import list_environments

    rows = list_environments(config)
    if json is not None:
        write_json_value(rows, json)
    if json == "-":
        return
    console = stdout()
    if not rows:
        console.print("no environments")
    for row in rows:
        version = (
            f"Python {row.python}, {count_of(len(row.packages), 'package')}, {row.size / 1e6:,.0f} MB"
            if row.packages
            else ""
        )
        words = "  ".join(part for part in (f"{row.name:<16} {row.state:<10}", version, row.note or row.folder) if part)
        console.print(words, markup=False, highlight=False, soft_wrap=True)


@app.command("remove")
def remove(name: NameArgument, config: ConfigOption = None) -> None:
    """Remove a built environment from your cache. The lock file stays, so that it can be built again as it was."""
    from karat.cli.printing.consoles import stdout
    from karat.verbs.setup.environments import remove_environment

    stdout().print(f"removed {remove_environment(name, config)}", markup=False, highlight=False, soft_wrap=True)
