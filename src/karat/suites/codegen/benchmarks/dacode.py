"""DA-Code: tasks that write a file. How each is judged is in a list beside (``eval*.jsonl``), gold files are in
``gold/ID/``, source tables in ``source/ID/``. Tables, texts, databases, plots and predictions of models
are judged."""

from __future__ import annotations

from pathlib import Path

import msgspec

from karat.core.json_types import Json
from karat.core.problems import Problem
from karat.core.records import Case, Turn, Where
from karat.suites.codegen.benchmarks.companion_files import LeftOut, Neighbours, inputs_of
from karat.suites.codegen.benchmarks.dacode_plots import plot_gold
from karat.suites.codegen.benchmarks.published_set import PublishedSet
from karat.suites.codegen.published.dacode import SEVERAL
from karat.suites.codegen.question.default_prompt import WRITE
from karat.suites.codegen.records import Expected, Published, Scorer, Task

KEYS = frozenset({"id", "type", "instruction", "hardness", "post_process"})
TIMEOUT = 120.0
NAME = "DA-Code"
PLOT = "compare_image"
SCORERS: dict[str, Scorer] = {
    "compare_csv": "dacode_csv",
    "compare_text": "dacode_text",
    "compare_sqlite": "dacode_sqlite",
    "compare_ml": "dacode_model",
    "compare_competition_ml": "dacode_model",
}
BOUNDS = ("metric", "lower_bound", "upper_bound")
CLUSTERS = "silhouette"
"""The metric that needs no true labels."""
NO_SOURCE = "its source tables are not here (source/ID/)"
READ: dict[str, str] = {
    **dict.fromkeys(("dacode_csv", "dacode_model"), "import pandas as _pd\nresult = _pd.read_csv({file!r})"),
    "dacode_sqlite": "import sqlite3 as _sqlite3\nimport pandas as _pd\n_database = _sqlite3.connect({file!r})\n"
    "_names = [row[0] for row in _database.execute(\"SELECT name FROM sqlite_master WHERE type = 'table'\")]\n"
    "result = {{name: _pd.read_sql_query(f'SELECT * FROM \"{{name}}\"', _database) for name in _names}}",
}


READ_SEVERAL = (
    "import os as _os\nimport pandas as _pd\n"
    "result = {{name: _pd.read_csv(name) if _os.path.exists(name) else None for name in {file!r}.split(', ')}}"
)


class _Row(msgspec.Struct, frozen=True):
    id: str
    type: str
    instruction: str
    hardness: str = ""


class _Eval(msgspec.Struct, frozen=True):
    func: list[str]
    result: list[dict[str, Json]]
    options: list[dict[str, Json] | None] = []
    config: dict[str, Json] = {}


def read(told: _Row, beside: Neighbours, source: Where) -> list[Case[Task] | Problem | LeftOut]:
    """One task as a case, or why it cannot be asked or judged."""
    rule = beside.rows_with("func").get(told.id)
    judged = None if rule is None else msgspec.convert(rule, _Eval)
    if judged is None or not judged.func or not judged.result:
        return [LeftOut(NAME, told.id, "no list beside the tasks says how it is judged")]
    scorer = SCORERS.get(judged.func[0])
    if judged.func[0] == PLOT:
        return [_plot(told, judged, beside, source)]
    if scorer is None:
        return [LeftOut(NAME, told.id, f"judged by {judged.func[0]}, which is unknown")]
    given = _source(told.id, beside)
    several = len(judged.result) > 1
    if several and scorer != "dacode_csv":
        return [LeftOut(NAME, told.id, f"it writes several files, which are not compared by {judged.func[0]}")]
    published, target = (_several if several else _published)(told.id, scorer, judged, beside)
    if published is None:
        return [LeftOut(NAME, told.id, "its gold is not in this copy")]
    if given is None:
        return [LeftOut(NAME, told.id, NO_SOURCE)]
    tables, files = inputs_of(sorted(file for file in given.iterdir() if file.is_file()))
    task = Task(
        tables=tables,
        files=files,
        template=f"[insert]\n{(READ_SEVERAL if several else READ[scorer]).format(file=target)}" if target else "",
        expected=Expected(published=published),
        timeout=TIMEOUT,
        memory_mb=4096,
    )
    shown = ", ".join(sorted({Path(one).name for one in (*files, *(table.path for table in tables.values()))}))
    leave = f"Write {target} there, as the task asks." if target else "Leave the answer in `result`, as a dict."
    conversation: tuple[Turn[Task], ...] = (
        Turn(role="system", content=f"The working folder has: {shown}. {leave}\n\n{WRITE}"),
        Turn(role="user", content=told.instruction, target=task),
    )
    tags = tuple(tag for tag in (told.type, told.hardness) if tag)
    return [Case(told.id, conversation, tags=tags, source=source)]


