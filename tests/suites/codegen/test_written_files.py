"""Files that code writes: read in a sandbox of their own, compared like results, and named when they are missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any  # Any: contents of files, of every type

import pandas
import pytest

from karat.suites.codegen.comparison import Comparison
from karat.suites.codegen.details import details
from karat.suites.codegen.presentation.form import form
from karat.suites.codegen.records import Expected, ExpectedFile, ImageSize, TableSource, Task
from karat.suites.codegen.written_files.sandbox_reader import Refused, read_file
from tests.suites.codegen.tasks import judge_code
from tests.suites.codegen.test_cases import task_of, written

SALES: dict[str, list[Any]] = {"region": ["North", "South", "East"], "qty": [19, 5, 9]}
TABLES = {"t": TableSource(columns=SALES)}
RIGHT = ExpectedFile(table=SALES)


def judged(code: str, **files: ExpectedFile) -> Comparison:
    named = {name.replace("__", "."): wanted for name, wanted in files.items()}
    task = Task(tables=TABLES, expected=Expected(files=named))
    return judge_code(code, question="Write the file.", task=task)


WRITERS = {
    "out.csv": "t.to_csv('out.csv', index=False)",
    "semicolon.csv": "t.to_csv('semicolon.csv', index=False, sep=';')",
    "pipe.csv": "t.to_csv('pipe.csv', index=False, sep='|', encoding='utf-16')",
    "index.csv": "t.to_csv('index.csv')",
    "out.tsv": "t.to_csv('out.tsv', index=False, sep='\\t')",
    "out.csv.gz": "t.to_csv('out.csv.gz', index=False)",
    "out.parquet": "t.to_parquet('out.parquet')",
    "out.feather": "t.to_feather('out.feather')",
    "records.json": "t.to_json('records.json', orient='records')",
    "columns.json": "t.to_json('columns.json')",
    "split.json": "t.to_json('split.json', orient='split')",
    "lists.json": "import json\njson.dump(t.to_dict('list'), open('lists.json', 'w'))",
    "lines.json": "t.to_json('lines.json', orient='records', lines=True)",
    "lines.jsonl": "t.to_json('lines.jsonl', orient='records', lines=True)",
    "out.xlsx": "t.to_excel('out.xlsx', index=False)",
    "out.sqlite": "import sqlite3\nt.to_sql('sales', sqlite3.connect('out.sqlite'), index=False)",
}


@pytest.mark.parametrize("name", WRITERS)
def test_tables_in_every_form(name: str) -> None:
    if name.endswith("xlsx"):
        pytest.importorskip("openpyxl")
    right = judged(WRITERS[name], **{name: RIGHT})
    assert right.last.ran and right.correctness.passed, (right.last, right.correctness)
    wrong = judged("t.loc[0, 'qty'] = 1\n" + WRITERS[name], **{name: RIGHT})
    assert wrong.last.ran and not wrong.correctness.passed
    assert wrong.correctness.evidence["file"] == name


@pytest.mark.parametrize(
    ("name", "code", "value"),
    [
        ("total.txt", "open('total.txt', 'w').write(f'{t.qty.sum()}\\n')", "33"),
        ("totals.json", "import json\njson.dump(dict(zip(t.region, map(int, t.qty))), open('totals.json', 'w'))",
         {"North": 19, "South": 5, "East": 9}),
        ("qty.npy", "np.save('qty.npy', t.qty.to_numpy())", [19, 5, 9]),
    ],
)  # fmt: skip
def test_values(name: str, code: str, value: Any) -> None:
    assert judged(code, **{name: ExpectedFile(value=value)}).correctness.passed
    assert not judged(code.replace("t.qty", "(t.qty + 1)"), **{name: ExpectedFile(value=value)}).correctness.passed


NUMBERS = {"region": ["North", "South", "East"], "price": ["1.5", "2.25", "1234.5"]}


@pytest.mark.parametrize(
    ("name", "data", "columns"),
    [
        ("o.csv", b"region;price\nNorth;1,5\nSouth;2,25\nEast;1.234,50\n", NUMBERS),
        ("o.tsv", b"region\tprice\nNorth\t1,5\nSouth\t2,25\nEast\t1234,5\n", NUMBERS),
        ("o.csv", b'v\n"1,5"\n"2,5"\n', {"v": ["1.5", "2.5"]}),
        ("o.csv", b'v\n"1,500"\n"2,500"\n', {"v": ["1,500", "2,500"]}),  # thousands
        ("o.csv", b"v;w\n1,5;a\nb;c\n", {"v": ["1,5", "b"], "w": ["a", "c"]}),  # texts
        ("o.csv", "region,n\nÖst,1\n".encode("utf-16-le"), {"region": ["Öst"], "n": ["1"]}),
        ("o.csv", "region,n\nÖst,1\n".encode("utf-16-be"), {"region": ["Öst"], "n": ["1"]}),
        ("o.csv", "region,n\nÖst,1\n".encode("utf-32"), {"region": ["Öst"], "n": ["1"]}),
    ],
)
def test_tables_as_text(name: str, data: bytes, columns: dict[str, list[str]]) -> None:
    frame = read_file(name, data, "", "")["content"]
    found = {column: list(map(as_number, values)) for column, values in frame.to_dict("list").items()}
    assert found == {column: list(map(as_number, values)) for column, values in columns.items()}


def as_number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


@pytest.mark.parametrize(
    ("name", "text", "content"),
    [
        ("o.jsonl", '[{"a": 1}, {"a": 2}]\n', [{"a": 1}, {"a": 2}]),
        ("o.json", pandas.DataFrame({"a": [1, 2]}).to_json(orient="table"), [{"a": 1}, {"a": 2}]),
    ],
)
def test_json_in_other_forms(name: str, text: str, content: object) -> None:
    assert read_file(name, text.encode(), "", "")["content"] == content


def test_a_key_twice_is_refused() -> None:
    with pytest.raises(Refused, match="a key twice"):
        read_file("o.json", b'{"a": 1, "a": 2}', "", "")


def test_a_file_that_was_left_open_is_written_out() -> None:
    code = "f = open('out.csv', 'w')\nf.write(t.to_csv(index=False))"
    assert judged(code, **{"out.csv": RIGHT}).correctness.passed


@pytest.mark.parametrize("orient", ["index", "columns"])
def test_json_with_the_rows_by_name(orient: str) -> None:
    code = f"t.set_index('region').to_json('out.json', orient='{orient}')"
    assert judged(code, **{"out.json": RIGHT}).correctness.passed


def test_a_line_of_json_ends_where_the_line_does() -> None:
    code = "import json\nopen('rows.jsonl', 'w').write(json.dumps({'a': 'x\\u2028y'}, ensure_ascii=False) + chr(10))"
    assert judged(code, **{"rows.jsonl": ExpectedFile(table={"a": ["x\u2028y"]})}).correctness.passed


def test_what_was_sniffed_and_the_extra_index_are_noted() -> None:
    found = judged(WRITERS["pipe.csv"], **{"pipe.csv": RIGHT})
    (report,) = found.files
    assert report.right and "delimiter '|'" in report.note and "encoding 'utf-16'" in report.note
    (report,) = judged(WRITERS["index.csv"], **{"index.csv": RIGHT}).files
    assert "a counting index column is ignored" in report.note


def test_sheets_and_tables_by_name() -> None:
    pytest.importorskip("openpyxl")
    code = (
        "with pd.ExcelWriter('out.xlsx') as book:\n"
        "    t.head(1).to_excel(book, sheet_name='first', index=False)\n"
        "    t.to_excel(book, sheet_name='all', index=False)\n"
    )
    assert judged(code, **{"out.xlsx": ExpectedFile(table=SALES, sheet="all")}).correctness.passed
    assert not judged(code, **{"out.xlsx": RIGHT}).correctness.passed
    found = judged(code, **{"out.xlsx": ExpectedFile(table=SALES, sheet="none")}).correctness
    assert found.reason == "file_unreadable" and 'no sheet "none", only first, all' in found.evidence["problem"]
    code = (
        "import sqlite3\nbase = sqlite3.connect('out.db')\n"
        "t.to_sql('a', base, index=False)\nt.head(1).to_sql('b', base, index=False)\n"
    )
    assert judged(code, **{"out.db": ExpectedFile(table=SALES, from_table="a")}).correctness.passed
    assert judged(code, **{"out.db": RIGHT}).correctness.reason == "file_unreadable"


def test_a_missing_file_names_what_was_written_and_the_nearest() -> None:
    found = judged("t.to_csv('outt.csv')\nt.to_csv('other.txt')", **{"out.csv": RIGHT})
    evidence = found.correctness.evidence
    assert found.last.ran and found.correctness.reason == "file_missing"
    assert evidence["nearest"] == "outt.csv" and evidence["written"] == ["other.txt", "outt.csv"]
    assert [(one.name, one.right) for one in found.files] == [
        ("out.csv", False),
        ("other.txt", None),
        ("outt.csv", None),
    ]


def test_the_result_counts_too_where_one_is_expected() -> None:
    task = Task(tables=TABLES, expected=Expected(value=33, files={"out.csv": RIGHT}))

    def passed(code: str) -> bool:
        return judge_code(code, question="Write the file.", task=task).correctness.passed

    write = WRITERS["out.csv"]
    assert passed(f"{write}\nresult = t.qty.sum()")
    assert not passed(f"{write}\nresult = t.qty.max()")
    assert not passed("result = t.qty.sum()")
    assert not passed(write)


def test_half_of_the_mean_f1_of_several_files() -> None:
    code = WRITERS["out.csv"] + "\nopen('n.txt', 'w').write('1')"
    found = judged(code, **{"out.csv": RIGHT, "n.txt": ExpectedFile(value="2")}).correctness
    assert (found.score, found.passed, found.evidence["wrong_files"]) == (0.25, False, ["n.txt"])


def test_images_by_their_header() -> None:
    code = "import matplotlib.pyplot as plt\nplt.figure(figsize=(4, 3), dpi=50)\nplt.plot([1, 2])\nplt.savefig('p.png')"
    size = ImageSize(200, 150, "png")
    assert judged(code, **{"p.png": ExpectedFile(image=size)}).correctness.passed
    wrong = judged(code, **{"p.png": ExpectedFile(image=ImageSize(100, 150))}).correctness
    assert wrong.evidence["problem"] == "width 200 where 100 is expected"
    fake = judged("open('p.png', 'w').write('no image')", **{"p.png": ExpectedFile(image=size)}).correctness
    assert fake.reason == "file_unreadable"


# -- hostile files ----------------------------------------------------------------------------------------------------

ZIP = "import zipfile\nwith zipfile.ZipFile('out.xlsx', 'w', zipfile.ZIP_DEFLATED) as z:\n"
HOSTILE = {
    "a pickle": ("out.pkl", "t.to_pickle('out.pkl')"),
    "a pickle by another name": ("out.npy", "import pickle\npickle.dump(t, open('out.npy', 'wb'))"),
    "an array of objects": ("out.npy", "np.save('out.npy', np.array([t], dtype=object), allow_pickle=True)"),
    "a gzip bomb": (
        "out.csv.gz",
        "import gzip\ngzip.open('out.csv.gz', 'wb').write(b'a,b\\n' + b'1,2\\n' * 20_000_000)",
    ),
    "a zip bomb": ("out.xlsx", ZIP + "    z.writestr('xl/workbook.xml', b'0' * 200_000_000)"),
    "a zip of many": ("out.xlsx", ZIP + "    for n in range(3000):\n        z.writestr(str(n), b'0')"),
    "a parquet bomb": (
        "out.parquet",
        "import pyarrow as pa, pyarrow.parquet as pq\n"
        "pq.write_table(pa.table({'a': pa.array(np.zeros(9_000_000, dtype='i8'))}), 'out.parquet')",
    ),
    "a header of a huge array": (
        "out.npy",
        "import io\nb = io.BytesIO()\nnp.lib.format.write_array_header_1_0(b, {'descr': '<f8', 'fortran_order': False, "
        "'shape': (10**11,)})\nopen('out.npy', 'wb').write(b.getvalue() + bytes(100))",
    ),
    "a file with a hole": (
        "out.csv",
        "f = open('out.csv', 'wb')\nf.write(b'region,qty')\nf.truncate(20_000_000)\nf.close()",
    ),
    "a folder": ("out.csv", "import os\nos.mkdir('out.csv')"),
    "nothing in it": ("out.csv", "open('out.csv', 'w').close()"),
    "not what its name says": ("out.parquet", "open('out.parquet', 'w').write('region,qty')"),
    "deep JSON": ("out.json", "open('out.json', 'w').write('[' * 100_000 + ']' * 100_000)"),
    "more cells than can be": ("out.csv", "open('out.csv', 'w').write('a\\n' + '1\\n' * 5_000_000)"),
    "a database with a view": (
        "out.db",
        "import sqlite3\nb = sqlite3.connect('out.db')\nb.execute('CREATE VIEW sales AS WITH RECURSIVE n(x) AS "
        "(SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n')\nb.commit()",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_unreadable_and_no_more(name: str) -> None:
    file, code = HOSTILE[name]
    found = judged(code, **{file: RIGHT})
    assert found.last.ran, found.last
    assert (found.correctness.passed, found.correctness.reason) == (False, "file_unreadable"), found.correctness


def test_links_and_pipes_cannot_even_be_made() -> None:
    code = (
        "import os\nfound = []\n"
        "for make in (lambda: os.symlink('/etc/passwd', 'out.csv'), lambda: os.link('t.csv', 'out.csv'),\n"
        "             lambda: os.mkfifo('out.csv'), lambda: os.mknod('out.csv')):\n"
        "    try:\n        make()\n        found.append(1)\n    except OSError:\n        pass\n"
        "open('n.txt', 'w').write(str(len(found)))"
    )
    assert judged(code, **{"n.txt": ExpectedFile(value="0")}).correctness.passed


def test_thousands_of_files_are_listed_in_part_and_odd_names_do_no_harm() -> None:
    code = (
        "import os\nfor n in range(3000):\n    open(f'f{n}', 'w').close()\n"
        "for name in ('..out.csv', 'out\\ncsv', 'out.csv ', '-rf', b'\\xff.csv', 'ä' * 100):\n"
        "    open(name, 'w').close()\n" + WRITERS["out.csv"]
    )
    found = judged(code, **{"out.csv": RIGHT})
    assert found.correctness.passed and len(found.files) <= 101
    ended = judged(
        "for n in range(10_000):\n    open(f'f{n}', 'w').close()\n" + WRITERS["out.csv"], **{"out.csv": RIGHT}
    )
    assert len(ended.files) <= 101


# -- task files and reports -------------------------------------------------------------------------------------------


def test_a_task_file_names_its_files(tmp_path: Path) -> None:
    (tmp_path / "right.csv").write_text("a\n1\n")
    text = """
