"""What all tests share: where the real data lies, and a word when it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent

# How long an example takes says how busy the machine is. No test may fail by that.
settings.register_profile("karat", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("karat")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real test data beside the project."""
    folder = ROOT.parent / "shared"
    if not (folder / "data").is_dir():
        pytest.skip("the real test data (../shared/data) is not beside the project")
    return folder
