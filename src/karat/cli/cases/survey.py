"""``karat cases duplicates`` and ``karat cases coverage``."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import CasesOption, ConfigOption, JsonOption, SettingsOption, SuiteOption

MOST = 12


def duplicates(
    model: Annotated[
        str,
        typer.Option(
            "--model",
            help="Compare with this embedding model (karat models lists them), or by words: lexical. [default: an "
            "embedding model that is installed, else lexical]",
        ),
    ] = "",
    at_least: Annotated[
        float | None,
        typer.Option("--at-least", metavar="N", help="The least similarity. [default: 0.9; 0.8 for lexical]"),
    ] = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Find questions that are nearly the same. Pairs with different targets are marked: one of the two may be wrong.

    Rephrasings in one cluster are left out. Nothing is changed.
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of
    from karat.verbs.cases.duplicates import near_pairs
    from karat.verbs.cases.listing import works

    found = [near_pairs(work, model=model, at_least=at_least) for work in works(config, suite, cases)]
    if json is not None:
        write_json_value(found, json)
    if json == "-":
        return
    console = stdout()
    for one in found:
        for pair in one.pairs:
            mark = "" if pair.same_target else "  different targets"
            head = f"{pair.similarity:.2f}  {pair.first}  {pair.second}{mark}"
            console.print(head, style="bold" if pair.same_target else "bold yellow", markup=False, highlight=False)
            for question in pair.questions:
                console.print(f"      {question}", markup=False, highlight=False)
        pairs = count_of(len(one.pairs), "near pair")
        said = f"{one.suite}: {pairs} among {count_of(one.cases, 'case')} ({one.model}, at least {one.at_least:g})"
        console.print(said, style="bold", markup=False)


def coverage(
    settings: SettingsOption = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    json: JsonOption = None,
    config: ConfigOption = None,
) -> None:
    """Show what the cases touch (codes, tables, columns, functions, outcomes, tags), and the largest holes first.

    What they could touch comes from the suite's options: structures or databases. Drafts do not count.

    karat cases coverage --option structures=[codelists/]
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.core.problems import count_of, percent
    from karat.verbs.cases.coverage import coverage as covered
    from karat.verbs.cases.listing import works

    found = [covered(work) for work in works(config, suite, cases, settings or ())]
    if json is not None:
        write_json_value(found, json)
    if json == "-":
        return
    console = stdout()
    for one in found:
        console.print(f"{one.suite}: {count_of(one.cases, 'case')}", style="bold", markup=False)
        for kind in one.kinds:
            if kind.share is None or kind.total is None:
                items = ", ".join(f"{name} {count}" for name, count in list(kind.touched.items())[:MOST])
                more = len(kind.touched) - MOST
                console.print(f"  {kind.kind}: {items}{f' and {more} more' if more > 0 else ''}", markup=False)
                continue
            touched = kind.total - len(kind.untouched)
            said = f"  {kind.kind}: {touched} of {kind.total} ({percent(kind.share)})"
            console.print(said, style="bold yellow" if kind.untouched else None, markup=False, highlight=False)
            if kind.untouched:
                more = len(kind.untouched) - MOST
                names = ", ".join(kind.untouched[:MOST]) + (f" and {more} more" if more > 0 else "")
                console.print(f"    no case: {names}", markup=False, highlight=False)
            if kind.unknown:
                console.print(f"    unknown: {', '.join(kind.unknown[:MOST])}", markup=False, highlight=False)
