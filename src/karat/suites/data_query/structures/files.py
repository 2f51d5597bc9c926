"""Structure files into plain data: SDMX-ML, SDMX-JSON and Fusion-JSON structures, and CSV lists of codes, plain or in a
gzip or zip archive.

The kind of a file is taken from its content, not its name. A file comes from anywhere, so it is bounded and checked
before a parser sees it. One that cannot be used never costs the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from karat.core.files.kinds import HTML, MARKS, UTF_16, foreign_kind
from karat.core.files.near_paths import near_path
from karat.core.files.reading import FileRefused, why_not_there
from karat.core.problems import Problem, UserError
from karat.suites.data_query.structures.archives import SUFFIXES, unpacked
from karat.suites.data_query.structures.csv import read_csv
from karat.suites.data_query.structures.json import read_json
from karat.suites.data_query.structures.records import Contents, DataMessage, Unusable, empty, utf8
from karat.suites.data_query.structures.xml import read_xml, xml_text

Status = Literal["read", "skipped", "unusable"]


class ReadFile(msgspec.Struct, frozen=True):
    """A file, or a file in an archive: what is in it, or why it was not used."""

    file: str
    status: Status
    contents: Contents
    problems: tuple[Problem, ...] = ()
    named: bool = True
    """It was given by its name, not found in a folder or an archive."""


def survey(paths: Iterable[Path]) -> list[ReadFile]:
    """Every file, whatever is wrong with it. A folder stands for the files in it."""
    found: list[ReadFile] = []
    for file, named in _files(paths):
        if isinstance(file, Problem):
            found.append(ReadFile(file.file, "unusable", empty(), (file,)))
        else:
            found.extend(_read_file(file, named=named))
    return found


def read_files(paths: Iterable[Path]) -> Contents:
    """Everything in these files; a folder stands for the files in it. Raises UserError, after all were tried, for a
    file that was named and cannot be used, and where none of them can."""
    files = survey(paths)
    refuse_unusable(files)
    return joined(files)


def refuse_unusable(files: Sequence[ReadFile]) -> None:
    """UserError where a file that was named cannot be used, or none at all can."""
    wrong = [one for one in files if one.named and one.status != "read"]
    if not wrong and files and not any(one.status == "read" for one in files):
        wrong = list(files)
    if wrong:
        problems = [msgspec.structs.replace(p, severity="error") for one in wrong for p in one.problems]
        one = f"the structure file {wrong[0].file} cannot be used"
        raise UserError(one if len(wrong) == 1 else f"{len(wrong):,} structure files cannot be used", problems=problems)


def joined(files: Iterable[ReadFile]) -> Contents:
    """The contents of all files as one."""
    whole = empty()
    for one in files:
        held = one.contents
        whole.codelists.extend(held.codelists)
        whole.structures.extend(held.structures)
        whole.dataflows.extend(held.dataflows)
        whole.constraints.extend(held.constraints)
        whole.schemes.extend(held.schemes)
        for concept, codelist in held.concepts.items():
            whole.concepts.setdefault(concept, codelist)
        for ref, parents in held.parents.items():
            above = whole.parents.setdefault(ref, {})
            for code, given in parents.items():
                above[code] = tuple(dict.fromkeys((*above.get(code, ()), *given)))
        whole.problems.extend(one.problems)
    return whole


def _files(paths: Iterable[Path]) -> Iterator[tuple[Path | Problem, bool]]:
    """(file, whether it was named), or why there is none."""
    seen: set[Path] = set()
    for path in paths:
        found = [path]
        if folder := path.is_dir():
            inside = sorted(p for p in path.rglob("*") if p.suffix.lower() in SUFFIXES and p.is_file())
            found = [p for p in inside if not any(part.startswith(".") for part in p.relative_to(path).parts)]
            if not found:
                message, hint = "there are no structure files in this folder", f"They end in {', '.join(SUFFIXES)}."
                yield Problem(message, file=str(path), hint=hint), True
        elif not path.is_file():
            message = f"there is no structure file {path.name}: {why_not_there(path, 'no such file')}"
            hint = near_path(path, "Give an SDMX structure file, a CSV, or a folder of them.")
            yield Problem(message, file=str(path), hint=hint), True
            continue
        for file in found:
            if file not in seen:
                seen.add(file)
                yield file, not folder


def _read_file(file: Path, *, named: bool) -> Iterator[ReadFile]:
    read = 0
    bad: list[ReadFile] = []
    try:
        for name, data in unpacked(file):
            one = _read_entry(name, data, named=named and name == str(file))
            read += one.status == "read"
            if one.named or one.status == "read":
                yield one
            else:
                bad.append(one)
    except (Unusable, FileRefused, OSError) as error:
        yield ReadFile(str(file), "unusable", empty(), (_problem(str(file), error, named=named),), named)
        yield from bad
        return
    if named and not read and bad:  # an archive was named, and nothing in it can be used
        bad = [msgspec.structs.replace(one, named=True) for one in bad]
    yield from bad


def _read_entry(name: str, data: bytes | Unusable, *, named: bool) -> ReadFile:
    contents = empty()
    try:
        if isinstance(data, Unusable):
            raise data
        read_data(name, data, contents)
    except DataMessage as error:
        return ReadFile(name, "skipped", empty(), (_problem(name, error, named=named),), named)
    except (Unusable, FileRefused) as error:
        return ReadFile(name, "unusable", empty(), (_problem(name, error, named=named),), named)
    return ReadFile(name, "read", contents, (), named)


def _problem(file: str, error: Unusable | OSError, *, named: bool) -> Problem:
    severity: Literal["error", "warning"] = "error" if named else "warning"
    if isinstance(error, Unusable):
        note = ", so it is skipped" if isinstance(error, DataMessage) and not named else ""
        return Problem(f"{error.reason}{note}", file=file, line=error.line, hint=error.hint, severity=severity)
    if isinstance(error, FileRefused):
        return msgspec.structs.replace(error.problem, file=file, severity=severity)
    return Problem(f"cannot be read: {error.strerror or error}", file=file, severity=severity)


def read_data(name: str, data: bytes, contents: Contents) -> None:
    """The content of one file."""
    kind = foreign_kind(data)
    wide = kind is UTF_16
    if wide:
        data = _utf_16(data)
        kind = foreign_kind(data)
    if kind is HTML:
        raise Unusable(
            "it is a web page, not a structure file (is this a login page?)",
            line=1,
            hint="Open it in a browser to see what it is, then download the structures themselves.",
        )
    if kind is not None:
        raise Unusable(f"it is {kind.noun}", hint=kind.hint)
    start = data.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if not start:
        raise Unusable("the file is empty")
    if start == b"<":
        read_xml(utf8(data).lstrip() if wide else xml_text(data), contents)
    elif start in (b"{", b"["):
        read_json(data.removeprefix(b"\xef\xbb\xbf"), contents)
    else:
        read_csv(utf8(data), _stem(name), contents)


def _stem(name: str) -> str:
    """``codes.zip!lists/CL_AREA.csv`` → CL_AREA."""
    return Path(name.rpartition("!")[2].removesuffix(".gz")).stem


def _utf_16(data: bytes) -> bytes:
    """UTF-16 as UTF-8. Without a byte order mark the zeros of plain letters tell the order."""
    order = "utf-16" if data.startswith(MARKS) else "utf-16-be" if not data[0] else "utf-16-le"
    try:
        text = data.decode(order)
    except UnicodeDecodeError as error:
        raise Unusable("the file is not valid UTF-16 text", hint="Save the file as UTF-8.") from error
    return text.encode("utf-8", "replace")
