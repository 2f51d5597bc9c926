"""``karat comment``: the newest runs on a pull request, in one comment that updates itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from karat.cli.options.shared import ConfigOption, StoreOption, complete_runs


def comment(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="Write the text to this file, and post nothing.")
    ] = None,
    name: Annotated[
        str, typer.Option("--name", help="Tells the comments of several jobs on one pull request apart.")
    ] = "report",
    link: Annotated[str, typer.Option("--link", metavar="URL", help="A link to the full report.")] = "",
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RUN",
            help="The run to compare with. [default: baseline in karat.yaml, or the newest run named baseline]",
            autocompletion=complete_runs,
        ),
    ] = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Post the newest run of each suite on the pull request, or update an earlier comment.

    In GitHub Actions it needs GITHUB_TOKEN, in GitLab CI GITLAB_TOKEN. A job without a pull request posts nothing.

    karat comment --out comment.md    # only write the text
    """
    from karat.cli.printing.consoles import stdout
    from karat.core.files.atomic import write_bytes
    from karat.verbs.pull_request.posting import marker, place_here, post_comment
    from karat.verbs.pull_request.text import comment_text

    marker(name)  # a wrong name is said before anything is read
    text = comment_text(store=store or "", config=config, baseline=baseline or "", link=link)
    if out is not None:
        write_bytes(out, text.encode(errors="replace"))
        stdout().print(f"saved {out}", markup=False, soft_wrap=True)
        return
    place = place_here()
    if place is None:
        stdout().print("this job is about no pull request: nothing is posted", markup=False)
        return
    done = post_comment(place, text, name)
    stdout().print(f"comment {done}", markup=False)
