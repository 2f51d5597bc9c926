"""Notebooks as cases, as answers and as an export; what IPython alone understands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from karat.core.records import Case, attempts
from karat.runs.scores.run_scoring import score_recorded
from karat.suites.codegen import suite
from karat.suites.codegen.cases import load_cases, recognises
from karat.suites.codegen.notebooks.export import notebook_of
from karat.suites.codegen.notebooks.magics import Refused, plain_python
from karat.suites.codegen.options import Options
from karat.suites.codegen.predictions import read_predictions
from karat.suites.codegen.steps.compare import compare

QUICK = Options(performance=False, perturb="no", relations="no")
LIE = [{"output_type": "execute_result", "data": {"text/plain": "999"}, "metadata": {}, "execution_count": 1}]


def code(source: str, *tags: str, outputs: Any = ()) -> dict[str, Any]:
    lines = source.splitlines(keepends=True)
    return {"cell_type": "code", "source": lines, "metadata": {"tags": list(tags)}, "outputs": list(outputs)}


def text(source: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "source": source, "metadata": {}}


def write(file: Path, *cells: dict[str, Any], **about: Any) -> Path:
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"karat": about} if about else {}, "cells": list(cells)}
    file.write_text(json.dumps(book, indent=1))
    return file


def the_case(file: Path) -> Case[Any]:
    loaded = load_cases(file)
    assert [problem for problem in loaded.problems if problem.severity == "error"] == []
    (case,) = loaded.cases
    return case


SALES = "region,price\nN,10\nS,20\nS,30\n"
TAGGED = (
    text("# A report"),
    code("%matplotlib inline\nimport pandas as pd", "karat:setup"),
    text("Read the sales and keep prices of at least 20."),
    code("sales = pd.read_csv('sales.csv')"),
    code("high = sales[sales.price >= 20]\ndisplay(high)", "karat:step", outputs=LIE),
    code("assert len(result) == 2", "karat:tests"),
    text("What is their sum?"),
    code("high.price.sum()", "karat:step", outputs=LIE),
)


def test_tagged_cells_are_steps_with_the_markdown_above_as_question(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    case = the_case(write(tmp_path / "report.ipynb", *TAGGED))
    task: Any = case.conversation[1].target
    assert case.id == "report" and recognises(tmp_path / "report.ipynb")
    assert list(task.tables) == ["sales"]
    assert task.setup == "pass  # %matplotlib inline\nimport pandas as pd\nsales = pd.read_csv('sales.csv')"
    assert [(step.question, step.reference) for step in task.steps] == [
        ("Read the sales and keep prices of at least 20.", "high = sales[sales.price >= 20]\n(high)"),
        ("What is their sum?", "high.price.sum()"),
    ]
    assert [test.assertion for test in task.steps[0].tests] == ["assert len(result) == 2"]


def test_without_tags_cells_with_an_output_or_a_result_are_steps(tmp_path: Path) -> None:
    cells = (
        code("base = 2"),
        text("Double it."),
        code("twice = base * 2\ntwice", outputs=LIE),
        code("helper = twice + 1"),
        text("Add one."),
        code("result = helper"),
        text("Print it."),
        code("print(helper)", outputs=LIE),
    )
    file = write(tmp_path / "n.ipynb", *cells, id="numbers", final=[1])
    task: Any = the_case(file).conversation[1].target
    assert (the_case(file).id, task.setup, task.final) == ("numbers", "base = 2", (1,))
    assert [step.reference for step in task.steps] == ["twice = base * 2\ntwice", "helper = twice + 1\nresult = helper"]
    (told,) = load_cases(file).problems
    assert told.severity == "warning" and "cell 8: it leaves no result" in told.message


def test_outputs_in_the_file_are_never_trusted(tmp_path: Path) -> None:
    """Both the case and the answer claim 999."""
    (tmp_path / "sales.csv").write_text(SALES)
    case = the_case(write(tmp_path / "report.ipynb", *TAGGED))
    (tmp_path / "code").mkdir()
    cells = (code("high = sales[sales.price > 19]\nhigh", outputs=LIE), code("result = high.price.sum()", outputs=LIE))
    write(tmp_path / "code" / "report.ipynb", text("my notes"), *cells)
    answers = read_predictions(tmp_path / "code").predictions
    (found,) = score_recorded(suite, [case], answers, QUICK).cases
    assert {name: found.scores[name].value for name in ("steps", "steps_alone", "passed")} == {
        "steps": 1.0,
        "steps_alone": 1.0,
        "passed": 1.0,
    }
    book = notebook_of(found)
    assert book is not None
    shown = json.dumps(book)
    assert "999" not in shown and "Step 2: right" in shown and "high.price.sum()" in shown


def test_an_exported_notebook_is_an_answer_again(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    case = the_case(write(tmp_path / "report.ipynb", *TAGGED))
    (tmp_path / "answer.jsonl").write_text(
        json.dumps({"id": "report", "steps": ["high = sales[sales.price > 20]\nhigh", "print('x')\nhigh.price.sum()"]})
    )
    (found,) = score_recorded(suite, [case], read_predictions(tmp_path / "answer.jsonl").predictions, QUICK).cases
    exported = tmp_path / "other.ipynb"
    exported.write_text(json.dumps(notebook_of(found)))
    (again,) = read_predictions(exported).predictions
    assert again.case_id == "report"
    assert attempts(again.response) == [b"high = sales[sales.price > 20]\nhigh", b"print('x')\nhigh.price.sum()"]


def test_a_step_without_an_answer_keeps_its_place_in_an_exported_notebook(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    case = the_case(write(tmp_path / "report.ipynb", *TAGGED))
    (tmp_path / "answer.jsonl").write_text(json.dumps({"id": "report", "steps": [None, "sales.price.max()"]}))
    exported, figures = tmp_path / "other.ipynb", []
    for file in (tmp_path / "answer.jsonl", exported):
        (found,) = score_recorded(suite, [case], read_predictions(file).predictions, QUICK).cases
        exported.write_text(json.dumps(notebook_of(found)))
        figures.append([(step["state"], step.get("code", "")) for step in found.details["steps"]["steps"]])
    assert figures[0] == figures[1] and figures[0][0][0] == "missing"


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("x = 1\nx", "x = 1\nx"),
        ("%matplotlib inline\nx", "pass  # %matplotlib inline\nx"),
        ("%%time\nx = 1\nx", "#\nx = 1\nx"),
        ("%time x = 1", "x = 1"),
        ("%timeit -n 10 f(x)", "f(x)"),
        ("if a:\n    %time b()\nc", "if a:\n    b()\nc"),
        ("df?\nx", "pass  # df?\nx"),
        ("?df\nx", "pass  # ?df\nx"),
        ("plt.plot(x);", "plt.plot(x);\npass"),
        ("display(a)\ndisplay(b)", "print(a)\n(b)"),
        ("display(a, b)", "print(a, b)"),
        ("from IPython.display import display\ndisplay(a)", "pass  # from IPython.display import display\n(a)"),
        ("def display(x): return x\ndisplay(a)", "def display(x): return x\ndisplay(a)"),
        ("s = '''\n%pip install x\n!ls\n'''\n%matplotlib", "s = '''\n%pip install x\n!ls\n'''\npass  # %matplotlib"),
        ("x = (a\n% b)", "x = (a\n% b)"),
        ("%%sql\nSELECT 1 AS a", "import duckdb\nresult = duckdb.sql('SELECT 1 AS a').df()"),
    ],
)
def test_what_only_ipython_understands(source: str, plain: str) -> None:
    assert plain_python(source) == plain


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("x = 1\n!rm -rf /", 2),
        ("files = !ls", 1),
        ("%pip install pandas", 1),
        ("x = 1\n\n%run other.py", 3),
        ("%%bash\nls", 1),
        ("%%writefile a.py\nx", 1),
        ("y = %sql SELECT 1", 1),
        ("%unheard_of", 1),
        ("import asyncio\nasync def f():\n    return await g()\nawait f()", 4),
    ],
)
def test_what_is_refused_says_its_line(source: str, line: int) -> None:
    with pytest.raises(Refused, match=f"line {line} is not run") as error:
        plain_python(source)
    assert error.value.line == line


def test_a_refused_line_of_a_case_has_its_place(tmp_path: Path) -> None:
    file = write(tmp_path / "n.ipynb", text("Do it."), code("x = 1\n!pip install y\nresult = x"))
    loaded = load_cases(file)
    found = next(problem for problem in loaded.problems if "not run" in problem.message)
    assert "cell 2, line 2" in found.message and "!pip install y" in file.read_text().splitlines()[found.line - 1]
    assert not list(loaded.cases)
    in_one_line = tmp_path / "one.ipynb"
    in_one_line.write_text(json.dumps(json.loads(file.read_text())))
    assert {problem.line for problem in load_cases(in_one_line).problems} == {1}


def test_a_refused_line_of_an_answer_fails_its_step_alone(tmp_path: Path) -> None:
    file = write(tmp_path / "n.ipynb", code("!pip install y"), code("result = 1"))
    (found,) = read_predictions(file).predictions
    first, second = attempts(found.response)
    assert first == b"raise PermissionError('cell 1, line 1 is not run: !pip install y')" and second == b"result = 1"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not a notebook"),
        ('{"nbformat": 3, "cells": []}', "only nbformat 4 is read"),
        ('{"nbformat": 3, "worksheets": [{"cells": []}]}', "only nbformat 4 is read"),
        ('{"nbformat": 4, "cells": [{"source": 3}]}', "not a notebook"),
        ('{"nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}, "cells": []}', "a notebook in R"),
        ('{"nbformat": 4, "metadata": {"language_info": {"name": "julia"}}, "cells": []}', "a notebook in julia"),
        ('{"nbformat": 4, "cells": []}', "no code cell is a step"),
        ("[" * 100_000, "not a notebook"),
    ],
)
def test_what_is_no_notebook_is_said(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "n.ipynb"
    file.write_text(content)
    assert any(message in problem.message for problem in load_cases(file).problems)


def test_what_other_programs_write_is_read(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "raw", "source": "x"},
        {"cell_type": "markdown", "metadata": None, "source": "How many?"},
        {"cell_type": "code", "metadata": {"tags": None}, "source": "result = 1", "outputs": None},
    ]
    file = tmp_path / "n.ipynb"
    file.write_bytes(b"\xef\xbb\xbf" + json.dumps({"nbformat": 4, "cells": cells}).encode())
    task: Any = the_case(file).conversation[1].target
    assert [(step.question, step.reference) for step in task.steps] == [("How many?", "result = 1")]


def test_tables_named_beside_magics_and_in_other_folders(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    for name in ("sales.csv", "more.csv", "data/far.csv"):
        (tmp_path / name).write_text(SALES)
    setup = "%matplotlib inline\nsales = pd.read_csv('sales.csv')\nsales?\nmore = pd.read_csv('./more.csv')"
    file = write(tmp_path / "n.ipynb", code(setup), text("How many?"), code("far = 'data/far.csv'\nresult = 3"))
    task: Any = the_case(file).conversation[1].target
    assert list(task.tables) == ["sales", "more"]
    (told,) = load_cases(file).problems
    assert "cell 3: data/far.csv is not beside the notebook" in told.message


def test_answers_in_a_notebook_that_reads_its_table_are_tried_on_changed_ones(tmp_path: Path) -> None:
    (tmp_path / "sales.csv").write_text(SALES)
    case = the_case(write(tmp_path / "report.ipynb", *TAGGED))
    answer = write(tmp_path / "answers.ipynb", code("high = sales[sales.price >= 20]\nhigh"), code("50.0"))
    (given,) = read_predictions(answer).predictions
    found = compare(case, 0, given, Options(performance=False, perturb="quick", relations="no"))
    assert found.session is not None
    assert [step.reason for step in found.session.steps] == ["", "only_fits_this_data"]


def test_unknown_tags_and_keys_have_a_nearest_one(tmp_path: Path) -> None:
    file = write(tmp_path / "n.ipynb", text("Q?"), code("result = 1", "karat:stpe"), tabels={})
    said = [(problem.message, problem.hint) for problem in load_cases(file).problems]
    assert any("karat:stpe" in message and "karat:step" in hint for message, hint in said), said
    assert any('"tabels"' in message and "tables" in hint for message, hint in said), said


def test_a_step_without_a_question_is_a_problem(tmp_path: Path) -> None:
    file = write(tmp_path / "n.ipynb", code("result = 1", "karat:step"))
    found = load_cases(file).problems
    assert any("without markdown above it" in one.message for one in found)


def test_sql_cells_query_the_frames(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    (tmp_path / "sales.csv").write_text(SALES)
    cells = (
        code("import pandas as pd\nsales = pd.read_csv('sales.csv')", "karat:setup"),
        text("Sum by region."),
        code("%%sql\nSELECT region, SUM(price) AS total FROM sales GROUP BY region", "karat:step"),
    )
    case = the_case(write(tmp_path / "q.ipynb", *cells))
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "q", "steps": ["sales.groupby('region').price.sum()"]}))
    (found,) = score_recorded(suite, [case], read_predictions(tmp_path / "a.jsonl").predictions, QUICK).cases
    assert found.scores["steps"].value == 1.0, found
