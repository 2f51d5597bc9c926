"""``karat explain``: a metric or a reason in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options.shared import JsonOption, SuiteOption

if TYPE_CHECKING:
    from rich.console import Console

    from karat.verbs.explain import Explained


def _complete(incomplete: str) -> list[str]:
    from karat.verbs.explain import names_of_every_suite, names_to_explain

    known = (*names_to_explain().values(), names_of_every_suite())
    return sorted({name for one in known for names in one.values() for name in names if name.startswith(incomplete)})


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A metric, a reason or a failure group, also with its suite: SUITE.NAME.", autocompletion=_complete
        ),
    ] = None,
    suite: SuiteOption = None,
    json: JsonOption = None,
) -> None:
    """Explain a metric (its meaning, formula, edge cases and an example) or a failure reason (and what usually causes
    it). Without a name, list everything that can be explained.

    karat explain macro_recall

    karat explain rows_scrambled

    karat explain codegen.passed

    karat explain "missing WHERE"
    """
    from karat.cli.printing.consoles import stdout
    from karat.cli.printing.outputs import write_json_value
    from karat.verbs.explain import explain as explained
    from karat.verbs.explain import names_of_every_suite, names_to_explain

    console = stdout()
    if name is None:
        known = names_to_explain(suite or "") | {"every suite": names_of_every_suite()}
        if json is not None:
            write_json_value(known, json)
        if json != "-":
            for each, kinds in known.items():
                console.print(each, style="bold", markup=False)
                for kind, names in kinds.items():
                    if names:
                        console.print(f"  {kind}: {', '.join(names)}", markup=False, highlight=False)
        return
    found = explained(name, suite=suite or "")
    if json is not None:
        write_json_value(found, json)
    if json != "-":
        for number, one in enumerate(found):
            if number:
                console.print()
            _print(one, console)


def _print(one: Explained, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    title = f" ({one.title})" if one.title and one.title != one.name else ""
    package = f", added by {one.package}" if one.package else ""
    name = f"{one.suite}.{one.name}" if one.suite else one.name
    console.print(f"{name}{title}: a {one.kind}{package}", style="bold", markup=False, highlight=False)
    sections = (
        ("", one.meaning),
        ("Formula", one.formula),
        ("Usual causes", one.cause),
        ("Edge cases", "\n".join(one.edge_cases)),
        *(("Example", text) for text in one.examples),
    )
    for head, text in sections:
        if not text:
            continue
        console.print()
        if head:
            console.print(head, style="bold", markup=False)
        for line in text.split("\n"):
            console.print(Padding(Text(line), (0, 0, 0, 2 if head else 0)))
