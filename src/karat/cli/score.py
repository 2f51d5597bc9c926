"""``karat score``: score recorded predictions, or score a stored run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from karat.cli.options import (
    CaseOption,
    CasesOption,
    ConfigOption,
    GateOption,
    HtmlOption,
    JsonOption,
    LimitOption,
    PredictionsOption,
    SettingsOption,
    StoreOption,
    SuiteOption,
    TagOption,
    WorkersOption,
    XlsxOption,
    complete_runs,
)

if TYPE_CHECKING:
    from karat.cli.showing import Outputs
    from karat.core.system import SystemConfig
    from karat.stats.gates.verdicts import Gate


def score(
    run: Annotated[
        str | None,
        typer.Argument(
            help="A stored run to score again: r-0012, 12, latest, or a run's name or tag.",
            autocompletion=complete_runs,
        ),
    ] = None,
    suite: SuiteOption = None,
    cases: CasesOption = None,
    predictions: PredictionsOption = None,
    settings: SettingsOption = None,
    tag: TagOption = None,
    case: CaseOption = None,
    limit: LimitOption = None,
    workers: WorkersOption = None,
    gate: GateOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Score predictions without calling a system.

    To score recorded predictions (nothing is stored):  karat score --suite data_query --cases cases/ --predictions answers.jsonl

    To score a stored run again, for example after fixing a case:  karat score r-0012 --cases cases/
    """
    from karat.cli.project import refuse_beside
    from karat.cli.showing import Outputs, leave, load_for_run, show, typed
    from karat.stats.gates.verdicts import parse_gate

    outputs = Outputs(json, xlsx, html)
    extra = [parse_gate(rule) for rule in gate or ()]
    if run is not None:
        beside = {"--predictions": predictions, "--tag": tag, "--case": case, "--limit": limit}
        refuse_beside("a RUN", beside, f"karat score {run} scores all answers of the run.")
        leave([_again(run, suite, cases, settings, workers, outputs, extra, store, config)])
        return
    from karat.api import scoring_executor
    from karat.cli.gate import baselines_here
    from karat.cli.project import check_gates, choice_of, work_to_do
    from karat.cli.standard_input import shown
    from karat.cli.verbosity import step
    from karat.core.files.reading import is_empty
    from karat.core.problems import UserError
    from karat.reports.console.advice import Origin
    from karat.runs.choose import choose
    from karat.runs.runner import score_recorded

    codes = []
    works = work_to_do("score", config=config, suite=suite, cases=cases, predictions=predictions, settings=settings)
    check_gates(extra, (work.suite.name for work in works))
    for work, files in zip(works, outputs.for_each([work.suite for work in works]), strict=True):
        recorded = work.predictions or _replayed(work.config)
        if recorded is None:
            hint = (
                f"karat run calls the system {work.system!r}; score needs --predictions or a RUN."
                if work.system
                else "Give --predictions."
            )
            raise UserError(f"{work.suite.name}: no recorded predictions to score", hint=hint)
        loaded, problems = load_for_run(work.suite, work.cases)
        chosen = choose(loaded, choice_of(work, tag, case, limit))
        with step("predictions read"):
            found = work.suite.read_predictions(recorded)
        if not found.predictions:
            empty = ": it is empty" if is_empty(recorded) else ""
            raise UserError(
                f"{'none of the predictions can be read' if found.problems else 'there are no predictions'} in {recorded}{empty}",
                hint=f"karat init --suite {work.suite.name} FOLDER creates an example.",
                problems=found.problems,
            )
        kept = {c.id for c in chosen} | {p.case_id for p in found.predictions} - {c.id for c in loaded}
        with step("scored"), scoring_executor(work.suite, workers or work.run.workers) as pool:
            result = score_recorded(
                work.suite,
                chosen,
                [p for p in found.predictions if p.case_id in kept],
                work.options,
                problems=(*problems, *found.problems),
                notes=found.notes,
                source=shown(str(recorded)),
                executor=pool,
            )
        found_baselines = baselines_here(config, store, work.suite.name)
        origin = Origin(cases=str(work.cases), recorded=str(recorded), again=typed())
        gates = (*work.gates, *extra)
        codes.append(show(result, work.suite, files, gates=gates, baselines=found_baselines, origin=origin))
    leave(codes)


def _replayed(config: SystemConfig | None) -> Path | None:
    from karat.core.system import RecordedConfig

    return Path(config.predictions) if isinstance(config, RecordedConfig) else None


def _again(
    run: str,
    named: str | None,
    cases: Path | None,
    settings: list[str] | None,
    workers: int | None,
    outputs: Outputs,
    gates: Sequence[Gate],
    store: str | None,
    config: Path | None,
) -> int:
    import msgspec

    from karat.api import scoring_executor
    from karat.cli.gate import baselines_here
    from karat.cli.printing import notes
    from karat.cli.project import check_gates, open_store_for, overruled
    from karat.cli.showing import load_for_run, origin_of, show
    from karat.cli.verbosity import step
    from karat.core import plugins
    from karat.core.problems import UserError
    from karat.core.records import truth_hash
    from karat.runs.baseline import find_run
    from karat.runs.runner import rescore
    from karat.store import run_name

    with open_store_for(config, store, create=False) as opened:
        run_id = find_run(opened, run)
        record = opened.run(run_id)
        if named not in (None, record.suite):
            raise UserError(f"{run_name(run_id)} is a run of {record.suite}, not of {named}", hint="Leave --suite out.")
        suite = plugins.load_suite(record.suite)
        check_gates(gates, [suite.name])
        options = overruled(suite, msgspec.convert(record.options, suite.options), settings)
        loaded = None
        if cases is not None:
            everything, _ = load_for_run(suite, cases)
            asked = {case.id for case in suite.decode_cases(opened.cases(run_id))}
            loaded = tuple(case for case in everything if case.id in asked)
        with step("scored"), scoring_executor(suite, workers) as pool:
            result = rescore(opened, run_id, cases=loaded, options=options, executor=pool)
        if result.run.truth_set != record.truth_set:
            notes().print(
                "note: these are not the cases of the run, so its earlier figures are not comparable",
                style="yellow",
            )
        elif cases is None and (path := record.config.get("cases_path")) and Path(path).exists():
            now = suite.load_cases(Path(path)).cases
            asked = {case.id for case in suite.decode_cases(opened.cases(run_id))}
            if truth_hash([case for case in now if case.id in asked], suite.truth) != record.truth_set:
                notes().print(
                    f"note: the case files have changed since the run; to score against them: karat score {run} --cases {path}",
                    style="yellow",
                    soft_wrap=True,
                )
        origin = origin_of(opened, result, config, store)
    found = baselines_here(config, store, suite.name, result.run.id)
    return show(result, suite, outputs, gates=gates, baselines=found, origin=origin)
