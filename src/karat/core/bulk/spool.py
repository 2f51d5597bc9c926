"""Records as bytes, in the order they came: in memory while they are few, then in a file without a name."""

from __future__ import annotations

from array import array
from threading import Lock

MEMORY = 8 * 1024 * 1024
"""Bytes that are held before the file is made."""


class Spool:
    """Any number of records; each costs 8 bytes of memory. The file is gone when the spool is."""

    def __init__(self, memory: int = MEMORY) -> None:
        from tempfile import SpooledTemporaryFile  # a tenth of the time that "karat --help" may take

        self._file = SpooledTemporaryFile(max_size=memory)  # noqa: SIM115 (as long as the spool)
        self._ends = array("q", [0])
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._ends) - 1

    @property
    def size(self) -> int:
        """Bytes of all records together."""
        return self._ends[-1]

    def add(self, record: bytes) -> None:
        """Append one record."""
        with self._lock:
            self._file.seek(self._ends[-1])
            self._file.write(record)
            self._ends.append(self._ends[-1] + len(record))

    def extend(self, records: list[bytes]) -> None:
        """Append several in one step."""
        with self._lock:
            self._file.seek(self._ends[-1])
            self._file.write(b"".join(records))
            for record in records:
                self._ends.append(self._ends[-1] + len(record))

    def read(self, start: int, stop: int) -> list[bytes]:
        """The records from ``start`` up to ``stop``, as far as there are any."""
        stop = min(stop, len(self))
        if start >= stop:
            return []
        begin = self._ends[start]
        with self._lock:
            self._file.seek(begin)
            data = self._file.read(self._ends[stop] - begin)
        return [data[self._ends[at] - begin : self._ends[at + 1] - begin] for at in range(start, stop)]
