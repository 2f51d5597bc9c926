"""A process that writes predictions, one commit each, and says after each that it is stored.

``python writer.py URL RUN PREFIX COUNT``
"""

from __future__ import annotations

import sys

from karat.core.records import Prediction
from karat.store import open_store


def main() -> None:
    url, run, prefix, count = sys.argv[1:]
    with open_store(url) as store:
        for number in range(int(count)):
            store.add_predictions(int(run), [Prediction(f"{prefix}-{number}", response=b"answer " * 50)])
            print(number, flush=True)


if __name__ == "__main__":
    main()
