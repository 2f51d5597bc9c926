"""``karat init``: a project to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options.shared import complete_suites


def init(
    folder: Annotated[Path, typer.Argument(help="The folder for the project.")] = Path(),
    suite: Annotated[
        str | None,
        typer.Option(
            "--suite", "-s", help="The suite to start with. [default: data_query]", autocompletion=complete_suites
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="Ask this OpenAI-compatible endpoint instead of scoring recorded answers."),
    ] = None,
    model: Annotated[str, typer.Option("--model", help="With --base-url: the name of the model.")] = "default",
    show_prompt: Annotated[
        bool,
        typer.Option("--show-prompt", help="Print the default prompt of the suite (or of all suites) and exit."),
    ] = False,
) -> None:
    """Start a project with karat.yaml, a dozen cases, and recorded answers to try it out.

    Existing files are never overwritten.

    karat init --suite answers --show-prompt > prompt.j2 writes the default prompt to a file that you can edit and use:
    prompt: prompt.j2
    """
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import stdout
    from karat.verbs.init import start_project

    if show_prompt:
        _print_prompts(suite)
        return
    suite = suite or "data_query"
    copied = start_project(folder, suite, base_url=base_url, model=model)
    if quiet():
        return
    console = stdout()
    top = sorted(
        {
            file.relative_to(folder).parts[0] + ("/" if len(file.relative_to(folder).parts) > 1 else "")
            for file in copied
        }
    )
    console.print(
        f"started a project for {suite} in {folder.resolve().name}/: {', '.join(top)}",
        style="bold",
        markup=False,
        soft_wrap=True,
    )
    inside = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    does = (
        "score the recorded answers" if base_url is None else "run the cases against the endpoint and score its answers"
    )
    console.print(f"  {inside}karat run      {does}", markup=False)
    console.print("  karat check    check the cases", markup=False)
    console.print(
        "then replace the cases and the assistant with your own: see karat.yaml",
        markup=False,
        soft_wrap=True,
    )


def _print_prompts(suite: str | None) -> None:
    """The default prompts as they are, so that they can be sent to a file."""
    from karat.core import plugins

    if suite is not None:
        typer.echo(plugins.load_suite(suite).prompting.default, nl=False)
        return
    for found in plugins.suites():
        typer.echo(f"{{# {found.name} #}}\n{found.prompting.default}")
