"""The environment that DS-1000 was made for, built once on a machine and kept in the cache of its user."""

from __future__ import annotations

from pathlib import Path

import pytest

from karat.core.problems import UserError
from karat.environments import Environment
from karat.environments.build import build


@pytest.fixture(scope="session")
def pandas15(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Skips, with a word, where the registry cannot be reached."""
    folder = Path.home() / ".cache" / "karat" / "tests"
    asked = Environment(python="3.11", packages=("pandas==1.5.3", "numpy==1.26.4", "pyyaml"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        environment = asked.placed(folder)
        build("pandas15", environment)
    except (UserError, OSError) as error:
        pytest.skip(f"pandas 1.5.3 cannot be installed here: {error}")
    return environment
