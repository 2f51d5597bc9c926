"""Nothing of the host evaluates text or unpickles: looked up in the syntax trees of all its files. What runs inside the
sandbox is left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "karat"
INSIDE = SOURCE / "sandbox" / "server"
"""Runs in the sandbox: running code is its task."""
FILES = sorted(path for path in SOURCE.rglob("*.py") if INSIDE not in path.parents)

NAMES = {"eval", "exec", "compile", "__import__", "sympify", "parse_expr", "literal_eval"}
ATTRIBUTES = {
    "query", "eval", "sympify", "read_pickle", "to_pickle", "unsafe_load", "full_load", "system", "popen", "literal_eval", "from_pickle", "set_allow_pickle",
}  # fmt: skip
MODULES = {
    "pickle",
    "cPickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "code",
    "codeop",
    "sympy",
    "numexpr",
    "commands",
}
XML = {"xml", "lxml", "xmltodict", "defusedxml", "xml.etree", "xml.sax", "xml.dom"}
READS_XML = {"imports/xlsx.py", "suites/data_query/structures/xml_tree.py"}
"""The readers of XML here. Neither gets past a DOCTYPE."""
KNOWN = {
    ("verbs/setup/doctor.py", ".system"),  # the name of the operating system
    ("engines/bigquery.py", ".query"),  # SQL for BigQuery, which runs it with the rights of its own account
    ("runs/executors/messages.py", "import pickle"),  # between this program's own processes, and Dask's, see scale.md
    ("core/trace/values.py", ".literal_eval"),  # arguments as Python writes them; nothing is called
    ("suites/codegen/harness/fair_tests.py", "compile"),  # the tests, rewritten: sent into the sandbox and run there
    ("suites/codegen/harness/run_answers.py", "compile"),  # sent into the sandbox and run there
    ("suites/codegen/harness/run_answers.py", "exec"),
    ("suites/codegen/harness/run_assert.py", "compile"),
    ("suites/codegen/harness/run_assert.py", "eval"),
    ("suites/codegen/harness/run_assert.py", "exec"),
    ("suites/codegen/harness/run_tests.py", "compile"),
    ("suites/codegen/harness/run_tests.py", "exec"),
    ("suites/codegen/harness/run_unit_tests.py", "compile"),
    ("suites/codegen/harness/run_unit_tests.py", "exec"),
    ("suites/codegen/benchmarks/bigcodebench.py", ".literal_eval"),  # a list of names; nothing is called
    ("suites/codegen/benchmarks/published_sets.py", ".literal_eval"),  # rows as Python writes them; nothing is called
    ("suites/codegen/running/sql_programs.py", ".literal_eval"),  # a text that Karat has written itself
    ("suites/codegen/results/figures.py", ".literal_eval"),  # numbers, texts and lists of them; nothing is called
    ("suites/codegen/tasks/assert_code.py", ".literal_eval"),  # constants of a filter; nothing is called
    ("suites/codegen/tasks/assert_code.py", "compile"),  # only whether it can be: the result is thrown away
    ("suites/codegen/running/completion.py", "compile"),  # only whether it can be: the result is thrown away
}
"""(file, what): looked at, and harmless for the reason beside it."""


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def found(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """(what, line) of everything that may run a text or an object's own code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in NAMES:
                yield called.id, node.lineno
            if isinstance(called, ast.Attribute):
                owner = ast.unparse(called.value)
                if called.attr in ATTRIBUTES:
                    yield f".{called.attr}", node.lineno
                if called.attr == "recv":  # of multiprocessing, which unpickles; recv_bytes does not
                    yield ".recv", node.lineno
                if owner == "yaml" and called.attr in ("load", "load_all"):
                    loader = next((ast.unparse(one.value) for one in node.keywords if one.arg == "Loader"), "")
                    if not loader.endswith(("CBaseLoader", "BaseLoader")):
                        yield "yaml.load", node.lineno
                if called.attr == "load" and owner in ("np", "numpy"):
                    allowed = next((ast.unparse(one.value) for one in node.keywords if one.arg == "allow_pickle"), "")
                    if allowed != "False":
                        yield "numpy.load", node.lineno
            if any(one.arg == "shell" and ast.unparse(one.value) != "False" for one in node.keywords):
                yield "shell", node.lineno
        elif isinstance(node, ast.Import):
            yield from ((f"import {one.name}", node.lineno) for one in node.names if one.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            yield f"import {node.module}", node.lineno


def imported(tree: ast.AST) -> set[str]:
    names = [one.name for node in ast.walk(tree) if isinstance(node, ast.Import) for one in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in names}


def test_no_file_of_the_host_evaluates_text_or_unpickles() -> None:
    wrong = []
    for path in FILES:
        name = path.relative_to(SOURCE).as_posix()
        for what, line in found(tree_of(path)):
            if (name, what) not in KNOWN:
                wrong.append(f"{name}:{line}: {what}")
    assert not wrong
    assert len(FILES) > 300
    for name, _ in KNOWN:
        assert (SOURCE / name).is_file(), "this exception is no longer needed"


def test_what_runs_code_in_the_sandbox_is_imported_by_nobody_in_the_host() -> None:
    """The files of the harness are sent as text; importing them would put ``exec`` within reach."""
    inside = {"karat.suites.codegen.harness.run_answers", "karat.suites.codegen.harness.run_tests"}
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.ImportFrom):
                assert node.module not in inside, path
                assert not {f"{node.module}.{one.name}" for one in node.names} & inside, path
            elif isinstance(node, ast.Import):
                assert not {one.name for one in node.names} & inside, path


def test_xml_is_parsed_in_two_places() -> None:
    reads = {path.relative_to(SOURCE).as_posix() for path in FILES if imported(tree_of(path)) & XML}
    assert reads == READS_XML | {"reports/junit.py"}
    for name in reads - READS_XML:  # reports write it
        text = (SOURCE / name).read_text()
        assert not any(word in text for word in ("fromstring(", "iterparse(", "parse(", "XML(")), name


@pytest.mark.parametrize(
    "text",
    [
        "eval(x)", "frame.query(x)", "pd.eval(x)", "sympify(x)", "import pickle", "from pickle import loads", "pd.read_pickle(x)", "yaml.load(x)",
        "yaml.load(x, Loader=yaml.UnsafeLoader)", "np.load(x)", "np.load(x, allow_pickle=True)", "run(x, shell=True)", "os.system(x)", "connection.recv()",
        "__import__(x)", "exec(x)", "compile(x, '', 'exec')", "yaml.unsafe_load(x)", "import joblib",
    ],
)  # fmt: skip
def test_the_look_is_not_blind(text: str) -> None:
    assert list(found(ast.parse(text)))


@pytest.mark.parametrize(
    "text",
    ["np.load(x, allow_pickle=False)", "yaml.load(x, Loader=yaml.CBaseLoader)", "re.match(x, y)", "c.recv_bytes()"],
)
def test_what_is_harmless_passes(text: str) -> None:
    assert not list(found(ast.parse(text)))
