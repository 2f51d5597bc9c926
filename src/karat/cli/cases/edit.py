"""``karat cases edit`` and ``karat cases accept``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exit_codes
from karat.cli.cases.options import CaseArgument
from karat.cli.options.shared import CasesOption, ConfigOption, JsonOption, SuiteOption

if TYPE_CHECKING:
    from karat.verbs.cases.edit import Editing


def edit(
    case: CaseArgument,
    drop: Annotated[
        bool, typer.Option("--drop", help="Give up an edit that was kept because it was not right.")
    ] = False,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    config: ConfigOption = None,
) -> None:
    """Edit one case in your editor ($VISUAL or $EDITOR). It is checked when you close the editor.

    You see only the text of this case, with its comments. The case file changes only if the new text is right, and only
    there. If it is not, you can open it again, drop it, or keep it for later: it stays in .karat/edits, and the next
    karat cases edit ID opens it again.

    EDITOR="code --wait" karat cases edit policy_rate_norway
    """
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.verbs.cases.edit import begin, finish, run_editor
    from karat.verbs.cases.edit import drop as give_up
    from karat.verbs.cases.listing import find_case, works

    editing = begin(find_case(works(config, suite, cases), case))
    console = stdout()
    if drop:
        give_up(editing)
        console.print(f"dropped the edit of {case}" if editing.taken_up else "there was no kept edit", markup=False)
        return
    if editing.taken_up:
        console.print(f"your earlier edit is opened again: {editing.draft}", markup=False, soft_wrap=True)
        if editing.outdated:
            said = "the case has changed in its file since: saving replaces that change; --drop gives your edit up"
            console.print(said, style="yellow", markup=False, soft_wrap=True)
    while True:
        run_editor(editing.draft, editing.line)
        edited = finish(editing)
        print_problems(edited.problems, console)
        if not edited.changed:
            console.print("nothing was changed", markup=False)
            return
        if edited.written:
            console.print(f"{case}: written to {editing.file}", style="green", markup=False, soft_wrap=True)
            return
        if not _again(editing):
            return


def _again(editing: Editing) -> bool:
    """Whether to open the editor again. Where nobody can be asked, the text is kept and the command fails."""
    import sys

    from karat.cli.printing.consoles import stdout
    from karat.verbs.cases.edit import drop

    console = stdout()
    if sys.stdin.isatty():
        answer = typer.prompt("Not written. [r]eopen the editor, [d]rop the edit, or [k]eep it for later", default="r")
        if answer.strip().lower().startswith("r"):
            return True
        if answer.strip().lower().startswith("d"):
            drop(editing)
            console.print("dropped; the case file is as it was", markup=False)
            return False
    console.print(
        f"not written; your text is in {editing.draft}. karat cases edit opens it again, --drop gives it up.",
        markup=False,
        soft_wrap=True,
    )
    raise typer.Exit(exit_codes.BROKEN)


def accept(
    case: Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of drafts.")],
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Accept drafts: from now on they are scored. Read a draft before you accept it.

    Only the word after "status" changes in the file. List the drafts with: karat cases list --drafts
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.cases.accept import accept_case
    from karat.verbs.cases.listing import find_case, works

    done = []
    for name in case:
        accepted = accept_case(find_case(works(config, suite, cases), name))
        done.append({"id": accepted.id, "file": accepted.source.file, "line": accepted.source.line})
        if json != "-":
            stdout().print(f"{accepted.id}: accepted", style="green", markup=False)
    if json is not None:
        write_json_value(done, json)
