"""Submissions made from gold: what people's answers look like when they are nearly right. Every change works on the
texts of the cells."""

from __future__ import annotations

import csv
import random
from collections.abc import Callable
from pathlib import Path

Rows = list[list[str]]


def read_rows(path: Path) -> Rows:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def write_rows(path: Path, rows: Rows) -> str:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return str(path)


def _cells(change: Callable[[str], str]) -> Callable[[Rows, random.Random], Rows]:
    return lambda rows, _: [rows[0], *([change(cell) for cell in row] for row in rows[1:])]


def _number(change: Callable[[float], object]) -> Callable[[Rows, random.Random], Rows]:
    def changed(cell: str) -> str:
        try:
            return str(change(float(cell)))
        except (ValueError, OverflowError):
            return cell

    return _cells(changed)


def _fraction(cell: str, change: Callable[[float], float]) -> str:
    try:
        return str(change(float(cell))) if "." in cell else cell
    except ValueError:
        return cell


def _noise(size: float) -> Callable[[Rows, random.Random], Rows]:
    def noisy(rows: Rows, chance: random.Random) -> Rows:
        return [
            rows[0],
            *([_fraction(cell, lambda x: x + chance.uniform(-size, size)) for cell in row] for row in rows[1:]),
        ]

    return noisy


def _shuffled(rows: Rows, chance: random.Random) -> Rows:
    return [rows[0], *chance.sample(rows[1:], len(rows) - 1)]


def _scrambled(rows: Rows, chance: random.Random) -> Rows:
    columns = [chance.sample(column, len(column)) for column in map(list, zip(*rows[1:], strict=False))]
    return [rows[0], *map(list, zip(*columns, strict=True))]


def _separated(cell: str) -> str:
    return f"{int(cell):,}" if cell.isascii() and cell.isdigit() else cell


def _dated(cell: str) -> str:
    return f"{cell} 00:00:00" if len(cell) == 10 and cell[4:5] == cell[7:8] == "-" else cell


PERTURBATIONS: dict[str, Callable[[Rows, random.Random], Rows]] = {
    "as it is": lambda rows, _: rows,
    "rows shuffled": _shuffled,
    "columns shuffled apart": _scrambled,
    "columns added": lambda rows, _: [["more", *row, f"{at}.5"] for at, row in enumerate(rows)],
    "columns reversed": lambda rows, _: [row[::-1] for row in rows],
    "last column gone": lambda rows, _: [row[:-1] or row for row in rows],
    "noise 0.001": _noise(0.001),
    "noise 0.02": _noise(0.02),
    "noise and shuffled": lambda rows, chance: _shuffled(_noise(0.001)(rows, chance), chance),
    "rounded": _number(lambda number: round(number, 2)),
    "whole": _number(round),
    "as floats": _number(float),
    "exponents": _number(lambda number: f"{number:.12e}"),
    "×100": _number(lambda number: number * 100),
    "upper case": _cells(str.upper),
    "spaces": _cells(lambda cell: f"{cell} "),
    "thousands": _cells(_separated),
    "dates with time": _cells(_dated),
    "nulls to zero": _cells(lambda cell: cell or "0"),
    "nulls as words": _cells(lambda cell: cell or "NULL"),
    "one null": lambda rows, _: [*rows[:-1], ["" for _ in rows[-1]]],
    "a row dropped": lambda rows, _: rows[:-1] if len(rows) > 1 else rows,
    "a row doubled": lambda rows, _: [*rows, rows[-1]],
    "a row replaced by another": lambda rows, _: [*rows[:-1], rows[1]] if len(rows) > 2 else rows,
}
