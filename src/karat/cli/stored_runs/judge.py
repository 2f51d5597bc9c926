"""``karat judge``: ask a judge about a run, compare it with people, and see what to review next."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any  # Any: the context of a command line, whose class typer keeps to itself

import typer
from typer.core import TyperGroup

from karat.cli.options.shared import ConfigOption, JsonOption, StoreOption, complete_runs


class AskByDefault(TyperGroup):
    """``karat judge r-0012`` is ``karat judge ask r-0012``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the default command before arguments that name none."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = ["ask", *args]
        return super().parse_args(ctx, args)


app = typer.Typer(
    cls=AskByDefault,
    help="Ask a judge about answers that no rule settled, and compare it with people. karat judge RUN asks.",
    rich_markup_mode=None,
)

RunArgument = Annotated[
    str,
    typer.Argument(metavar="RUN", help="A run: r-0012, 12, latest, or its name or tag.", autocompletion=complete_runs),
]
SystemOption = Annotated[
    str | None,
    typer.Option("--system", metavar="NAME", help="The system that judges. [default: judge.system in karat.yaml]"),
]


@app.command("ask")
def ask(
    run: RunArgument = "latest",
    system: SystemOption = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Ask again, even about answers that the judge has seen.")
    ] = False,
    retry_errors: Annotated[
        bool,
        typer.Option("--retry-errors", help="Ask again where the call failed or the budget was spent."),
    ] = False,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Ask the judge about the answers of a run that no rule settled. Scores stay as they are.

    karat judge r-0012
    """
    from karat.cli.printing.consoles import notes, stdout
    from karat.cli.printing.judged import announced, counting, print_judged, print_run
    from karat.cli.printing.outputs import write_json_value
    from karat.runs.baseline import find_run
    from karat.verbs.inputs.projects import open_store_here
    from karat.verbs.judge.ask import ask_judge
    from karat.verbs.judge.corrected import with_judge
    from karat.verbs.runs import stored_result

    with counting(notes()) as watch:
        found = ask_judge(
            run,
            system,
            fresh=fresh,
            retry_errors=retry_errors,
            store=store or "",
            config=config,
            watch=watch,
            announce=announced,
        )
    with open_store_here(store, config) as opened:
        result = with_judge(opened, find_run(opened, run), stored_result(opened, run))
    if json is not None:
        write_json_value({"asked": found, "judge": result.judge}, json)
    if json != "-":
        print_judged(found, stdout())
        print_run(result, stdout())


@app.command("calibrate")
def calibrate(
    runs: Annotated[
        list[str] | None,
        typer.Argument(metavar="[RUN]…", help="The runs whose reviews count. [default: all that the judge has seen]"),
    ] = None,
    judge: Annotated[
        str, typer.Option("--judge", metavar="j-…", help="The version of the judge. [default: the newest]")
    ] = "",
    system: SystemOption = None,
    repeats: Annotated[
        int,
        typer.Option(
            "--repeats", min=2, max=20, metavar="N", help="How often the judge is asked again about reviewed answers."
        ),
    ] = 3,
    probes: Annotated[
        bool, typer.Option("--probes/--no-probes", help="Ask again, to see whether the verdicts stay the same.")
    ] = True,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Compare the judge with people's reviews, and say whether it may count.

    karat judge calibrate r-0012
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.judged import print_calibration
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.judge.calibrate import calibrate_judge

    found = calibrate_judge(
        runs or (), system, version=judge, repeats=repeats, probes=probes, store=store or "", config=config
    )
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        print_calibration(found, stdout())


@app.command("next")
def next_(
    run: RunArgument = "latest",
    limit: Annotated[int, typer.Option("--limit", min=1, metavar="N", help="Show the first N cases.")] = 20,
    width: Annotated[
        float | None,
        typer.Option(
            "--width", metavar="W", help="List enough cases to narrow the interval of the corrected rate to W."
        ),
    ] = None,
    overlap: Annotated[
        float | None,
        typer.Option(
            "--overlap",
            metavar="SHARE",
            help="Ask a second person to review this share of the draw. [default: judge.overlap]",
        ),
    ] = None,
    reviewer: Annotated[
        str, typer.Option("--reviewer", metavar="NAME", help="Leave out what this person has reviewed.")
    ] = "",
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Show what to review next, and why: first the random sample, then what is most informative.

    karat judge next r-0012 --limit 5
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.judged import print_next
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.judge.review_next import next_reviews

    found = next_reviews(
        run, limit=limit, width=width, overlap=overlap, reviewer=reviewer, store=store or "", config=config
    )
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        print_next(found, stdout())


@app.command("attack")
def attack(
    system: SystemOption = None,
    file: Annotated[
        Path | None,
        typer.Option("--attacks", metavar="FILE", help="Attacks of your own, as JSON Lines, in place of the 40."),
    ] = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Attack the judge with 40 wrong answers that try to talk it into a pass. By default, none may succeed.

    karat judge attack --system grader
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.judged import print_attacks
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.judge.attack import attack_judge, read_attacks

    found = attack_judge(system, own=read_attacks(file) if file else (), store=store or "", config=config)
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        print_attacks(found, stdout())


@app.command("drift")
def drift(
    run: RunArgument = "latest",
    system: SystemOption = None,
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Ask the judge again about answers that people reviewed, and say whether its verdicts have changed.

    Asking about a run does this by itself when the version has changed, and once a month.

    karat judge drift
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.judged import print_drift
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.judge.drift import drift_of_judge

    found = drift_of_judge(run, system, store=store or "", config=config)
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        print_drift(found, stdout())


@app.command("compare")
def compare(
    first: Annotated[str, typer.Argument(metavar="JUDGE", help="A version, such as j-3fa91c02.")],
    second: Annotated[str, typer.Argument(metavar="OTHER", help="Another version.")],
    json: JsonOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Compare two versions of a judge on the answers that both have judged.

    karat judge compare j-3fa91c02 j-81c2aa07
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.judged import print_compared
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.judge.compare import compare_judges

    found = compare_judges(first, second, store=store or "", config=config)
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        print_compared(found, stdout())
