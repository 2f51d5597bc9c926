"""DSBench's modelling competitions: a line names one, its files lie beside.

``data/task/NAME.txt`` has the task, ``data/data_resplit/NAME/`` the tables, ``data/answers/NAME/test_answer.csv`` the
truth, ``save_performance/GT/NAME/result.txt`` and ``save_performance/baseline/NAME/result.txt`` what counts as 1 and
as 0. Which metric a competition has is said by its evaluation script; it is restated here.
"""

from __future__ import annotations

import math
from pathlib import Path

import msgspec

from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.published.models import ModelRule, as_options
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Expected, Published, Task

KEYS = frozenset({"name", "url", "size", "year"})
NAME = "DSBench competitions"
WRITTEN = "submission.csv"
TIMEOUT = 600.0
READ = "[insert]\nimport pandas as _pd\nresult = _pd.read_csv({file!r})"
COVID = "ConfirmedCases,Fatalities"
METRICS: dict[str, tuple[str, ...]] = {
    "roc_auc_score": (
        "amazon-employee-access-challenge:ACTION",
        "cat-in-the-dat:target",
        "cat-in-the-dat-ii:target",
        "dont-overfit-ii:target",
        "instant-gratification:target",
        "microsoft-malware-prediction:HasDetections",
        "playground-series-s3e12:target",
        "playground-series-s3e17:Machine failure",
        "playground-series-s3e18:EC1,EC2",
        "playground-series-s3e2:stroke",
        "playground-series-s3e23:defects",
        "playground-series-s3e24:smoking",
        "playground-series-s3e3:Attrition",
        "playground-series-s3e4:Class",
        "playground-series-s3e7:booking_status",
        "playground-series-s4e1:Exited",
        "playground-series-s4e3:Pastry,Z_Scratch,K_Scatch,Stains,Dirtiness,Bumps,Other_Faults",
        "santander-customer-satisfaction:TARGET",
        "santander-customer-transaction-prediction:target",
        "tabular-playground-series-aug-2022:failure",
        "tabular-playground-series-may-2022:target",
        "tabular-playground-series-nov-2021:target",
        "tabular-playground-series-sep-2021:claim",
    ),
    "rmse": (
        "commonlitreadabilityprize:target",
        "feedback-prize-english-language-learning:",
        "playground-series-s3e1:MedHouseVal",
        "playground-series-s3e20:emission",
        "playground-series-s3e6:price",
        "playground-series-s3e8:price",
        "playground-series-s3e9:Strength",
        "tabular-playground-series-aug-2021:loss",
        "tabular-playground-series-feb-2021:target",
    ),
    "mse": ("tabular-playground-series-mar-2022:congestion",),
    "rmsle": (
        "bike-sharing-demand:count",
        *(f"covid19-global-forecasting-week-{week}:{COVID}" for week in (1, 2, 3, 4, 5)),
        "playground-series-s3e11:cost",
        "playground-series-s4e4:Rings",
        "santander-value-prediction-challenge:target",
        "see-click-predict-fix:num_views,num_votes,num_comments",
        "tabular-playground-series-jul-2021:target_carbon_monoxide,target_benzene,target_nitrogen_oxides",
        "tmdb-box-office-prediction:revenue",
    ),
    "mae": ("playground-series-s3e14:yield", "playground-series-s3e16:Age", "ventilator-pressure-prediction:pressure"),
    "mean_absolute": ("conways-reverse-game-of-life-2020:",),
    "medae": ("playground-series-s3e25:Hardness",),
    "r2": ("playground-series-s4e5:FloodProbability",),
    "accuracy": (
        "playground-series-s3e22:outcome",
        "playground-series-s4e2:NObeyesdad",
        "playground-series-s4e6:Target",
        "spaceship-titanic:Transported",
        "tabular-playground-series-apr-2021:Survived",
        "tabular-playground-series-dec-2021:Cover_Type",
        "tabular-playground-series-feb-2022:target",
        "titanic:Survived",
    ),
    "f1 binary": ("nlp-getting-started:target",),
    "f1 macro": ("liverpool-ion-switching:open_channels",),
    "quadratic_weighted_kappa": (
        "learning-agency-lab-automated-essay-scoring-2:score",
        "playground-series-s3e5:quality",
    ),
    "class_logloss": ("lmsys-chatbot-arena:winner_model_a,winner_model_b,winner_tie",),
    "logloss": ("playground-series-s3e10:Class",),
    "smape": (
        "demand-forecasting-kernels-only:sales",
        "tabular-playground-series-jan-2022:num_sold",
        "tabular-playground-series-sep-2022:num_sold",
    ),
    "smape_share": ("playground-series-s3e19:num_sold",),
    "gini": ("porto-seguro-safe-driver-prediction:target",),
    "jaccard": ("tweet-sentiment-extraction:selected_text",),
    "pearson": ("us-patent-phrase-to-phrase-matching:score",),
    "spearman": ("google-quest-challenge:",),
    "in_first_three": ("playground-series-s3e13:prognosis",),
}
"""Competitions with the columns that are predicted; none: all but the id."""


