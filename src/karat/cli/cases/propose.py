"""``karat cases draft``, ``variants`` and ``add``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli import exit_codes
from karat.cli.cases.options import CaseArgument, CountOption, SystemOption, SystemSettings
from karat.cli.options.shared import CasesOption, ConfigOption, JsonOption, SettingsOption, StoreOption, SuiteOption

if TYPE_CHECKING:
    from karat.core.system import SystemConfig
    from karat.verbs.cases.propose import Proposed
    from karat.verbs.inputs.work import Work

ToOption = Annotated[
    Path | None,
    typer.Option("--to", metavar="FILE", help="Write to this case file. [default: the only one, else drafts.yaml]"),
]


def draft(
    system: SystemOption,
    count: CountOption = 5,
    about: Annotated[str, typer.Option("--about", metavar="TEXT", help="What the new cases should be about.")] = "",
    to: ToOption = None,
    system_settings: SystemSettings = None,
    settings: SettingsOption = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Let a configured system propose new cases with targets, from the structures, table schemas and sample values that
    the suite's prompt shows, and from the existing cases.

    Every proposal is checked, and executed where the suite can (SQL on the database, reference code in the sandbox,
    codes in the structures); what fails is shown and not written. The rest is marked status: draft and never scored
    until you accept it: karat cases list --drafts, karat cases accept ID.

    karat cases draft --system assistant --count 10 --about "questions that need two tables"
    """
    from karat.verbs.cases.propose import draft as drafted

    work = _only(config, suite, cases, settings)
    _show(drafted(work, _config(system, system_settings, config), count, about=about, to=to), json)


def variants(
    case: CaseArgument,
    system: SystemOption,
    count: CountOption = 3,
    to: ToOption = None,
    system_settings: SystemSettings = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Let a configured system rephrase the question of a case. The case and its variants become one cluster: they count
    as one case in intervals. Variants have the same target, and are drafts until you accept them.

    karat cases variants policy_rate_norway --system assistant --count 3
    """
    from karat.verbs.cases.listing import find_case, works
    from karat.verbs.cases.propose import variants as rephrased

    found = find_case(works(config, suite, cases), case)
    _show(rephrased(found, _config(system, system_settings, config), count, to=to), json)


def add(
    answer: Annotated[
        str,
        typer.Option("--answer", metavar="ID", help="Also accept the stored answer to this case as right."),
    ] = "",
    run: Annotated[str, typer.Option("--run", help="With --answer: the run.")] = "latest",
    turn: Annotated[int, typer.Option("--turn", min=0, metavar="N", help="With --answer: the user turn, from 0.")] = 0,
    repeat: Annotated[int, typer.Option("--repeat", min=0, metavar="N", help="With --answer: the repeat.")] = 0,
    log: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="A log of conversations or a table: JSONL, JSON, CSV, Excel."),
    ] = None,
    row: Annotated[
        list[int] | None, typer.Option("--row", min=1, metavar="N", help="With --from: only this line. Repeatable.")
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--map", metavar="FIELD=COLUMN", help="With --from: which column is which field. Repeatable."),
    ] = None,
    to: ToOption = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Add cases from what you have: a stored answer, a log of real conversations, or a row of a table.

    Accept a stored answer as right, in addition to the target:  karat cases add --answer q7 --run r-0012

    From a log of conversations (JSONL with "messages", or question and answer):  karat cases add --from log.jsonl

    From one row of a table:  karat cases add --from questions.csv --row 14

    Where a row says what was answered and not what is right, the answer becomes the target and the case is a draft.
    """
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import UserError
    from karat.verbs.cases.add import add_answer, add_rows
    from karat.verbs.cases.listing import find_case, works
    from karat.verbs.inputs.projects import open_store_here

    if bool(answer) == (log is not None):
        raise UserError("there is nothing to add", hint="Give --answer ID, or --from FILE.")
    if log is None:
        found = find_case(works(config, suite, cases), answer)
        with open_store_here(store, config) as opened:
            added = add_answer(found.work, opened, run, found.case.id, turn=turn, repeat=repeat)
    else:
        maps: dict[str, list[str]] = {}
        for pair in column or ():
            field, equals, name = pair.partition("=")
            if not equals:
                raise UserError(f'--map expects FIELD=COLUMN, found "{pair}"')
            maps.setdefault(field, []).append(name)
        added = add_rows(_only(config, suite, cases, None), log, rows=row or (), maps=maps, to=to)
    if json is not None:
        write_json_value(added, json)
    if json != "-":
        console = stdout()
        print_problems(added.left_out, console)
        for name in added.cases:
            word = "draft" if name in added.drafts else "added" if log is not None else "target extended"
            console.print(f"{name}: {word}", style="green", markup=False)
        console.print(f"written to {', '.join(added.files)}", markup=False, soft_wrap=True)
    if added.left_out:
        raise typer.Exit(exit_codes.ERRORS)


def _only(config: Path | None, suite: str | None, cases: Path | None, settings: list[str] | None) -> Work:
    from karat.core.problems import UserError
    from karat.verbs.cases.listing import works

    todo = works(config, suite, cases, settings or ())
    if len(todo) > 1:
        names = " | ".join(dict.fromkeys(work.suite.name for work in todo))
        raise UserError("this project has several suites", hint=f"Choose one: --suite {names}, or --cases PATH.")
    return todo[0]


def _config(system: str, settings: list[str] | None, config: Path | None) -> SystemConfig:
    from karat.verbs.inputs.projects import project_here
    from karat.verbs.inputs.systems import named_system

    return named_system(system, settings or (), project_here(config))


def _show(proposed: Proposed, json: str | None) -> None:
    from karat.cli.printing.consoles import print_problems, stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of

    if json is not None:
        write_json_value(proposed, json)
    if json != "-":
        console = stdout()
        for entry, problems in proposed.rejected:
            console.print(f"not kept: {entry[:300]}", style="yellow", markup=False, soft_wrap=True)
            print_problems(problems, console)
        for name in proposed.written:
            console.print(f"{name}: draft", style="green", markup=False)
        kept = count_of(len(proposed.written), "draft")
        where = f" in {', '.join(proposed.files)}" if proposed.files else ""
        advice = ". Read each, then: karat cases accept ID" if proposed.written else ""
        console.print(f"{kept} written{where}{advice}", markup=False, soft_wrap=True)
    if not proposed.written:
        raise typer.Exit(exit_codes.BROKEN)