- id: a
  question: q
  expected:
    files:
      out.csv: {table: {n: [1, 2]}}
      plain.csv: {city: [Rome], n: [2]}
      total.txt: "33"
      book.xlsx: {sheet: all, file: right.csv}
      base.db: {table: sales, rows: [{n: 1}]}
      p.png: {image: {width: 640, height: 480, format: jpg}}
      w.json: {value: 2.5, unit: kg}
"""
    loaded = written(tmp_path, text)
    assert not loaded.problems, loaded.problems
    expected = task_of(loaded.cases[0]).expected
    assert expected is not None and expected.files is not None
    files = expected.files
    assert files["out.csv"].table == {"n": [1, 2]} and files["plain.csv"].table == {"city": ["Rome"], "n": [2]}
    assert files["total.txt"].value == "33" and files["w.json"].unit == "kg"
    assert files["book.xlsx"].sheet == "all" and files["book.xlsx"].file.endswith("right.csv")
    assert (files["base.db"].from_table, files["base.db"].table) == ("sales", {"n": [1]})
    assert files["p.png"].image == ImageSize(640, 480, "jpeg")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{files: 3}", "expected names of files with their contents here"),
        ("{files: {a/b.csv: {n: [1]}}}", "'a/b.csv' cannot be the name of a written file"),
        ("{files: {out.csv: {tabel: 3, sheet: a}}}", 'unknown name "tabel" beside "sheet"'),
        ("{files: {out.csv: {sheet: a}}}", "nothing says what must be in this file"),
        (
            "{files: {p.png: {image: {width: x}}}}",
            "not the size of an image: Expected `int | null`, got `str` - at `$.width`",
        ),
        ("{files: {p.png: {image: {format: psd}}}}", 'unknown image format "psd"'),
    ],
)
def test_mistakes_in_a_task_file(tmp_path: Path, text: str, message: str) -> None:
    (problem,) = written(tmp_path, f"- id: a\n  question: q\n  expected: {text}\n").problems
    assert problem.message == message and problem.line == 3


def test_the_list_is_in_the_details_and_the_form() -> None:
    found = judged(WRITERS["out.csv"] + "\nt.to_csv('more.csv')", **{"out.csv": RIGHT})
    kept = details([(0, found)])
    assert [(one.name, one.right) for one in kept.files or ()] == [("out.csv", True), ("more.csv", None)]
    views = [view for view in form(kept, found.task, None).views if getattr(view, "title", "") == "Files"]
    assert len(views) == 1


def test_the_system_is_told_which_files_to_write(tmp_path: Path) -> None:
    (case,) = written(tmp_path, "- {id: a, question: q, expected: {files: {out.csv: {n: [1]}}}}").cases
    assert "Write into the working folder: out.csv." in case.conversation[0].content
    assert "Leave the answer" not in case.conversation[0].content
