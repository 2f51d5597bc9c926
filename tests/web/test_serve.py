"""``karat serve`` as a process: it listens, answers, and stops when asked."""

from __future__ import annotations

import re
import subprocess
import sys
import urllib.request

from typer import Typer
from typer.testing import CliRunner

from karat.cli.stored_runs.serve import serve


def _run(*words: str) -> str:
    app = Typer(pretty_exceptions_enable=False)
    app.command()(serve)
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code != 0
    return str(result.exception)


def test_it_listens_and_stops(store_url: str) -> None:
    script = f"from karat.cli.stored_runs.serve import serve; serve(port=0, store={store_url!r})"
    with subprocess.Popen([sys.executable, "-u", "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        address = ""
        while not address:
            found = re.search(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
            address = found[0] if found else ""
        for _ in range(50):
            try:
                with urllib.request.urlopen(f"{address}api/runs", timeout=5) as answer:
                    assert b"r-0002" in answer.read()
                break
            except OSError:
                import time

                time.sleep(0.1)
        process.terminate()
        assert process.wait(20) is not None


def test_mistakes_are_said(store_url: str) -> None:
    assert "needs a token" in _run("--host", "0.0.0.0", "--port", "0", "--store", store_url)
    assert "not set" in _run("--token-env", "KARAT_NO_SUCH_NAME", "--port", "0", "--store", store_url)
    assert "there is no store" in _run("--port", "0", "--store", f"{store_url}.not")


def test_templates_are_compiled_before_the_first_page_needs_them() -> None:
    from karat.web import page

    page.warm()
    names = page._templates().list_templates(["html"])
    compiled = page._templates().cache
    assert len(names) > 10
    assert compiled is not None and len(compiled) == len(names)
