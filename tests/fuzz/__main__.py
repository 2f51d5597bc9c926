"""``python -m tests.fuzz SECONDS [READER…]``: every reader in turn until the time is over. Exit code 1 when one of them
broke."""

from __future__ import annotations

import random
import sys
import tempfile
import time
import traceback
from pathlib import Path

from tests.fuzz.readers import readers
from tests.fuzz.running import fuzz

EXAMPLES = 200
"""For a reader before it is the turn of the next."""


def main() -> int:
    """The readers that are named, or all."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 120.0
    chosen = [reader for reader in readers() if reader.name in sys.argv[2:] or len(sys.argv) < 3]
    begin = random.SystemRandom().randrange(2**32)
    print(f"fuzz: {len(chosen)} readers, {seconds:g} s, seed {begin}", flush=True)
    end, broken, tried, number = time.monotonic() + seconds, set[str](), 0, 0
    with tempfile.TemporaryDirectory(prefix="karat-fuzz-") as folder:
        while time.monotonic() < end and len(broken) < len(chosen):
            reader = chosen[number % len(chosen)]
            if reader.name not in broken:
                tried += EXAMPLES
                try:
                    fuzz(reader, Path(folder), examples=EXAMPLES, start=begin + number)
                except Exception:
                    traceback.print_exc()
                    broken.add(reader.name)
                    print(
                        f"fuzz: {reader.name} broke with seed {begin + number}. Keep the file in "
                        f"tests/fuzz/found/{reader.name}/"
                    )
            number += 1
    print(
        f"fuzz: {tried:,} files tried, {len(broken)} readers broke{': ' if broken else ''}{', '.join(sorted(broken))}"
    )
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
