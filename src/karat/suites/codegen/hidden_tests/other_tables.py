"""A task with other tables in place of some of its own, under the same names and the same file names."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType

import msgspec

from karat.sandbox import Outcome, Sandbox
from karat.suites.codegen.plots.plot_runs import expects_plot
from karat.suites.codegen.records import Attempt, TableSource, Task
from karat.suites.codegen.running.execution import run_code


class OtherTables:
    """Use it with ``with``: files that stand in for the task's own are gone afterwards.

    Code may open a table by the name of its file, so a file is offered under the name of the one that it replaces.
    """

    def __init__(self, task: Task, tables: Mapping[str, TableSource]) -> None:
        self._folder = TemporaryDirectory(prefix="karat-tests-")
        found = dict(task.tables)
        for place, (name, source) in enumerate(tables.items()):
            before = task.tables[name]
            found[name] = source
            if source.path and before.path and Path(source.path).suffix == Path(before.path).suffix:
                file = Path(self._folder.name, str(place), Path(before.path).name)
                file.parent.mkdir()
                shutil.copyfile(source.path, file)
                shutil.copystat(source.path, file)
                found[name] = TableSource(path=str(file))
        drawn = task.expected if expects_plot(task) else None  # what code draws is read on these tables too
        self.task = msgspec.structs.replace(task, tables=found, expected=drawn)

    def __enter__(self) -> OtherTables:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def run(self, box: Sandbox, code: str) -> tuple[Attempt, Outcome]:
        return run_code(box, self.task, code)
