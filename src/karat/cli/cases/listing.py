"""``karat cases list`` and ``karat cases find``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import CasesOption, ConfigOption, JsonOption, SuiteOption, TagOption

if TYPE_CHECKING:
    from karat.verbs.cases.listing import ListedCase

DraftsOption = Annotated[
    bool | None, typer.Option("--drafts/--accepted", help="List only drafts, or only accepted cases.")
]


def list_cases(
    tag: TagOption = None,
    drafts: DraftsOption = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """List the cases with their questions, and the file and line of each. Drafts are marked.

    karat cases list --tag hard

    karat cases list --drafts
    """
    _show("", tag, drafts, suite, cases, json, config)


def find(
    text: Annotated[
        str, typer.Argument(help="A text in the id, name, question, tags, comments or target; case is ignored.")
    ],
    tag: TagOption = None,
    drafts: DraftsOption = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Find cases by a text in their question, id, name, tags, comments or target. Exit code 1 if there is none.

    karat cases find "gross domestic"
    """
    from karat.cli import exit_codes

    if not _show(text, tag, drafts, suite, cases, json, config):
        raise typer.Exit(exit_codes.BROKEN)


def _show(
    text: str,
    tag: list[str] | None,
    drafts: bool | None,
    suite: str | None,
    cases: Path | None,
    json: str | None,
    config: Path | None,
) -> bool:
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.cases.listing import list_cases, works

    found = list_cases(works(config, suite, cases), text=text, tags=tag or (), drafts=drafts)
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        _print(found, text)
    return bool(found)


def _print(found: Sequence[ListedCase], text: str) -> None:
    from karat.cli.printing.consoles import stdout
    from karat.core.problems import count_of

    console = stdout()
    for case in found:
        marks = [*(["draft"] if case.status == "draft" else []), *(f"#{tag}" for tag in case.tags)]
        console.print(f"{case.id}", style="bold", markup=False, highlight=False, end="")
        console.print(
            f"  {'  '.join([case.question.strip() or '(no question)', *marks])}", markup=False, highlight=False
        )
        console.print(f"    {_near(case.file)}:{case.line}", style="dim", markup=False, highlight=False, soft_wrap=True)
    drafts = sum(case.status == "draft" for case in found)
    counts = [count_of(len(found) - drafts, "case"), *([count_of(drafts, "draft")] if drafts else [])]
    console.print(" · ".join(counts) + (f' with "{text}"' if text else ""), style="bold", markup=False)


def _near(file: str) -> str:
    """A path from here, where it is below this folder."""
    path = Path(file)
    try:
        return str(path.relative_to(Path.cwd())) if path.is_absolute() else file
    except ValueError:
        return file