class _Row(msgspec.Struct, frozen=True):
    name: str


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One competition as a case, or why it cannot be asked or judged."""
    name = Path(told.name).name
    known = _known(name)
    if known is None:
        return [LeftOut(NAME, told.name, "its metric is not known here")]
    metric, columns = known
    data, performance = beside.folder("data"), beside.folder("save_performance")
    description = _text(data, "task", f"{name}.txt")
    tables_in = next((place for place in _folders(data, beside, name) if place.is_dir()), None)
    if not description or tables_in is None:
        return [LeftOut(NAME, told.name, "its task and tables are not in data/")]
    truth = data / "answers" / name / "test_answer.csv" if data is not None else Path()
    if not truth.is_file():
        return [LeftOut(NAME, told.name, "the true labels are not in data/answers/")]
    best, baseline = (_number(_text(performance, folder, name, "result.txt")) for folder in ("GT", "baseline"))
    if best is None or baseline is None or best == baseline:
        return [LeftOut(NAME, told.name, "what counts as 0 and as 1 is not in save_performance/")]
    measure, _, average = metric.partition(" ")
    rule = ModelRule(measure, baseline, best, columns, average, rest=not columns, clipped=False)
    tables, files = inputs_of(sorted(place for place in tables_in.iterdir() if place.is_file()))
    task = Task(
        tables=tables,
        files=files,
        template=READ.format(file=WRITTEN),
        expected=Expected(
            published=Published("dsbench_model", files=(str(truth.resolve()),), options=as_options(rule))
        ),
        timeout=TIMEOUT,
        memory_mb=8192,
    )
    shown = ", ".join(sorted({Path(one).name for one in (*files, *(table.path for table in tables.values()))}))
    turns: tuple[Turn[Task], ...] = (
        Turn(
            role="system",
            content=f"The working folder has: {shown}. Write the predictions to {WRITTEN} there.\n\n{WRITE}",
        ),
        Turn(role="user", content=description, target=task),
    )
    return [Case(told.name, turns, tags=("competition", measure), source=source)]


def _known(name: str) -> tuple[str, tuple[str, ...]] | None:
    """The metric of a competition, and the columns that are predicted."""
    for metric, competitions in METRICS.items():
        for one in competitions:
            competition, _, columns = one.partition(":")
            if competition == name:
                return metric, tuple(columns.split(",")) if columns else ()
    return None


def _folders(data: Path | None, beside: Neighbours, name: str) -> list[Path]:
    resplit = beside.folder("data_resplit")
    found = [] if data is None else [data / "data_resplit" / name]
    return found if resplit is None else [*found, resplit / name]


def _text(folder: Path | None, *names: str) -> str:
    try:
        return folder.joinpath(*names).read_text(encoding="utf-8-sig", errors="replace").strip() if folder else ""
    except OSError:
        return ""


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None


SET = PublishedSet("a DSBench competition", KEYS, _Row, read)
