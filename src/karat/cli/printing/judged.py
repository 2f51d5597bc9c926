"""What a judge said, on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from karat.core.problems import count_of, p_words
from karat.core.results.result import Estimate, RunResult

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from karat.judge.asking import Estimate as Cost
    from karat.judge.calibration import AttackCount, Calibration, Drift
    from karat.judge.judge_client import Judging
    from karat.store.store import Store
    from karat.verbs.judge.ask import Judged
    from karat.verbs.judge.compare import ComparedJudges
    from karat.verbs.judge.review_next import NextReviews

SHOWN = 10


@contextmanager
def counting(console: Console) -> Iterator[Callable[[Judging], None]]:
    """A bar on a terminal while a judge is asked; nothing elsewhere."""
    if not console.is_terminal:
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    with Progress(TextColumn("judging"), BarColumn(), MofNCompleteColumn(), console=console, transient=True) as bar:
        task = bar.add_task("judging", total=None)
        yield lambda state: bar.update(task, total=state.total, completed=state.done)


def ask_projects_judge(
    store: Store, result: RunResult, config: Path | None, *, retry_errors: bool = False
) -> RunResult:
    """Ask the judge that karat.yaml names about a run; the result with what it says, as it is where none is named."""
    from karat.cli.printing.consoles import notes
    from karat.runs.baseline import find_run
    from karat.verbs.inputs.projects import project_here
    from karat.verbs.judge.ask import ask_about
    from karat.verbs.judge.corrected import with_judge
    from karat.verbs.judge.open_judge import open_judge_here

    project = project_here(config)
    if project is None or project.judge is None:
        return result
    run_id = find_run(store, result.run.id)
    with counting(notes()) as watch:
        found = ask_about(
            store,
            run_id,
            open_judge_here(None, project),
            retry_errors=retry_errors,
            watch=watch,
            announce=announced,
        )
    print_judged([found], notes())
    return with_judge(store, run_id, result)


def announced(taken: Cost) -> None:
    """What asking will take, before it starts; nothing where nothing is asked."""
    from karat.cli.printing.consoles import notes

    if taken.answers:
        notes().print(f"asking the judge: {taken}", markup=False, soft_wrap=True, style="dim")


def print_judged(found: Sequence[Judged], console: Console) -> None:
    """How many answers, what the judge says of them, and what it took."""
    for one in found:
        if not one.asked:
            console.print(f"{one.run}: a rule settled every answer, so nothing was asked", markup=False, soft_wrap=True)
            continue
        said = f"judge {one.version}   {count_of(one.asked, 'answer')}: {one.right} right, {one.wrong} wrong"
        if one.abstained:
            why = ", ".join(f"{name} {count}" for name, count in sorted(one.abstained.items()))
            said += f", {sum(one.abstained.values())} abstained ({why})"
        console.print(said, markup=False, soft_wrap=True)
        cost = f", cost {one.cost:.4g}" if one.cost else ""
        console.print(
            f"  {count_of(one.calls, 'call')}, {one.cached} cached, {one.tokens:,} tokens{cost}",
            markup=False,
            soft_wrap=True,
        )
        for note in (*one.notes, *one.warnings):
            console.print(f"  note: {note}", markup=False, soft_wrap=True)


def print_run(result: RunResult, console: Console) -> None:
    """The rates by rule, then the corrected ones; a judge that does not count says why."""
    from karat.reports.sections.judged import judged_lines

    by_rule = {item.metric: item for item in result.summary}
    for figure in result.judge.corrected if result.judge is not None else ():
        rule = by_rule[figure.metric]
        said = shown(Estimate(rule.mean, rule.n, rule.low, rule.high))
        console.print(f"{'by rule':<14} {figure.title} {said} over {rule.n:,}", markup=False, soft_wrap=True)
    for label, parts in judged_lines(result)[1:]:
        console.print(f"{label:<14} {' · '.join(parts)}", markup=False, soft_wrap=True)


def print_calibration(found: Calibration, console: Console) -> None:
    """The figures of a judge against people, and whether it reaches the bar."""
    given = found.agreement
    others = f" · {count_of(found.others, 'other')} reviewed, not drawn" if found.others else ""
    model = f"{found.model}, " if found.model else ""
    seen = f"{found.reviewed} drawn and reviewed, {found.rest} not{others}"
    lines = [f"judge {found.version}   {model}rubric {found.rubric} · {seen}"]
    if given.base_rate is not None and given.constant is not None and given.agreement is not None:
        most = "right" if given.base_rate >= 0.5 else "wrong"
        constant = f"a judge that always says {most} agrees in {given.constant:.3f}"
        ends = f"({given.agreement_low or 0:.2f}–{given.agreement_high or 0:.2f})"
        lines += [
            f"people say right   {given.base_rate:.3f}          {constant}",
            f"agreement          {given.agreement:.3f} {ends}   kappa {shown(given.kappa)}",
            f"sensitivity        {shown(given.sensitivity)} of {given.sensitivity.n}      "
            f"specificity {shown(given.specificity)} of {given.specificity.n}",
        ]
    if found.people.n:
        lines.append(
            f"people themselves  alpha {shown(found.people)} over {count_of(found.people.n, 'case')} seen by two"
        )
    asked = found.reviewed + found.rest + found.gold_wrong + found.disputed
    why = "".join(f" · {name} {count}" for name, count in sorted(found.abstained.items()))
    lines.append(f"abstained          {sum(found.abstained.values()):,} over {count_of(asked, 'case')}{why}")
    if found.consistency is not None and found.consistency.asked:
        lines.append(f"asked again        {found.consistency.same:.3f} same verdict of {found.consistency.asked}")
    if found.position is not None and found.length is not None:
        effect = found.length.effect
        padded = "" if effect is None or effect.mean is None else f"    padded answers: {signed(effect)} right"
        lines.append(f"order swapped      {found.position.changed} of {found.position.asked} changed{padded}")
    if found.attacks is not None:
        lines.append(f"attacks            {attack_words(found.attacks)}")
    for own in found.by_system:
        family = " (the judge's family)" if own.own_family else ""
        lines.append(
            f"  {own.system}{family}   sensitivity {shown(own.sensitivity)}, false passes {shown(own.false_passes)} "
            f"over {own.reviewed} reviewed"
        )
    for name, (both, judge, people, neither) in found.tables.items():
        lines.append(
            f"  {name}   both right {both}, only the judge {judge}, only people {people}, both wrong {neither}"
        )
    lines += [f"drift              {one.at[:10]}: {one}" for one in found.drift[:1]]
    if found.skipped:
        named = ", ".join(found.skipped[:SHOWN]) + (", …" if len(found.skipped) > SHOWN else "")
        lines.append(f"skipped            {len(found.skipped)} in the sample are not reviewed: {named}")
    lines += [f"not counted        {miss}" for miss in found.misses] or ["counted            it reaches the bar"]
    for one in found.doubts[:SHOWN]:
        said = f": {one.reason}" if one.reason else ""
        lines.append(f"  {one.run} {one.case}   people {one.people}, judge {one.judge}{said}")
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def print_attacks(found: AttackCount, console: Console) -> None:
    """How many attacks passed, before and after the screen."""
    console.print(f"attacks   {attack_words(found)}", markup=False, soft_wrap=True)


def attack_words(found: AttackCount) -> str:
    """``0 of 40 passed (3 before the screen) · 36 refused · 4 without a verdict``."""
    refused = found.asked - found.passed_unscreened - found.failed
    silent = f", {found.unanswered} of them without a reply" if found.unanswered else ""
    return (
        f"{found.passed} of {found.asked} passed ({found.passed_unscreened} before the screen) · {refused} refused · "
        f"{found.failed} without a verdict{silent}"
    )


def print_next(found: NextReviews, console: Console) -> None:
    """What to review next, and how far the sample is."""
    if found.wanted:
        words = f"{count_of(found.reviewed, 'drawn review')}, wanted {found.wanted}"
        if found.width is not None:
            words += f", for an interval {found.width:g} wide"
            words += "" if found.reachable else ", which reviewing all of them would not reach"
        console.print(words, markup=False, soft_wrap=True)
    for one in found.cases:
        console.print(f"{one.case:<32} {one.why}", markup=False, soft_wrap=True)
    if not found.cases:
        console.print(
            "nothing to review: no judge was asked about this run, or every case is reviewed",
            markup=False,
            soft_wrap=True,
        )


def print_drift(found: Drift | None, console: Console) -> None:
    """Whether the judge still says what it said."""
    if found is None:
        console.print(
            "nothing to compare with: no version was calibrated with reviews of this suite",
            markup=False,
            soft_wrap=True,
        )
        return
    console.print(f"drift   {found}", markup=False, soft_wrap=True)
    console.print(
        f"agreement with people   {shown(found.agreement_before)} → {shown(found.agreement)} over {found.agreement.n}",
        markup=False,
        soft_wrap=True,
    )


def print_compared(found: ComparedJudges, console: Console) -> None:
    """Two versions, and the answers on which they differ."""
    lines = [
        f"{found.first} → {found.second}   {count_of(found.cases, 'case')}: {found.to_right} became right, "
        f"{found.to_wrong} no longer are · {p_words(found.p)}",
        f"agreement with people   {shown(found.first_agreement)} → {shown(found.second_agreement)} "
        f"over {found.first_agreement.n}",
    ]
    lines += [f"  {one.case}   {one.first:g} → {one.second:g}" for one in found.changed[:SHOWN]]
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def signed(given: Estimate) -> str:
    """A difference with its interval."""
    ends = "" if given.low is None or given.high is None else f" ({given.low:+.2f} to {given.high:+.2f})"
    return f"{given.mean or 0:+.2f}{ends}"


def shown(given: Estimate) -> str:
    """A figure with its interval; ``–`` where there is none."""
    if given.mean is None:
        return "–"
    ends = "" if given.low is None or given.high is None else f" ({given.low:.2f}–{given.high:.2f})"
    return f"{given.mean:.3f}{ends}"
