"""Structure files into plain data: SDMX-ML, SDMX-JSON and Fusion-JSON structures, and CSV lists of codes.

The kind of a file is taken from its content, not its name. A file comes from anywhere, so it is bounded and checked
before a parser sees it: its size, its text, and for XML that it has no DOCTYPE.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from karat.core.files.reading import FileRefused, read_bytes, why_not_there
from karat.core.problems import Problem, UserError, count_of
from karat.suites.data_query.structures.csv import read_csv
from karat.suites.data_query.structures.json import read_json
from karat.suites.data_query.structures.records import Contents, Unusable, utf8
from karat.suites.data_query.structures.xml import read_xml, xml_text

SUFFIXES = (".xml", ".json", ".csv")


def read_files(paths: Iterable[Path]) -> Contents:
    """Everything in these files; a folder stands for the files in it. All files that cannot be used are reported at
    once."""
    contents = Contents([], [], [], {})
    problems: list[Problem] = []
    for file in _files(paths):
        try:
            _read_file(file, contents)
        except Unusable as error:
            problems.append(Problem(error.reason, file=str(file), line=error.line, hint=error.hint))
        except FileRefused as error:
            problems.append(error.problem)
        except OSError as error:
            problems.append(Problem(f"cannot be read: {error.strerror or error}", file=str(file)))
    if problems:
        raise UserError(f"{count_of(len(problems), 'structure file')} cannot be used", problems=problems)
    return contents


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    seen: set[Path] = set()
    for path in paths:
        found = [path]
        if path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
            found = [p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts)]
            if not found:
                raise UserError(f"there are no structure files in {path}", hint=f"They end in {', '.join(SUFFIXES)}.")
        elif not path.is_file():
            raise UserError(
                f"there is no structure file {path}: {why_not_there(path, 'no such file')}",
                hint="Give an SDMX structure file, a CSV, or a folder of them.",
            )
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file


def _read_file(file: Path, contents: Contents) -> None:
    data = read_bytes(file)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:1024]:
        raise Unusable("the file is not UTF-8 text", hint="Save the file as UTF-8.")
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not start:
        raise Unusable("the file is empty")
    if start == b"<":
        read_xml(xml_text(data), contents)
    elif start in (b"{", b"["):
        read_json(data.removeprefix(b"\xef\xbb\xbf"), contents)
    else:
        read_csv(utf8(data), file.stem, contents)
