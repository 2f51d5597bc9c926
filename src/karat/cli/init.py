"""``karat init``: a project to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options import complete_suites


def init(
    folder: Annotated[Path, typer.Argument(help="Where to put it.")] = Path(),
    suite: Annotated[
        str, typer.Option("--suite", "-s", help="What to start from.", autocompletion=complete_suites)
    ] = "data_query",
) -> None:
    """Start a project: karat.yaml, a dozen cases, and recorded answers to try it on at once.

    Nothing that is there already is overwritten.
    """
    from karat.cli.examples import copy_example
    from karat.cli.printing import stdout
    from karat.cli.verbosity import quiet

    copied = copy_example(suite, folder)
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
    console.print(f"  {inside}karat run      score the recorded answers", markup=False)
    console.print("  karat check    check the cases", markup=False)
    console.print(
        "then put your own cases and your own assistant in their place: karat.yaml says where",
        markup=False,
        soft_wrap=True,
    )
