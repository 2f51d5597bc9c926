"""From a question to an SDMX selection, scored term by term for each dimension."""

from pathlib import Path

from karat.core.case_files.file_schemas import FileForm
from karat.core.case_form import showing
from karat.core.explanation import explaining
from karat.core.suite import Suite
from karat.suites.data_query.answer_facts import answer_facts
from karat.suites.data_query.authoring.accept import accept
from karat.suites.data_query.authoring.case_file import case_file
from karat.suites.data_query.authoring.coverage import coverable, covers
from karat.suites.data_query.authoring.import_rows import COLUMNS, import_rows
from karat.suites.data_query.authoring.try_target import try_target
from karat.suites.data_query.cases import CaseFile, cases_from, load_cases, recognises, stream_cases
from karat.suites.data_query.checks.cases import check_cases
from karat.suites.data_query.comparison import compare, perfect
from karat.suites.data_query.details import Details, details
from karat.suites.data_query.explain import explain
from karat.suites.data_query.export import export_row
from karat.suites.data_query.matching.known_codes import check_options
from karat.suites.data_query.metrics import METRICS
from karat.suites.data_query.options import Options
from karat.suites.data_query.predictions import RecordedLine, read_predictions, stream_predictions
from karat.suites.data_query.presentation.form import form
from karat.suites.data_query.presentation.group_notes import GROUP_NOTES
from karat.suites.data_query.presentation.reason_notes import REASON_NOTES
from karat.suites.data_query.prompts import PROMPTING
from karat.suites.data_query.reasons import REASONS
from karat.suites.data_query.report import report, run_sheets
from karat.suites.data_query.responses import understand
from karat.suites.data_query.rubric import RUBRIC
from karat.suites.data_query.selection.selection import Target
from karat.suites.data_query.summaries.advice import advice
from karat.suites.data_query.summaries.confusions import reasons_of
from karat.suites.data_query.summaries.figures import figures

suite = Suite(
    name="data_query",
    summary="question → SDMX indicator selection, scored term by term for each dimension",
    target=Target,
    options=Options,
    placeholder_answer='{"indicator_selection": []}',
    metrics=METRICS,
    load_cases=load_cases,
    stream_cases=stream_cases,
    cases_from=cases_from,
    read_predictions=read_predictions,
    stream_predictions=stream_predictions,
    check_cases=check_cases,
    check_options=check_options,
    compare=compare,
    perfect=perfect,
    answer_facts=answer_facts,
    details=details,
    case_file=case_file,
    explain=explaining(Details, explain),
    form=showing(Details, form),
    report=report,
    run_sheets=run_sheets,
    figures=figures,
    reason_notes=REASON_NOTES,
    group_notes=GROUP_NOTES,
    worked_examples=Path(__file__).with_name("presentation") / "worked_examples.json",
    reasons=REASONS,
    reasons_of=reasons_of,
    advice=advice,
    recognises=recognises,
    prompting=PROMPTING,
    rubric=RUBRIC,
    accept=accept,
    try_target=try_target,
    covers=covers,
    coverable=coverable,
    case_forms=(FileForm(CaseFile),),
    prediction_forms=(FileForm(RecordedLine, open=True),),
    files=lambda _case, _predictions, options: options.structures,
    import_columns=COLUMNS,
    import_rows=import_rows,
    export_row=export_row,
    understand=understand,
)
