"""A submission folder against gold answers: strings, numbers, tables, DuckDB files, SQL."""

from pathlib import Path

from karat.core.case_files.file_schemas import FileForm
from karat.core.case_form import showing
from karat.core.explanation import explaining
from karat.core.suite import Suite
from karat.suites.answers.answer_facts import answer_facts
from karat.suites.answers.authoring.accept import accept
from karat.suites.answers.authoring.case_file import case_file
from karat.suites.answers.authoring.coverage import coverable, covers
from karat.suites.answers.authoring.file_schemas import GoldRow, QuestionRow, SubmittedLine
from karat.suites.answers.authoring.import_rows import import_rows
from karat.suites.answers.authoring.try_target import try_target
from karat.suites.answers.cases import cases_from, load_cases, recognises, stream_cases, truth
from karat.suites.answers.comparison import compare, perfect
from karat.suites.answers.details import Details, details, reasons_of
from karat.suites.answers.explain import explain
from karat.suites.answers.export import export_row
from karat.suites.answers.gold.check import check_cases
from karat.suites.answers.gold.headline_profile import headline
from karat.suites.answers.metrics import METRICS
from karat.suites.answers.options import Options
from karat.suites.answers.predictions import predictions_from, read_predictions
from karat.suites.answers.presentation.form import form
from karat.suites.answers.presentation.group_notes import GROUP_NOTES
from karat.suites.answers.presentation.highlights import highlights
from karat.suites.answers.presentation.reason_notes import REASON_NOTES
from karat.suites.answers.prompts import PROMPTING
from karat.suites.answers.records import REASONS, Gold
from karat.suites.answers.report import report
from karat.suites.answers.requirements.extras import extras
from karat.suites.answers.requirements.files import files
from karat.suites.answers.requirements.options_check import check_options, needed_options
from karat.suites.answers.responses import understand
from karat.suites.answers.rubric import RUBRIC
from karat.suites.answers.submission.export import export_predictions
from karat.suites.answers.text_to_sql.files.pairing import paired
from karat.suites.answers.text_to_sql.running.prefetching import run_ahead

suite = Suite(
    name="answers",
    summary="a submission folder against gold answers: strings, numbers, tables, DuckDB files, SQL",
    target=Gold,
    options=Options,
    placeholder_answer="I do not know.",
    metrics=METRICS,
    load_cases=load_cases,
    stream_cases=stream_cases,
    cases_from=cases_from,
    predictions_from=predictions_from,
    pair=paired,
    read_predictions=read_predictions,
    check_cases=check_cases,
    check_options=check_options,
    needed_options=needed_options,
    prepare=run_ahead,
    compare=compare,
    perfect=perfect,
    answer_facts=answer_facts,
    details=details,
    case_file=case_file,
    explain=explaining(Details, explain),
    form=showing(Details, form),
    report=report,
    truth=truth,
    recognises=recognises,
    short_keys={"questions": "cases", "databases": "options", "test_suite": "options"},
    headline=headline,
    reason_notes=REASON_NOTES,
    group_notes=GROUP_NOTES,
    worked_examples=Path(__file__).with_name("presentation") / "worked_examples.json",
    reasons=REASONS,
    reasons_of=reasons_of,
    highlights=highlights,
    prompting=PROMPTING,
    rubric=RUBRIC,
    accept=accept,
    try_target=try_target,
    covers=covers,
    coverable=coverable,
    case_forms=(FileForm(GoldRow, open=True), FileForm(QuestionRow, open=True)),
    prediction_forms=(FileForm(SubmittedLine, open=True),),
    extras=extras,
    files=files,
    import_rows=import_rows,
    export_row=export_row,
    export_predictions=export_predictions,
    understand=understand,
)