def _source(name: str, beside: Neighbours) -> Path | None:
    sources = beside.folder("source")
    return sources / name if sources is not None and (sources / name).is_dir() else None


def _plot(told: _Row, judged: _Eval, beside: Neighbours, source: Where) -> Case[Task] | LeftOut:
    """A task that draws: what it drew is compared with the gold's data, type and texts."""
    place = beside.folder("gold")
    keys = ((judged.options[0] if judged.options else None) or {}).get("keys") or []
    gold = "its gold is not in this copy" if place is None else plot_gold(place / told.id, [str(key) for key in keys])
    if isinstance(gold, str):
        return LeftOut(NAME, told.id, gold)
    given = _source(told.id, beside)
    if given is None:
        return LeftOut(NAME, told.id, NO_SOURCE)
    tables, files = inputs_of(sorted(file for file in given.iterdir() if file.is_file()))
    task = Task(tables=tables, files=files, expected=Expected(plot=gold), timeout=TIMEOUT, memory_mb=4096)
    said = f"Draw the plot that the task asks for.\n\n{WRITE}"
    turns: tuple[Turn[Task], ...] = (
        Turn(role="system", content=said),
        Turn(role="user", content=told.instruction, target=task),
    )
    return Case(told.id, turns, tags=tuple(tag for tag in (told.type, told.hardness) if tag), source=source)


def _published(name: str, scorer: Scorer, judged: _Eval, beside: Neighbours) -> tuple[Published | None, str]:
    """What is right, and the file that an answer has to write; empty: it leaves a mapping."""
    about, options = judged.result[0], (judged.options[0] if judged.options else None) or {}
    if scorer == "dacode_model":
        bounds: dict[str, Json] = {key: judged.config[key] for key in judged.config if key in BOUNDS}
        options = {**options, **bounds, "competition": judged.func[0] == "compare_competition_ml"}
    if scorer == "dacode_text":
        answers = about.get("number")
        return (Published(scorer, answers, options=options) if answers else None), ""
    named = about.get("file")
    names = [str(one) for one in named] if isinstance(named, list) else [str(named)]
    place = beside.folder("gold")
    gold = [] if place is None else [file for one in names if (file := place / name / Path(one).name).is_file()]
    known = bool(gold) or options.get("metric") == CLUSTERS
    found = Published(scorer, files=tuple(str(file.resolve()) for file in gold), options=options) if known else None
    return found, Path(names[0]).name


def _several(name: str, scorer: Scorer, judged: _Eval, beside: Neighbours) -> tuple[Published | None, str]:
    """The same for several tables, each with options of its own, or all with the only ones."""
    options = [one or {} for one in judged.options] or [{}]
    parts: list[Json] = []
    for place, about in enumerate(judged.result):
        own = options[place] if len(options) == len(judged.result) else options[0]
        alone = _Eval(judged.func, [about], [own], judged.config)
        found, target = _published(name, scorer, alone, beside)
        if found is None:
            return None, ""
        parts.append({"name": target, "file": found.files[0], "options": own})
    return Published(scorer, options={SEVERAL: parts}), ", ".join(str(part["name"]) for part in parts)


SET = PublishedSet("a DA-Code task", KEYS, _Row, read)
