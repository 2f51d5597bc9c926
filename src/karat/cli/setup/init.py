"""``karat init``: a project to start from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import typer

from karat.cli.options.shared import complete_suites

Kind = Literal["recorded", "function", "command", "openai", "http"]
CI = Literal["none", "github", "gitlab"]
"""As in ``karat.verbs.setup.new_project``, which is imported only when a project is made."""


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
    system: Annotated[
        Kind | None,
        typer.Option(
            "--system",
            help="What answers the cases: recorded answers, the function or command in assistant.py, or an endpoint "
            "(with --base-url). [default: recorded]",
        ),
    ] = None,
    ci: Annotated[CI | None, typer.Option("--ci", help="Also write what runs Karat in CI. [default: none]")] = None,
    show_prompt: Annotated[
        bool,
        typer.Option("--show-prompt", help="Print the default prompt of the suite (or of all suites) and exit."),
    ] = False,
) -> None:
    """Start a project with karat.yaml, a dozen cases, and recorded answers to try it out.

    At a terminal, it asks for what you do not give as an option. Existing files are never overwritten.

    karat init --suite codegen --system function --ci github my-project

    The YAML files name a JSON Schema in .karat/schemas, so that editors complete keys and mark typos; karat schema
    --write makes it again.

    karat init --suite answers --show-prompt > prompt.j2 writes the default prompt to a file that you can edit and use:
    prompt: prompt.j2
    """
    from karat.cli.options.verbosity import quiet
    from karat.cli.printing.consoles import stdout
    from karat.verbs.setup.init import extras_to_install, start_project

    if show_prompt:
        _print_prompts(suite)
        return
    if asks_here() and suite is None and system is None and base_url is None and ci is None:
        suite, system, base_url, ci = _ask()
    suite = suite or "data_query"
    kind = system or ("recorded" if base_url is None else "openai")
    copied = start_project(folder, suite, kind=kind, base_url=base_url, model=model, ci=ci or "none")
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
    for needed in extras_to_install(suite):
        console.print(f"  {needed}   first: {suite} needs it", markup=False, soft_wrap=True)
    inside = "" if folder.resolve() == Path.cwd() else f"cd {folder} && "
    does = "score the example" if kind == "recorded" else "run the cases against the assistant and score its answers"
    console.print(f"  {inside}karat run      {does}", markup=False, soft_wrap=True)
    console.print("  karat check    check the cases", markup=False, soft_wrap=True)
    console.print(
        "then replace the cases and the assistant with your own: see karat.yaml",
        markup=False,
        soft_wrap=True,
    )


def asks_here() -> bool:
    """Whether somebody sits at the terminal who can be asked."""
    import sys

    return sys.stdin.isatty() and sys.stdout.isatty()


def _ask() -> tuple[str, Kind, str | None, CI]:
    """Which suite, which system, which CI."""
    from karat.core import plugins
    from karat.verbs.setup.init import suites_with_example
    from karat.verbs.setup.new_project import CIS, KINDS

    summaries = {name: plugins.load_suite(name).summary for name in suites_with_example()}
    suite = _choose("What does your assistant return?", summaries, "data_query")
    system: Kind = _choose("What answers the questions?", KINDS, "recorded")
    base_url = typer.prompt("Its address") if system in ("openai", "http") else None
    ci: CI = _choose("Shall Karat run in CI?", CIS, "none")
    return suite, system, base_url, ci


Chosen = TypeVar("Chosen", bound=str)


def _choose(question: str, choices: Mapping[Chosen, str], default: Chosen) -> Chosen:
    """One of the choices, by its number or name."""
    names = list(choices)
    typer.echo(question)
    for number, name in enumerate(names, start=1):
        typer.echo(f"  {number}  {name}: {choices[name]}")
    while True:
        said = str(typer.prompt("Number or name", default=default)).strip()
        if said in choices:
            return next(name for name in names if name == said)
        if said.isdigit() and 1 <= int(said) <= len(names):
            return names[int(said) - 1]
        typer.echo(f"Please answer 1 to {len(names)}, or one of {', '.join(names)}.")


def _print_prompts(suite: str | None) -> None:
    """The default prompts as they are, so that they can be sent to a file."""
    from karat.core import plugins

    if suite is not None:
        typer.echo(plugins.load_suite(suite).prompting.default, nl=False)
        return
    for found in plugins.suites():
        typer.echo(f"{{# {found.name} #}}\n{found.prompting.default}")
