"""``karat.gate`` and ``karat gate``: what must hold for a run, judged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from karat.core import plugins
from karat.core.json_types import JsonMapping
from karat.core.metrics.metric_names import find_metric
from karat.core.problems import Problem, UnknownName, UserError
from karat.core.results.result import RunResult
from karat.core.yaml.plain_values import node_of
from karat.core.yaml.structs import Findings, read
from karat.reports.markdown.gates import headline
from karat.runs.baseline import baselines_in, find_run
from karat.runs.project_file.project import Project, gate_problems
from karat.stats.gates.figures import EVERYWHERE
from karat.stats.gates.reasons import reason_metrics
from karat.stats.gates.rules import BASELINE
from karat.stats.gates.verdicts import Baselines, Gate, Verdict, judge, no_baselines, parse_gate, rule_text, settle
from karat.store.records import run_name
from karat.verbs.inputs.projects import open_store_here, project_here
from karat.verbs.judge.corrected import with_judge
from karat.verbs.runs import stored_result

if TYPE_CHECKING:
    from karat.store import RunRow
    from karat.store.store import Store

Rule = str | JsonMapping | Gate


class Verdicts(msgspec.Struct, frozen=True):
    """The verdict on every rule. True when all of them hold.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> verdicts = karat.gate(result, ["retrieval.passed>=0.9", "retrieval.recall>=0.9"])
    >>> bool(verdicts), len(verdicts)
    (True, 2)
    """

    verdicts: tuple[Verdict, ...]
    """One verdict per rule."""

    @property
    def passed(self) -> bool:
        """Whether every rule holds; ``karat gate`` exits with 0 then."""
        return all(verdict.passed for verdict in self.verdicts)

    def __bool__(self) -> bool:
        return self.passed

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __getitem__(self, place: int) -> Verdict:
        return self.verdicts[place]

    def __repr__(self) -> str:
        ordered = sorted(self.verdicts, key=lambda verdict: verdict.passed)
        lines = [
            f"  {'passed' if one.passed else 'failed'}  {f'{one.run}  ' if one.run else ''}{one.words}"
            for one in ordered
        ]
        return "\n".join([headline(self.verdicts), *lines])

    def _repr_html_(self) -> str:
        from karat.reports.notebook import verdicts_html

        return verdicts_html(self.verdicts)


def gate(
    run: RunResult | str | None = None,
    rules: Rule | Sequence[Rule] = (),
    *,
    baseline: RunResult | str = "",
    store: str | Path = "",
    config: str | Path | None = None,
) -> Verdicts:
    """Check a run against rules.

    ``run`` is a result, or the id, name or tag of a stored run; None means the newest run of each suite. ``rules`` are
    as on the command line (``"data_query.macro_recall>=0.85"``) or as in karat.yaml (``{"no_new_failures": {"tag":
    "critical"}}``), one or several. A stored run is checked against the gates of karat.yaml too, as on the command
    line; a result only where ``config`` names the file, or without rules. ``baseline`` is what rules compare with.

    >>> import karat
    >>> cases, answers = [{"id": "q1", "relevant": ["x"]}], [{"id": "q1", "results": ["x"]}]
    >>> result = karat.score(suite="retrieval", cases=cases, predictions=answers)
    >>> verdicts = karat.gate(result, ["retrieval.passed>=0.9", {"metric": "retrieval.recall", "at_most": 0.5}])
    >>> verdicts.passed
    False
    >>> verdicts
    1 of 2 gates failed
      failed  retrieval.recall is 1 over 1 case, wanted at most 0.5
      passed  retrieval.passed is 1 over 1 case, wanted at least 0.9
    """
    given = [_gate(rule) for rule in _several(rules)]
    stored = not isinstance(run, RunResult)
    project = project_here(config) if stored or config is not None or not given else None
    all_rules = (*(project.gates if project else ()), *given)
    if not all_rules:
        hint = 'Put them under "gates:" in karat.yaml, or give some, such as "data_query.macro_recall>=0.85".'
        raise UserError("there are no gates to check", hint=hint)
    if not isinstance(run, RunResult) and not isinstance(baseline, RunResult):
        with open_store_here(store, config) as opened:
            return Verdicts(tuple(_judge_stored(opened, run, all_rules, given, project, baseline)))
    if not isinstance(run, RunResult):
        with open_store_here(store, config) as opened:
            run = stored_result(opened, run or "latest")
    named = baseline if isinstance(baseline, str) else ""
    found = baselines_here(store, config, run.run.suite, run.run.id, named or (project.baseline if project else ""))
    return Verdicts(tuple(_judge_result(run, all_rules, given, _or_given(found, baseline, run.run.suite))))


def _several(rules: Rule | Sequence[Rule]) -> Sequence[Rule]:
    return [rules] if isinstance(rules, str | Mapping | Gate) else rules


def _gate(rule: Rule) -> Gate:
    if isinstance(rule, Gate):
        return rule
    if isinstance(rule, str):
        return parse_gate(rule)
    findings = Findings("")
    found = read(Gate, node_of(rule, "", 1), findings)
    if found is None:
        problems = [Problem(problem.message, hint=problem.hint) for problem in findings.problems]
        raise UserError(f"{dict(rule)} is not a gate", problems=problems)
    return found


def baselines_here(
    store: str | Path | None, config: str | Path | None, suite: str, run: str = "", named: str | None = None
) -> Baselines:
    """What rules compare with: a run of the store, which is opened only when a rule asks.

    ``run`` is the run that is judged, ``named`` the run that "baseline" stands for; by default the project says which.
    """

    def find(word: str) -> RunResult | str:
        try:
            project = project_here(config) if named is None else None
            with open_store_here(store, config) as opened:
                stands_for = named or (project.baseline if project else "")
                return baselines_in(opened, suite, run, stands_for)(word)
        except UserError as error:
            return error.message

    return find


def _or_given(stored: Baselines, baseline: RunResult | str, suite: str) -> Baselines:
    """The same, with a result that was given in place of "baseline"."""

    def find(word: str) -> RunResult | str:
        if isinstance(baseline, RunResult) and word == BASELINE:
            other = baseline.run.suite != suite
            return f"the baseline is a run of {baseline.run.suite}, not of {suite}" if other else baseline
        return stored(word)

    return find


def refuse_unknown(rules: Sequence[Gate], suites: Sequence[str]) -> None:
    """Raise for rules that name what is not there. One wrong name is an UnknownName, which knows the nearest one."""
    problems = gate_problems(rules, suites)
    if not problems:
        return
    if len(problems) == 1:
        figure = next(rule.figure for rule in rules if gate_problems([rule], suites))
        suite, _, metric = figure.partition(".")
        known = plugins.load_suite(suite) if suite in suites else None
        metrics = (*known.metrics, *EVERYWHERE, *reason_metrics(known)) if known is not None else ()
        if suite not in suites:
            raise UnknownName(problems[0].message, suite, suites)
        find_metric(metric, metrics, problems[0].message)
    raise UserError("the rules cannot be used as given", problems=problems)


def _judge_result(
    result: RunResult, rules: Sequence[Gate], extra: Sequence[Gate], baselines: Baselines = no_baselines
) -> list[Verdict]:
    """The last word on every rule that concerns one result. ``extra`` are the rules that no file has been checked
    for."""
    refuse_unknown(extra, [result.run.suite])
    suite = plugins.load_suite(result.run.suite)
    verdicts = judge(rules, result, (*suite.metrics_for(result.run.headline), *reason_metrics(suite)), baselines)
    if not verdicts:
        raise UserError(f"none of the gates is for {result.run.suite}, the suite of the run")
    return settle(verdicts)


def _judge_stored(
    store: Store, run: str | None, rules: Sequence[Gate], extra: Sequence[Gate], project: Project | None, baseline: str
) -> list[Verdict]:
    """The last word on every rule that concerns the run, or the newest run of each suite. A newest run that is not
    finished fails them."""
    suites = list(dict.fromkeys(entry.suite for entry, _ in project.suites)) if project else []
    rows = _newest(store, suites) if run is None else [store.run_row(find_run(store, run))]
    unfinished = [row for row in rows if row.status != "finished" or row.scoring is None]
    results = [with_judge(store, row.id, store.result(row.id)) for row in rows if row not in unfinished]
    refuse_unknown(extra, list(dict.fromkeys([*suites, *(result.run.suite for result in results)])))
    if baseline:
        find_run(store, baseline)  # a run that is not there is a mistake of the command line, not of the run
    named = baseline or (project.baseline if project else "")
    verdicts: list[Verdict] = []
    for result in results:
        suite = plugins.load_suite(result.run.suite)
        metrics = (*suite.metrics_for(result.run.headline), *reason_metrics(suite))
        found = baselines_in(store, result.run.suite, result.run.id, named)
        verdicts += judge(rules, result, metrics, found)
    for row in unfinished:
        words = (
            f"the run is {row.status} and not fully scored, so there is nothing to check; "
            f"karat run --resume {run_name(row.id)} finishes it"
        )
        verdicts += [
            Verdict(rule_text(rule), "failed", f"{rule_text(rule)}: {words}", row.suite, run_name(row.id))
            for rule in rules
            if rule.suite in ("", row.suite)
        ]
    if run is None:
        judged = {result.run.suite for result in results} | {row.suite for row in unfinished}
        for rule in rules:
            if rule.suite and rule.suite not in judged:
                words = f"{rule_text(rule)}: there is no run of {rule.suite} in the store"
                verdicts.append(Verdict(rule_text(rule), "failed", words, rule.suite))
    if not verdicts:
        raise UserError(
            f"none of the gates is for {rows[0].suite}, the suite of {run_name(rows[0].id)}",
            hint="karat runs list shows all runs.",
        )
    return settle(verdicts)


def _newest(store: Store, suites: Sequence[str]) -> list[RunRow]:
    """The newest run of each suite of the project; of the store, without one."""
    wanted: Sequence[str | None] = suites or [None]
    rows = [row for suite in wanted for row in store.runs(1, suite)]
    if not rows:
        store.find_run("latest")  # says that the store has no run
    return rows
