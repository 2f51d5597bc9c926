"""What ``run``, ``score`` and ``demo`` do alike: load the cases, show the result, say what failed."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from karat.cli import exits
from karat.cli.printing import print_problems, stderr, stdout, write_outputs
from karat.cli.verbosity import quiet, step, verbose
from karat.core.files.reading import is_empty
from karat.core.problems import Problem, UserError, count_of
from karat.core.records import Case
from karat.core.suite import Suite

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.reports.console.advice import Origin
    from karat.stats.gates.verdicts import Baselines, Gate
    from karat.store.store import Store


def load_for_run(suite: Suite, path: Path) -> tuple[tuple[Case[Any], ...], tuple[Problem, ...]]:
    """The cases that can be read; the rest become problems. No case at all is the user's mistake."""
    with step("cases read"):
        loaded = suite.load_cases(path)
    if not loaded.cases:
        said = f"none of the cases in {path} can be read" if loaded.problems else f"there are no cases in {path}"
        said += ": it is empty" if not loaded.problems and is_empty(path) else ""
        hint = f"karat init --suite {suite.name} FOLDER creates an example." if not loaded.problems else ""
        raise UserError(said, hint=hint, problems=loaded.problems)
    return loaded.cases, loaded.problems


@dataclass(frozen=True)
class Outputs:
    """The files that were asked for."""

    json: str | None = None
    xlsx: Path | None = None
    html: Path | None = None

    def for_each(self, suites: Sequence[Suite]) -> list[Outputs]:
        """The files of each of several suites: with its name in theirs, and a number when it stands there again."""
        if len(suites) == 1:
            return [self]
        labels: list[str] = []
        for suite in suites:
            again = sum(label.partition("-")[0] == suite.name for label in labels)
            labels.append(f"{suite.name}-{again + 1}" if again else suite.name)
        return [self._of(label) for label in labels]

    def _of(self, label: str) -> Outputs:
        json = self.json if self.json in (None, "-") else str(_with_name(Path(self.json), label))
        xlsx, html = (_with_name(path, label) if path else None for path in (self.xlsx, self.html))
        return Outputs(json, xlsx, html)


def _with_name(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}.{name}{path.suffix}")


def show(
    result: RunResult,
    suite: Suite,
    outputs: Outputs,
    *,
    gates: Sequence[Gate] = (),
    saved: Sequence[str] = (),
    baselines: Baselines | None = None,
    origin: Origin | None = None,
) -> int:
    """Print and write a result. Returns its exit code: 1 when a gate is broken, 3 when something failed, else 0."""
    from karat.reports.console.run import print_result
    from karat.stats.gates.verdicts import judge, no_baselines

    written = write_outputs(result, suite, outputs.json, outputs.xlsx, outputs.html)
    metrics = suite.metrics_for(result.run.headline)
    errors = [problem for problem in result.problems if problem.severity == "error"]
    print_problems(result.problems, stderr())
    if outputs.json != "-":
        print_result(
            result,
            metrics,
            stdout(),
            highlights=suite.highlights(result),
            advice=suite.advice(result, origin.cases if origin is not None else ""),
            saved=[*saved, *written],
            brief=quiet(),
            every_case=verbose(),
            origin=origin,
        )
    if errors:
        stderr().print(f"{count_of(len(errors), 'mistake')} in the files; everything else was scored", style="yellow")
    verdicts = judge(gates, result, metrics, baselines or no_baselines)
    broken = [verdict for verdict in verdicts if verdict.state == "failed"]
    for verdict in broken:
        stderr().print(f"gate failed: {verdict.words}", style="bold red", markup=False, soft_wrap=True)
    for verdict in verdicts:
        if verdict.state in ("not_judged", "not_asked"):
            stderr().print(f"gate not checked: {verdict.words}", style="yellow", markup=False, soft_wrap=True)
    if broken:
        return exits.BROKEN
    failed = errors or nothing_scored(result) or any(case.status == "error" for case in result.cases)
    return exits.ERRORS if failed else 0


def nothing_scored(result: RunResult) -> bool:
    """Whether not one case has an answer. That is said, because figures over no case look like a run that went well."""
    if not result.cases or any(case.status != "missing" for case in result.cases):
        return False
    words = f'nothing was scored: no prediction for any of {count_of(len(result.cases), "case")}, such as "{result.cases[0].id}"'
    stderr().print(words, style="bold red", markup=False, soft_wrap=True)
    return True


def typed() -> str:
    """The command that runs right now, as it was typed."""
    return shlex.join(["karat", *(_without_secrets(word) for word in sys.argv[1:])])


def _without_secrets(word: str) -> str:
    """A word of the command line; a URL in it, alone or behind ``NAME=``, without what is secret there."""
    from karat.core.remote.address import KINDS, address_of

    found = re.search(rf"(?:^|=)((?:{'|'.join(KINDS)})://.+)", word)
    if found is None:
        return word
    address = address_of(found[1])
    return word if address is None else f"{word[: found.start(1)]}{address.shown}"


def origin_of(store: Store, result: RunResult, config: Path | None, named: str | None, again: str = "") -> Origin:
    """How a stored run came about. ``config`` and ``named`` are the --config and --store that find its store."""
    from karat.reports.console.advice import Origin
    from karat.store.records import parse_run

    run_id = parse_run(result.run.id) or 0
    record = store.run(run_id)
    system = record.config.get("system", {})
    flags = ("--store", named) if named is not None else ("--config", str(config)) if config is not None else ()
    return Origin(
        cases=_near(record.config.get("cases_path", "")),
        recorded=_near(system.get("predictions", "")) if system.get("type") == "replay" else "",
        failed_calls=0 if system.get("type") in ALWAYS_THE_SAME else store.progress(run_id).errors,
        again=again,
        flags=flags,
    )


ALWAYS_THE_SAME = ("replay", "sheet")
"""Systems that give the same answer, or the same error, when called again."""


def _near(path: str) -> str:
    """A path as it is seen from the working folder, where it is below it."""
    try:
        return str(Path(path).relative_to(Path.cwd())) if path else ""
    except ValueError:
        return path


def leave(codes: Iterable[int]) -> None:
    """End the command with the code that weighs most: a broken gate, then errors, then none."""
    found = set(codes)
    if code := next((code for code in (exits.BROKEN, exits.ERRORS) if code in found), 0):
        raise typer.Exit(code)
