"""A filter of system calls, written as the kernel's own little programs (classic BPF).

Built once in the server; only the number of the child's process is filled in after each fork.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

from .kernel import set_filter
from .syscalls import ALLOWED, BITS_NOT, DONE_NOTHING, HAS_BIT, MACHINES, NOT_THERE, ONE_OF, OWN_PID

ALLOW, KILL, ANSWER = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, AND, EQUAL, BIT, RETURN = 0x20, 0x54, 0x15, 0x45, 0x06
NUMBER_AT, MACHINE_AT, ARGUMENTS_AT = 0, 4, 16

Instruction = tuple[int, int, int, int]


class Program(ctypes.Structure):
    """A filter as the kernel takes it."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def machine() -> str:
    """This machine's name when there is a table for it, else an empty text."""
    here = platform.machine()
    return here if here in MACHINES and struct.calcsize("P") == 8 else ""


def build(machine_name: str, *, may_ask_to_fork: bool = False) -> tuple[bytes, list[int]]:
    """The program, and at which bytes the number of the own process has to be written.

    ``may_ask_to_fork``: for processes behind a gate (``fork_gate``), which decides about every fork. They can send no
    signals, not even to themselves: a filter is inherited, and the number in it is that of another process then.
    """
    column, mark = MACHINES[machine_name]
    code: list[Instruction] = [
        (LOAD, 0, 0, MACHINE_AT),
        (EQUAL, 1, 0, mark),
        (RETURN, 0, 0, KILL),
        (LOAD, 0, 0, NUMBER_AT),
    ]
    for numbers in ALLOWED.values():
        _when(code, numbers[column], [(RETURN, 0, 0, ALLOW)])
    for first, second, argument, known in ONE_OF.values():
        values = tuple(value for value in known if value != OWN_PID or not may_ask_to_fork)
        tests = [(EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
        number = (first, second)[column]
        _when(code, number, [_argument(argument), *tests, _answer(errno.EPERM), (RETURN, 0, 0, ALLOW)])
    for first, second, argument, bit in HAS_BIT.values():
        number = (first, second)[column]
        if may_ask_to_fork:
            _when(code, number, [(RETURN, 0, 0, ALLOW)])
            continue
        _when(code, number, [_argument(argument), (BIT, 0, 1, bit), (RETURN, 0, 0, ALLOW), _answer(errno.EPERM)])
    for here, there, argument, mask, values in BITS_NOT.values():
        tests = [(EQUAL, len(values) - index, 0, value) for index, value in enumerate(values)]
        masked = [_argument(argument), (AND, 0, 0, mask), *tests]
        _when(code, (here, there)[column], [*masked, (RETURN, 0, 0, ALLOW), _answer(errno.EPERM)])
    for numbers in DONE_NOTHING.values():
        _when(code, numbers[column], [_answer(0)])
    for numbers in NOT_THERE.values():
        _when(code, numbers[column], [_answer(errno.ENOSYS)])
    code.append(_answer(errno.EPERM))
    places = [index * 8 + 4 for index, (_, _, _, value) in enumerate(code) if value == OWN_PID]
    return b"".join(struct.pack("<HBBI", op, yes, no, value & 0xFFFFFFFF) for op, yes, no, value in code), places


def _when(code: list[Instruction], number: int | None, then: list[Instruction]) -> None:
    """Those instructions for that call only; nothing when the machine has no such call."""
    if number is not None:
        code.append((EQUAL, 0, len(then), number))
        code.extend(then)


def _argument(index: int) -> Instruction:
    """The lower half of an argument, little-endian: all that the checked calls look at themselves."""
    return LOAD, 0, 0, ARGUMENTS_AT + 8 * index


def _answer(number: int) -> Instruction:
    return RETURN, 0, 0, ANSWER | number


def install(program: bytes, places: list[int]) -> None:
    """Put the filter on this process. It cannot be taken off again."""
    code = bytearray(program)
    for place in places:
        struct.pack_into("<I", code, place, os.getpid())
    set_filter(ctypes.byref(Program(len(code) // 8, bytes(code))))
