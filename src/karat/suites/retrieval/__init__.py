"""What a search finds of what it should find: TREC and BEIR files, and evaluation tables of sheets."""

from pathlib import Path

from karat.core.case_files.file_schemas import FileForm
from karat.core.case_files.recorded import recorded_lines
from karat.core.case_form import showing
from karat.core.explanation import explaining
from karat.core.suite import Suite
from karat.suites.retrieval.authoring.accept import accept
from karat.suites.retrieval.authoring.coverage import coverable, covers
from karat.suites.retrieval.authoring.import_rows import COLUMNS, import_rows
from karat.suites.retrieval.authoring.new_entries import add_entries, entry, try_target
from karat.suites.retrieval.cases import GivenCase, cases_from, load_cases, recognises, status_file
from karat.suites.retrieval.comparison import compare
from karat.suites.retrieval.details import Details, details
from karat.suites.retrieval.explain import explain
from karat.suites.retrieval.export import export_row
from karat.suites.retrieval.formats.beir import Query
from karat.suites.retrieval.formats.qrels_check import check_cases
from karat.suites.retrieval.metrics import METRICS
from karat.suites.retrieval.notes import noted, notes
from karat.suites.retrieval.options import Options
from karat.suites.retrieval.predictions import RankedLine, read_predictions, stream_predictions, understand
from karat.suites.retrieval.presentation.choice import choice
from karat.suites.retrieval.presentation.form import form
from karat.suites.retrieval.presentation.highlights import highlights
from karat.suites.retrieval.prompts import PROMPTING
from karat.suites.retrieval.records import Truths
from karat.suites.retrieval.report import report
from karat.suites.retrieval.rubric import RUBRIC
from karat.suites.retrieval.sheets.system import default_system

suite = Suite(
    name="retrieval",
    summary="how much of what it should find a search finds: TREC and BEIR files, and evaluation tables of sheets",
    target=Truths,
    options=Options,
    placeholder_answer='{"fields": {}}',
    metrics=METRICS,
    load_cases=load_cases,
    cases_from=cases_from,
    read_predictions=read_predictions,
    stream_predictions=stream_predictions,
    check_cases=check_cases,
    compare=compare,
    details=details,
    explain=explaining(Details, explain),
    form=showing(Details, form),
    report=report,
    recognises=recognises,
    highlights=highlights,
    worked_examples=Path(__file__).with_name("presentation") / "worked_examples.json",
    notes=notes,
    noted=noted,
    choice=choice,
    default_system=default_system,
    prompting=PROMPTING,
    rubric=RUBRIC,
    accept=accept,
    entry=entry,
    add_entries=add_entries,
    try_target=try_target,
    covers=covers,
    coverable=coverable,
    case_forms=(FileForm(GivenCase), FileForm(Query, open=True)),
    prediction_forms=(FileForm(RankedLine, open=True),),
    status_file=status_file,
    extras=lambda cases, _options: ("retrieval",) if any(case.source.file.endswith(".sheet") for case in cases) else (),
    import_columns=COLUMNS,
    import_rows=import_rows,
    export_row=export_row,
    export_predictions=lambda predictions, _options: recorded_lines(predictions, spread="fields"),
    understand=understand,
)
