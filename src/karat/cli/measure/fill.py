"""``karat fill``: a lasting test suite for a database, made of fillings that tell changed gold queries apart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def fill(
    database: Annotated[Path, typer.Argument(help="The SQLite database.")],
    questions: Annotated[
        Path | None,
        typer.Option("--questions", help="Questions with gold SQL. Keep only files that expose a changed query."),
    ] = None,
    count: Annotated[int, typer.Option("--count", min=1, max=1000, help="Make at most N files.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="The same seed makes the same fillings.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The folder of the test suite.")] = Path("suite"),
) -> None:
    """Make a test suite for a database: SQLite files with the same schema and other rows.

    karat fill shop.sqlite --questions team.yaml --count 20 --out suite/

    Score with it:  karat answers --questions team.yaml --predictions given.jsonl --databases . --test-suite suite/
    """
    from karat.cli.printing.consoles import stdout
    from karat.core.problems import count_of
    from karat.verbs.answers.questions import fill_suite

    made = fill_suite(database, questions, out, count=count, seed=seed)
    line = f"{count_of(len(made.files), 'filling')} in {out / database.stem}"
    if made.mutants:
        line += f" · they tell {made.told} of {count_of(made.mutants, 'changed query', 'changed queries')} apart"
        line += f" ({made.told / made.mutants:.0%})"
    stdout().print(line, markup=False, highlight=False, soft_wrap=True)
