"""Pandas code that a model writes: run in a sandbox, and scored so that wrong code cannot win."""

from karat.core.case_files.file_schemas import FileForm
from karat.core.case_form import showing
from karat.core.explanation import explaining
from karat.core.suite import Suite
from karat.suites.codegen.authoring.accept import accept
from karat.suites.codegen.authoring.case_file import case_file
from karat.suites.codegen.authoring.coverage import coverable, covers
from karat.suites.codegen.authoring.import_rows import COLUMNS, import_rows
from karat.suites.codegen.authoring.try_target import try_target
from karat.suites.codegen.cases import cases_from, load_cases, recognises, stream_cases, truth
from karat.suites.codegen.details import Details, details
from karat.suites.codegen.explain import explain
from karat.suites.codegen.export import export_row
from karat.suites.codegen.metrics import METRICS
from karat.suites.codegen.notebooks.export import notebook_of
from karat.suites.codegen.options import Options
from karat.suites.codegen.predictions import RecordedLine, read_predictions, stream_predictions
from karat.suites.codegen.presentation.form import form
from karat.suites.codegen.presentation.highlights import highlights
from karat.suites.codegen.presentation.reason_notes import REASON_NOTES
from karat.suites.codegen.prompts import PROMPTING
from karat.suites.codegen.records import Task
from karat.suites.codegen.repair.figures import figures
from karat.suites.codegen.repair.follow_up import follow_up
from karat.suites.codegen.repair.strategies import next_call
from karat.suites.codegen.report import report
from karat.suites.codegen.requirements.files import files
from karat.suites.codegen.requirements.options_check import check_options
from karat.suites.codegen.responses import understand
from karat.suites.codegen.rubric import RUBRIC
from karat.suites.codegen.running.environments import group
from karat.suites.codegen.steps.budgets import spent
from karat.suites.codegen.steps.compare import compare
from karat.suites.codegen.tasks.check import check_cases
from karat.suites.codegen.tasks.files import TaskEntry, TaskFile

suite = Suite(
    name="codegen",
    summary="pandas code that a model writes: run in a sandbox, six scores, repairs",
    target=Task,
    options=Options,
    placeholder_answer="result = None",
    metrics=METRICS,
    load_cases=load_cases,
    stream_cases=stream_cases,
    cases_from=cases_from,
    read_predictions=read_predictions,
    stream_predictions=stream_predictions,
    check_cases=check_cases,
    check_options=check_options,
    compare=compare,
    details=details,
    case_file=case_file,
    explain=explaining(Details, explain),
    form=showing(Details, form),
    report=report,
    cpu_heavy=True,
    truth=truth,
    recognises=recognises,
    group=group,
    cluster=lambda case: next((turn.target.cluster for turn in case.conversation if turn.target is not None), ""),
    highlights=highlights,
    figures=figures,
    follow_up=follow_up,
    next_call=next_call,
    spent=spent,
    notebook=notebook_of,
    prompting=PROMPTING,
    reason_notes=REASON_NOTES,
    rubric=RUBRIC,
    accept=accept,
    covers=covers,
    coverable=coverable,
    case_forms=(FileForm(TaskEntry), FileForm(TaskFile, alone=True)),
    prediction_forms=(FileForm(RecordedLine, open=True),),
    extras=lambda _cases, _options: ("codegen",),
    files=files,
    import_columns=COLUMNS,
    import_rows=import_rows,
    export_row=export_row,
    understand=understand,
    try_target=try_target,
)
