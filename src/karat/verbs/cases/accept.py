"""``karat cases accept``: a draft becomes a case. Only its status changes in the file."""

from __future__ import annotations

import json
import re
from pathlib import Path

from karat.core.case_files.case_text import case_text, path_of_case
from karat.core.case_files.drafts import ACCEPTED, DRAFT, is_draft
from karat.core.files.limits import FILE_MB
from karat.core.files.reading import read_bytes
from karat.core.problems import UserError
from karat.core.records import AnyCase
from karat.core.yaml.edit import roots_of, with_values
from karat.verbs.cases.listing import FoundCase
from karat.verbs.cases.try_change import write_tried

_STATUS = re.compile(r'("status"\s*:\s*)"draft"')


def accept_case(found: FoundCase) -> AnyCase:
    """Mark a draft as accepted in its file; returns the case as it is then."""
    case = found.case
    if not is_draft(case):
        raise UserError(f'the case "{case.id}" is not a draft', hint="karat cases list --drafts shows the drafts.")
    contents = _contents(found, Path(case.source.file))
    tried = write_tried(found.work, contents, f'accepting "{case.id}"')
    after = next((one for one in tried.loaded.cases if one.id == case.id), None)
    if after is None or is_draft(after):
        raise UserError(f'the status of "{case.id}" could not be changed', hint=f"Change it in {case.source.file}.")
    return after


def _contents(found: FoundCase, file: Path) -> dict[Path, bytes]:
    case = found.case
    own = found.work.suite.status_file
    if own is not None:
        file, line = own(case)
        return {file: _in_line(read_bytes(file, FILE_MB), line, file)}
    data = read_bytes(file, FILE_MB)
    piece = case_text(data, case.source)
    if piece.form == "line":
        return {file: _in_line(data, case.source.line, file)}
    if piece.form == "file":
        hint = f'Change the status of "{case.id}" in line {case.source.line} by hand, or remove it.'
        raise UserError(f"the status cannot be changed in a file of this form: {file}", hint=hint)
    path = path_of_case(roots_of(data), case.source)
    return {file: with_values(data, [(case.source.document, (*(path or ()), "status"), ACCEPTED)])}


def _in_line(data: bytes, number: int, file: Path) -> bytes:
    """The file with the status of one line of JSON changed, and nothing else."""
    lines = data.split(b"\n")
    old = lines[number - 1].decode()
    wanted = json.loads(old) | {"status": ACCEPTED}
    for match in _STATUS.finditer(old):
        new = f'{old[: match.start()]}{match[1]}"{ACCEPTED}"{old[match.end() :]}'
        if json.loads(new) == wanted:
            lines[number - 1] = new.encode()
            return b"\n".join(lines)
    raise UserError(f'line {number} of {file} has no "status": "{DRAFT}" that can be changed')
