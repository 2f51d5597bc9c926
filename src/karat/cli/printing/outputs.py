"""What a command writes: to files, or (``-``) to the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from karat.core.results.result import RunResult
    from karat.core.suite import Suite

PRINTED = "-"
"""The name of an output that is printed."""


def write_data(data: bytes, out: str) -> None:
    """To a file, replaced in one step, or to the terminal as it is."""
    if out == PRINTED:
        from karat.cli.printing.terminal import write_out

        write_out(data)
    else:
        from karat.core.files.atomic import write_bytes

        write_bytes(Path(out), data)


def write_text(text: str, out: str) -> None:
    """A text, with signs in place of what cannot be written."""
    write_data(text.encode("utf-8", "replace"), out)


def write_json_value(value: object, out: str) -> None:
    """Any plain value as indented JSON."""
    import msgspec

    write_data(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n", out)


def one_printed(*outputs: str | None) -> None:
    """Two documents on one output would be neither."""
    from karat.core.problems import UserError

    if sum(out == "-" for out in outputs) > 1:
        raise UserError("only one of the outputs can be printed", hint="Give the others a file name.")


@dataclass(frozen=True)
class Outputs:
    """The reports that were asked for."""

    json: str | None = None
    xlsx: Path | None = None
    html: Path | None = None

    def write(self, result: RunResult) -> list[str]:
        """Write or print them; returns the names of the files."""
        from karat.verbs.report import write_reports

        printed = self.json == PRINTED
        written = write_reports(result, json=None if printed else self.json, xlsx=self.xlsx, html=self.html)
        if printed:
            from karat.reports.json import json_parts

            for part in json_parts(result):
                write_data(part, PRINTED)
            write_data(b"\n", PRINTED)
        return written

    def for_each(self, suites: Sequence[Suite]) -> list[Outputs]:
        """The files of each of several suites: with its name in theirs, and a number when it is there again."""
        if len(suites) == 1:
            return [self]
        labels: list[str] = []
        for suite in suites:
            again = sum(label.partition("-")[0] == suite.name for label in labels)
            labels.append(f"{suite.name}-{again + 1}" if again else suite.name)
        return [self._of(label) for label in labels]

    def _of(self, label: str) -> Outputs:
        json = self.json if self.json in (None, "-") else str(_with_name(Path(self.json), label))
        xlsx, html = (_with_name(path, label) if path else None for path in (self.xlsx, self.html))
        return Outputs(json, xlsx, html)


def _with_name(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}.{name}{path.suffix}")
