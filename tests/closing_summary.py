"""One summary for tests that ran in several parts: how many passed, failed and were skipped, and once why.

    python -m pytest -p tests.closing_summary --summary-to FILE tests/core
    python -m tests.closing_summary FILE...

The last line is ``N passed, N failed, N skipped``, for people and for tools. An error in a fixture counts as a failure.
The exit code is 1 if a test failed, or if a part did not run to its end.

Above it are the files that took most CPU time, with that of the child processes that ended in them: `make test` has 20
minutes on two processors, and these are the first places to look when it takes longer.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

FINISHED = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
MOST_SHOWN, LEAST_SHOWN = 20, 5.0
"""How many of the files that took most CPU time are named, and from how many seconds on."""
SPENT = pytest.StashKey[dict[str, float]]()


class Part(msgspec.Struct):
    """What one call of pytest counted."""

    exit_code: int
    passed: int
    failed: list[str]
    """The ids of tests that failed, or whose fixture did."""
    expected_failures: int
    skipped: dict[str, int]
    """Reason → how many."""
    spent: dict[str, float] = {}
    """File → seconds of CPU time."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that switches this on."""
    parser.addoption("--summary-to", metavar="FILE", help="write how many tests passed, failed and were skipped")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Add what a test and its fixtures took to its file. A child that outlives the test counts where it ends."""
    spent = item.config.stash.setdefault(SPENT, {})
    before = _cpu()
    result = yield
    file = item.nodeid.partition("::")[0]
    spent[file] = spent.get(file, 0.0) + _cpu() - before
    return result


def _cpu() -> float:
    """Seconds of CPU time of this process and of its children that have ended."""
    return sum(os.times()[:4])


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Also after failed tests, and after an interruption."""
    file, reporter = (
        session.config.getoption("--summary-to"),
        session.config.pluginmanager.get_plugin("terminalreporter"),
    )
    if not file or reporter is None:
        return
    found = {name: reporter.stats.get(name, []) for name in ("passed", "failed", "error", "skipped", "xfailed")}
    part = Part(
        int(exitstatus),
        len(found["passed"]),
        list(dict.fromkeys(report.nodeid for report in (*found["failed"], *found["error"]))),
        len(found["xfailed"]),
        Counter(reason_of(report) for report in found["skipped"]),
        session.config.stash.get(SPENT, {}),
    )
    Path(session.config.invocation_params.dir, file).write_bytes(msgspec.json.encode(part))


def reason_of(report: pytest.TestReport | pytest.CollectReport) -> str:
    """Why a test was skipped, in one line."""
    told = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return " ".join(told.removeprefix("Skipped: ").split())


def lines(parts: Sequence[Part]) -> list[str]:
    """The files that took most, the failed tests, why tests were skipped, the largest group first, and the sums."""
    spent = Counter({file: seconds for part in parts for file, seconds in part.spent.items()})
    long = [(file, seconds) for file, seconds in spent.most_common(MOST_SHOWN) if seconds >= LEAST_SHOWN]
    failed = [name for part in parts for name in part.failed]
    reasons = sum((Counter(part.skipped) for part in parts), Counter[str]())
    expected = sum(part.expected_failures for part in parts)
    told = [f"{seconds:6.0f} s CPU  {file}" for file, seconds in long]
    told += [f"{spent.total():6.0f} s CPU  in all files together"] if long else []
    told += [f"failed: {name}" for name in failed]
    told += [f"{count} skipped: {reason}" for reason, count in reasons.most_common()]
    told += [f"{expected} failed as expected"] if expected else []
    passed = sum(part.passed for part in parts)
    return [*told, f"{passed} passed, {len(failed)} failed, {reasons.total()} skipped"]


def main(*files: str) -> int:
    """Print the summary of all parts. 1 unless all of them ran and no test failed."""
    parts, broken = [], []
    for file in files:
        if not Path(file).is_file():
            broken.append(f"{file}: not written. Did the tests of this part start?")
            continue
        parts.append(msgspec.json.decode(Path(file).read_bytes(), type=Part))
        if parts[-1].exit_code not in FINISHED:
            broken.append(f"{file}: the tests of this part ended early, with exit code {parts[-1].exit_code}")
    print("\n".join([*broken, *lines(parts)]))
    return int(bool(broken) or any(part.failed or part.exit_code for part in parts))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
