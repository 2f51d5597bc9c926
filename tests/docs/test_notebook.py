"""The example notebook runs from top to bottom in a real kernel, and shows tables and progress."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).resolve().parents[2] / "examples" / "notebook" / "karat.ipynb"


def test_the_example_notebook_runs_and_shows_tables(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, 4)
    nbformat.validate(notebook)
    assert all(not cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    NotebookClient(
        notebook, timeout=280, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    shown = {
        cell.source: [output["data"].get("text/html", "") for output in cell.outputs if "data" in output]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }
    by_word = {
        word: next(html for source, html in shown.items() if word in source)
        for word in ("karat.score(", "karat.run(", "karat.compare(", "karat.gate(", "karat.tune(")
    }
    assert "<svg" in by_word["karat.score("][0]
    assert re.search(r'<progress value="3" max="3"></progress> 3 of 3 calls', by_word["karat.run("][0])
    assert "newly right: 1 case" in by_word["karat.compare("][0] and "<table>" in by_word["karat.compare("][0]
    assert "1 of 3 gates failed" in by_word["karat.gate("][0]
    assert "<td>Food[name]</td>" in by_word["karat.tune("][0]
