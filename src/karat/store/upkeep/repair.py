"""Saving what can be saved of a damaged store, into a new file. The damaged one is never written to.

The work is done on a copy: opening a SQLite file with an unfinished log changes it.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any  # Any: rows that are saved before anything is known of them

import msgspec
from sqlalchemy import Connection, Table, func, insert, select
from sqlalchemy.exc import IntegrityError

from karat.core.files.atomic import write_atomically
from karat.core.files.private import FILE_MODE
from karat.core.problems import UserError
from karat.store import schema
from karat.store.blocks.block import Block, DamagedBlock
from karat.store.blocks.tables import Stored
from karat.store.codec import RAW, from_text
from karat.store.database.address import SqliteAddress, parse_address
from karat.store.database.damage import row_fault
from karat.store.database.failures import damage_explained
from karat.store.leases.lease_parts import refuse_any_live
from karat.store.opening import open_store
from karat.store.predictions.answer_blocks import KEYS, case_ids_of
from karat.store.predictions.answer_blocks import LOST as ANSWER_LOST
from karat.store.upkeep.check import file_faults, key_of, reading_engine, require_head
from karat.store.upkeep.contents import contents_of
from karat.store.upkeep.findings import Checked, Finding, Findings, TableCount, Watch
from karat.store.upkeep.reading import CHUNK, Unread, missing_in, read_rows
from karat.store.upkeep.rules import RULES
from karat.store.upkeep.sequences import read_sequences, write_sequences
from karat.store.upkeep.table_list import restore_table_list

LOST = '{"lost": "this part of the store was damaged"}'
"""In place of settings of a run that cannot be read. No suite and no system takes them, so nothing runs with others."""
_KEPT = {
    "runs": "kept without it: karat export RUN --predictions FILE writes its answers",
    "run_blocks": "kept with the number that it holds",
    "predictions": "kept as a failed call: karat run --resume RUN --retry-errors asks again",
}
_MENDED = {"options": LOST, "config": LOST, "tags": "[]"}


def repair_store(url: str, out: Path | None = None, watch: Watch = lambda _table, _rows: None) -> Checked:
    """Write what can be saved to ``out``, or else in place of the store, whose file is kept under another name.

    Where nothing is wrong, nothing is written.
    """
    address = parse_address(url)
    if not isinstance(address, SqliteAddress):
        hint = "karat store check lists what is wrong. Restore the database from a backup of the server."
        raise UserError("only the file of a SQLite store can be repaired", hint=hint)
    if out is not None and out.exists():
        raise UserError(f"{out} exists already", hint="Name a file that does not exist: nothing is overwritten.")
    with tempfile.TemporaryDirectory(prefix="karat-repair-", dir=address.path.absolute().parent) as folder:
        copy = SqliteAddress(_copied(address.path, Path(folder)))
        findings = Findings()
        saved: dict[str, TableCount] = {}
        fixed = Path(folder) / "repaired.db"
        open_store(str(fixed)).close()
        for name in restore_table_list(copy.path, fixed):
            findings.add(Finding(name, "its entry in the list of tables was damaged", lost="written again"))
        with reading_engine(copy) as engine, damage_explained(address), engine.connect() as connection:
            require_head(connection, address)
            _refuse_live_runs(connection)
            for fault in file_faults(connection):
                findings.add(Finding("", fault))
            with open_store(str(fixed)) as store, store._writing() as target:
                for table in schema.copied_tables():
                    saved[str(table.name)] = _save(connection, target, table, findings, watch)
                _keep_rules(target, findings)
                for table in schema.copied_tables():
                    saved[str(table.name)].rows = target.execute(select(func.count()).select_from(table)).scalar_one()
                write_sequences(target, read_sequences(connection))
                contents = contents_of(target)
        if not findings.count:
            return Checked(address.shown, saved, contents)
        if out is None:
            kept = str(_exchange(address.path, fixed))
        else:
            kept = ""
            write_atomically(out, lambda part: _fill(part, fixed))
            out.chmod(FILE_MODE)
    listed = tuple(findings.listed)
    return Checked(address.shown, saved, contents, listed, findings.count, str(out or address.path), kept)


def _copied(path: Path, folder: Path) -> Path:
    try:
        for end in ("", "-wal"):
            file = path.with_name(path.name + end)
            if not end or file.exists():
                shutil.copyfile(file, folder / f"damaged.db{end}")
    except FileNotFoundError:
        raise UserError(f"there is no store at {path}") from None
    except OSError as error:
        raise UserError(f"cannot copy {path}: {error.strerror or error}") from error
    return folder / "damaged.db"


def _exchange(path: Path, fixed: Path) -> Path:
    """Put the new file in place of the damaged one, which gets another name, with its log."""
    day = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    kept = path.with_name(f"{path.name}.damaged-{day}")
    moved: list[tuple[Path, Path]] = []
    try:
        for end in ("-wal", "-shm", ""):  # a log that stays behind would be read as that of the new file
            file, aside = path.with_name(path.name + end), kept.with_name(kept.name + end)
            if file.exists():
                file.rename(aside)
                moved.append((aside, file))
        fixed.replace(path)
    except OSError as error:
        for aside, file in reversed(moved):
            aside.rename(file)
        raise UserError(f"cannot replace {path}: {error.strerror or error}") from error
    return kept


def _fill(part: Path, fixed: Path) -> None:
    shutil.copyfile(fixed, part)


def _refuse_live_runs(connection: Connection) -> None:
    if missing_in(connection, schema.leases):
        return
    for row in read_rows(connection, schema.leases):
        if not isinstance(row, Unread) and isinstance(row["run_id"], int):
            refuse_any_live(connection, row["run_id"], "is being run, so the store cannot be repaired now")


def _save(source: Connection, target: Connection, table: Table, findings: Findings, watch: Watch) -> TableCount:
    """Copy every sound row of a table."""
    found = TableCount()
    if fault := missing_in(source, table):
        findings.add(Finding(str(table.name), fault, lost="all of it is lost"))
        return found
    waiting: list[dict[str, Any]] = []
    for row in read_rows(source, table):
        if isinstance(row, Unread):
            found.bad += row.last - row.first + 1
            findings.add(Finding(str(table.name), "cannot be read", row.where, "lost"))
            continue
        if fault := row_fault(table, row):
            fixed = _mended(table, row)
            lost = "lost" if fixed is None else _KEPT[str(table.name)]
            findings.add(Finding(str(table.name), fault, key_of(table, row), lost))
            found.bad += 1
            if fixed is None:
                continue
            row = fixed
        waiting.append(row)
        if len(waiting) == CHUNK:
            _insert(target, table, waiting, found, findings)
            watch(table.name, found.rows)
            waiting = []
    _insert(target, table, waiting, found, findings)
    watch(table.name, found.rows)
    return found


def _mended(table: Table, row: dict[str, Any]) -> dict[str, Any] | None:
    """A run whose settings alone cannot be read is kept without them, for the sake of its answers. An answer that
    cannot be read becomes a failed call, so that no earlier attempt passes for it."""
    fixed = dict(row)
    if table is schema.predictions:
        fixed |= dict(zip(("error_kind", "error_message", "error_tries"), ANSWER_LOST, strict=True))
        fixed |= {"codec": RAW, "response": b"", "latency": None, "tokens": None, "cost": None}
        return fixed if not row_fault(table, fixed) else None
    if table is schema.run_blocks and row["kind"] == KEYS and isinstance(row["data"], bytes):
        with suppress(DamagedBlock, msgspec.DecodeError, TypeError):
            fixed["rows"] = len(case_ids_of(Stored(0, Block(1, row["checksum"], row["data"]))))
            return fixed if not row_fault(table, fixed) else None
    if table is not schema.runs:
        return None
    for name, value in _MENDED.items():
        if not row_fault(table, fixed):
            break
        if row_fault(table, {**fixed, name: value}) != row_fault(table, fixed):
            fixed[name] = value
    return fixed if not row_fault(table, fixed) else None


def _insert(
    target: Connection, table: Table, rows: list[dict[str, Any]], found: TableCount, findings: Findings
) -> None:
    if not rows:
        return
    target.exec_driver_sql("PRAGMA defer_foreign_keys=ON")  # rows without their run are found later, by the rules
    given = [_read(table, row) for row in rows]
    try:
        with target.begin_nested():
            target.execute(insert(table), given)
        found.rows += len(rows)
    except IntegrityError:
        for row in given:
            try:
                with target.begin_nested():
                    target.execute(insert(table), row)
                found.rows += 1
            except IntegrityError:
                found.bad += 1
                findings.add(Finding(str(table.name), "is there twice", key_of(table, row), "the first is kept"))


def _read(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    """The values as the columns give them: texts were read as they are stored."""
    return {
        column.name: from_text(value)
        if isinstance(column.type, schema.AnyText) and isinstance(value := row[column.name], str)
        else row[column.name]
        for column in table.columns
    }


def _keep_rules(target: Connection, findings: Findings) -> None:
    """Leave out what does not belong to anything any more, or is not complete."""
    for rule in RULES:
        for broken in list(rule.find(target)):
            findings.add(Finding(rule.table, broken.what, broken.where, rule.lost))
            rule.remedy(target, broken)
