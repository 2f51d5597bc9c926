"""``karat score``: score recorded predictions, or score a stored run again."""

from __future__ import annotations

from typing import Annotated

import typer

from karat.cli.options.shared import (
    CaseOption,
    CasesOption,
    ConfigOption,
    ExecutorOption,
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
    executor: ExecutorOption = None,
    gate: GateOption = None,
    json: JsonOption = None,
    xlsx: XlsxOption = None,
    html: HtmlOption = None,
    store: StoreOption = None,
    config: ConfigOption = None,
) -> None:
    """Score predictions without calling a system.

    To score recorded predictions (nothing is stored):  karat score --suite data_query --cases cases/ --predictions
    answers.jsonl

    To score a stored run again, for example after fixing a case:  karat score r-0012 --cases cases/
    """
    from karat.cli.options.standard_input import shown
    from karat.cli.printing.consoles import notes
    from karat.cli.printing.outputs import Outputs
    from karat.cli.printing.results import leave, show, store_flags, typed
    from karat.reports.console.advice import Origin
    from karat.runs.executors.choice import settled
    from karat.stats.gates.verdicts import parse_gate
    from karat.verbs import score as verb
    from karat.verbs.gate import baselines_here, refuse_unknown
    from karat.verbs.inputs.projects import open_store_here, project_here
    from karat.verbs.inputs.work import choice_of, recorded_of, work_to_do
    from karat.verbs.run import refuse_beside
    from karat.verbs.runs import origin_of, suite_of_run

    outputs = Outputs(json, xlsx, html)
    extra = [parse_gate(rule) for rule in gate or ()]
    if run is not None:
        beside = {"--predictions": predictions, "--tag": tag, "--case": case, "--limit": limit}
        refuse_beside("a RUN", beside, f"karat score {run} scores all answers of the run.")
        with open_store_here(store, config) as opened:
            refuse_unknown(extra, [suite_of_run(opened, run)])
            project = project_here(config)
            workers, executor = settled(workers, executor, None, project.executor if project else "")
            again = verb.score_again(
                opened,
                run,
                suite=suite or "",
                cases=cases,
                settings=settings or (),
                workers=workers,
                executor=executor,
            )
            origin = origin_of(opened, again.result, store_flags(config, store))
        for note in again.notes:
            notes().print(f"note: {note}", style="yellow", soft_wrap=True)
        found = baselines_here(store, config, again.result.run.suite, again.result.run.id)
        leave([show(again.result, outputs, gates=extra, baselines=found, origin=origin)])
        return
    codes = []
    works = work_to_do(
        "score", config=config, suite=suite, cases=cases, predictions=predictions, settings=settings or ()
    )
    refuse_unknown(extra, [work.suite.name for work in works])
    for work, files in zip(works, outputs.for_each([work.suite for work in works]), strict=True):
        recorded = recorded_of(work)
        choice = choice_of(work, tag, case, limit)
        count, where = settled(workers, executor, work.run.workers, work.executor)
        result = verb.score(
            work.suite.name,
            work.cases,
            recorded,
            options=work.options,
            tags=choice.tags,
            case_ids=choice.ids,
            limit=choice.limit,
            source=shown(str(recorded)),
            workers=count,
            executor=where,
        )
        found = baselines_here(store, config, work.suite.name)
        origin = Origin(cases=str(work.cases), recorded=str(recorded), again=typed())
        codes.append(show(result, files, gates=(*work.gates, *extra), baselines=found, origin=origin))
    leave(codes)
