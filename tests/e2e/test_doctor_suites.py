"""``karat doctor`` and ``karat models`` promise nothing that is not installed."""

from __future__ import annotations

import pytest

from karat.core.installed import extras
from karat.search.models import known_models
from karat.verbs.setup import doctor


def test_suite_without_its_extra_is_not_ticked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extras, "missing", lambda name: ["pandas"] if name == "codegen" else [])
    found = {one.what: (one.state, one.note) for one in doctor.findings()}
    state, note = found["suite codegen"]
    assert state == "absent" and "[codegen]" in note
    assert found["suite data_query"][0] == "ok"


def test_no_model_says_that_it_comes_with_karat() -> None:
    assert [model.name for model in known_models() if "comes with" in model.summary] == []
