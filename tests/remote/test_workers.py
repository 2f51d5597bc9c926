"""A worker on another machine fetches what a case needs from its URL, into its own cache."""

from __future__ import annotations

import shutil
import socket
from pathlib import Path

import pytest

from karat.core.plugins import load_suite
from karat.core.problems import UserError
from karat.core.remote import failures
from karat.core.remote.paths import local_path
from karat.runs.executors.files import NeededFile, needed_files, with_files_here
from karat.runs.scores.scoring import group, score_batch
from tests.conftest import ROOT
from tests.remote.conftest import Bucket

EXAMPLE = ROOT / "examples" / "answers"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "PAUSES", (0.01, 0.01, 0.01, 0.01))


def test_gold_and_submission_are_fetched_by_the_worker(
    bucket: Bucket, here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = load_suite("answers")
    gold = local_path(bucket.put_folder(EXAMPLE / "gold", "gold"))
    submission = local_path(bucket.put_folder(EXAMPLE / "submission", "submission"))
    cases, given = suite.load_cases(gold).cases, suite.read_predictions(submission).predictions
    found, _ = group(cases, given, 1)
    batch, options = [(case, found.get(case.id, {})) for case in cases], suite.options()
    files = needed_files(suite, batch, options)
    assert files and all(file.url.startswith("s3://data/") for file in files)
    _, expected = score_batch("answers", batch, options, 1, files)

    shutil.rmtree(here / ".karat")  # another machine has none of it
    (tmp_path / "worker").mkdir()
    monkeypatch.chdir(tmp_path / "worker")
    _, results = score_batch("answers", batch, options, 1, files)
    assert [(one.id, one.status, one.scores) for one in results] == [
        (one.id, one.status, one.scores) for one in expected
    ]
    assert any(one.status == "scored" for one in results)
    assert (tmp_path / "worker" / ".karat" / "cache" / "remote").is_dir()


def test_a_remote_file_that_has_changed_or_cannot_be_fetched_is_an_error(bucket: Bucket, here: Path) -> None:
    suite, host = load_suite("answers"), socket.gethostname()
    url = bucket.put("gold/x.csv", "a\n1\n")
    for file, said in (
        (NeededFile("/gone/x.csv", 4, "0" * 64, url), f"{url} has changed since the run read it"),
        (NeededFile("/gone/y.csv", 4, "", "s3://data/gold/y.csv"), f"on the worker {host}: "),
        (NeededFile("/gone/z.csv", 4, "", "https://•••@host/z.csv"), "the secret in its URL is not sent to workers"),
    ):
        with pytest.raises(UserError) as caught:
            with_files_here(suite, [], suite.options(), [file])
        assert said in caught.value.message
        assert host in caught.value.message
