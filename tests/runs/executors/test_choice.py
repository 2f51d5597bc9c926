"""Executors as people write them, and what is said of those that are none."""

from __future__ import annotations

import re

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.runs.executors.choice import TIMEOUT, Choice, parse_executor, scoring_executor, settled
from karat.runs.executors.processes import Processes


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("in-process", Choice("in-process")),
        ("processes", Choice("processes")),
        ("processes:4", Choice("processes", 4)),
        ("processes:4?timeout=30", Choice("processes", 4, timeout=30.0)),
        ("dask-local", Choice("dask-local")),
        ("dask-local:16", Choice("dask-local", 16)),
        ("dask://10.0.0.1:8786", Choice("dask", address="tcp://10.0.0.1:8786")),
        ("dask://node-1.cluster.local:8786/", Choice("dask", address="tcp://node-1.cluster.local:8786")),
        ("dask://[fd00::1]:8786", Choice("dask", address="tcp://[fd00::1]:8786")),
        ("tcp://10.0.0.1:8786", Choice("dask", address="tcp://10.0.0.1:8786")),
        ("tls://10.0.0.1:8786?timeout=0.5", Choice("dask", address="tls://10.0.0.1:8786", timeout=0.5)),
    ],
)
def test_what_can_be_written(text: str, choice: Choice) -> None:
    assert parse_executor(text) == choice
    assert parse_executor(f" {text} ") == choice
    assert Choice("processes").timeout == TIMEOUT


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("dsk://host:8786", 'unknown executor "dsk://host:8786"', 'Did you mean "dask://HOST:8786"?'),
        ("process:4", 'unknown executor "process:4"', 'Did you mean "processes:4"?'),
        ("dask_local:4", 'unknown executor "dask_local:4"', 'Did you mean "dask-local:4"?'),
        ("spark", 'unknown executor "spark"', "Available: in-process, processes:4, dask-local:4, dask://HOST:8786"),
        ("processes:", "must name a whole number of processes, 1 to 1,024", "processes:4"),
        ("processes:0", "must name a whole number of processes, 1 to 1,024", "processes:4"),
        ("processes:-1", "must name a whole number of processes, 1 to 1,024", "processes:4"),
        ("processes:²", "must name a whole number of processes, 1 to 1,024", "processes:4"),
        ("dask-local:1000000", "must name a whole number of processes, 1 to 1,024", "dask-local:4"),
        ("dask://host", 'the executor "dask://host" does not name a host and a port', "dask://HOST:8786"),
        ("dask://host:0", "does not name a host and a port", "dask://HOST:8786"),
        ("dask://host:99999", "does not name a host and a port", "dask://HOST:8786"),
        ("dask://:8786", "does not name a host and a port", "dask://HOST:8786"),
        ("tls://u:hunter2@host:8786", 'the executor "tls://…@host:8786" does not name', "tls://HOST:8786"),
        ("processes:4?timout=3", 'unknown setting "timout" of the executor', 'Did you mean "timeout"?'),
        ("tls://u:pw@h:1?token=hunter2", 'setting "token" of the executor "…@h:1"', ""),
        ("processes:4?timeout=soon", 'seconds above 0, not "soon"', ""),
        ("processes:4?timeout=0", 'seconds above 0, not "0"', ""),
        ("processes:4?timeout=nan", 'seconds above 0, not "nan"', ""),
        ("processes:4?timeout=inf", 'seconds above 0, not "inf"', ""),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str, hint: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        parse_executor(text)
    assert hint in caught.value.hint


def test_the_command_line_comes_before_the_project_file() -> None:
    assert settled(None, None, None, "") == (None, None)
    assert settled(None, None, 4, "") == (4, None)
    assert settled(None, None, None, "dask-local:2") == (None, "dask-local:2")
    assert settled(2, None, None, "dask-local:2") == (2, None)
    assert settled(None, "in-process", 4, "") == (None, "in-process")
    with pytest.raises(UserError, match="cannot be combined"):
        settled(2, "in-process", None, "")


def test_without_a_word_only_a_heavy_suite_has_processes() -> None:
    for name, workers, executor, pool in (
        ("data_query", None, None, False),
        ("data_query", 2, None, True),
        ("data_query", None, "processes:2", True),
        ("codegen", None, None, True),
        ("codegen", 1, None, False),
        ("codegen", None, "in-process", False),
    ):
        with scoring_executor(load_suite(name), workers, executor) as found:
            assert isinstance(found, Processes) is pool
            assert (found is None) is not pool
    with pytest.raises(UserError, match="workers must be at least 1"), scoring_executor(load_suite("codegen"), 0):
        pass
