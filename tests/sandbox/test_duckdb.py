"""DuckDB inside the sandbox: it runs there in all four ways, and reads no more of the machine than its own limits."""

from __future__ import annotations

from tests.sandbox.boxes import Box

SALES: dict[str, object] = {"sales": {"price": [1, 2, 3], "item": ["a", "b", None]}}


def test_it_runs_over_the_tables_and_its_relations_are_results(any_box: Box) -> None:
    seen = any_box.run("import duckdb\nresult = duckdb.sql('SELECT sum(price) AS n FROM sales').fetchall()", SALES)
    assert (seen.status, seen.result) == ("ok", [[6]]), seen
    seen = any_box.run("import duckdb\nresult = duckdb.sql('SELECT item FROM sales WHERE price > 2')", SALES)
    assert isinstance(seen.result, dict), seen
    assert [column["values"] for column in seen.result["columns"]] == [[None]]


def test_a_second_connection_and_more_threads_work_too(any_box: Box) -> None:
    code = "import duckdb\nc = duckdb.connect(config={'threads': 3})\nresult = c.execute('SELECT 42').fetchone()"
    assert any_box.run(code).result == [42]


def test_one_thread_is_the_usual(any_box: Box) -> None:
    threads = "SELECT current_setting('threads')"
    own = "duckdb.connect('own.db', config={'default_order': 'desc'})"
    for used in ("duckdb.sql", "duckdb.execute", "duckdb.connect().execute", f"{own}.execute"):
        code = f"result = {used}({threads!r}).fetchall()[0][0]"
        seen = any_box.run(f"import duckdb\n{code}")
        assert seen.result == 1, (code, seen)


def test_only_its_own_cgroup_can_be_read(any_box: Box) -> None:
    code = (
        "import os\nresult = []\n"
        "open('/proc/self/cgroup').read()\n"
        "for name in ('/proc/1/cgroup', f'/proc/{os.getppid()}/cgroup', '/proc/self/environ', '/proc/self/maps',\n"
        "             '/proc/self/mem', '/sys/fs/cgroup/cgroup.procs', '/etc/passwd'):\n"
        "    try:\n"
        "        open(name, 'rb').read(10)\n"
        "        result.append(name)\n"
        "    except OSError:\n"
        "        pass\n"
    )
    assert any_box.run(code).result == []


def test_it_can_neither_read_nor_write_outside_its_folder(any_box: Box) -> None:
    for statement in (
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/hostname')",
        "COPY (SELECT 1) TO '/tmp/out.csv'",
        "ATTACH '/tmp/other.db'",
        "INSTALL httpfs",
        "SELECT * FROM 'https://example.org/x.parquet'",
    ):
        seen = any_box.run(f"import duckdb\nresult = duckdb.execute({statement!r}).fetchall()")
        assert seen.status in ("error", "refused", "killed") or seen.result == [], (statement, seen)
