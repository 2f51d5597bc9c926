"""What the options name must be there before anything is asked: databases that are files, and credential files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from karat.core.files.reading import why_not_there
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case
from karat.suites.answers.options import Engine, Options
from karat.suites.answers.records import Gold

FILES = ("sqlite", "duckdb")


def check_options(cases: Sequence[Case[Gold]], options: Options) -> None:
    """UserError with every file that the engines of these cases name and that is not there. Names with a placeholder
    differ by case, and are looked at with it."""
    used: dict[int, Engine] = {}
    if options.engines:
        used = {id(engine): engine for case in cases if (engine := options.engine_for(case.id)) is not None}
    problems = [
        Problem(
            f"the {what} {name} of the engine {engine.engine} is not there: {why_not_there(Path(name), 'no such file')}"
        )
        for engine in sorted(used.values(), key=lambda engine: (engine.engine, engine.database, engine.credential))
        for what, name in _files(engine)
        if "{" not in name and not Path(name).exists()
    ]
    if problems:
        hint = "Paths in options.engines are relative to the folder that karat runs in."
        raise UserError(
            f"{count_of(len(problems), 'file')} named in options.engines cannot be used", hint=hint, problems=problems
        )


def needed_options(cases: Sequence[Case[Gold]], options: Options) -> tuple[str, ...]:
    """``databases``, where a case has gold SQL and no place to run it."""
    asked = (case for case in cases if any(turn.target and turn.target.queries for turn in case.conversation))
    return () if all(options.runs_sql(case.id) for case in asked) else ("databases",)


def _files(engine: Engine) -> list[tuple[str, str]]:
    found = [("credential file", engine.credential)]
    if engine.engine in FILES and engine.database != ":memory:":
        found.append(("database", engine.database))
    return [(what, name) for what, name in found if name]
