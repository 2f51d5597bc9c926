"""``karat models`` as a new user meets it."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np

from karat.search.models.vectors import VectorCache
from karat.search.records import Model
from tests.warm import warm_karat


def karat(folder: Path, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    keys = {"KARAT_EMBEDDINGS_URL", "KARAT_EMBEDDINGS_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_KEY"}
    environment = {name: value for name, value in os.environ.items() if name not in keys}
    done = subprocess.run(
        warm_karat(*words),
        cwd=folder,
        env={**environment, "COLUMNS": "120"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == code, f"{words}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_what_is_ready_and_what_to_install(tmp_path: Path) -> None:
    lines = karat(tmp_path, "models").stdout.splitlines()
    row = {line.split()[1]: line for line in lines if line[:1] in ("✓", "·")}
    assert row["bm25"].startswith("✓")
    assert row["wordllama"].startswith("✓")
    assert " 256 " in row["wordllama"]
    assert "(the default)" in row["wordllama"]
    assert row["openai:MODEL"].startswith("·")
    assert any("export KARAT_EMBEDDINGS_URL=" in line for line in lines)


def test_json(tmp_path: Path) -> None:
    said = json.loads(karat(tmp_path, "models", "--json", "-").stdout)
    models = {model["name"]: model for model in said["models"]}
    assert [name for name, model in models.items() if model["default"]] == ["wordllama"]
    assert models["wordllama"]["dimensions"] == 256
    assert models["bm25"]["dimensions"] is None
    assert all(model["ready"] or model["install"] for model in models.values())
    assert "cache" not in said
    karat(tmp_path, "models", "--json", "models.json")
    assert json.loads((tmp_path / "models.json").read_text()) == said


def test_the_cache(tmp_path: Path) -> None:
    model = Model("mine", "r1", embed=lambda texts, role: np.eye(len(texts), 8, dtype=np.float32))
    VectorCache(tmp_path / ".karat" / "vectors").embed(model, ["a", "b", "c"], "value")
    assert "3 vectors of 8" in karat(tmp_path, "models", "--cache", ".karat/vectors").stdout
    said = json.loads(karat(tmp_path, "models", "--cache", ".karat/vectors", "--json", "-").stdout)
    assert [(kept["model"], kept["vectors"], kept["dimensions"]) for kept in said["cache"]] == [("mine", 3, 8)]
    assert "no folder nowhere" in karat(tmp_path, "models", "--cache", "nowhere", code=2).stderr
