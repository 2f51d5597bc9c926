"""The inspect_ai side of the harness benchmark. Runs in that tool's own environment: ``python harness_inspect.py N
FOLDER``.

A task of N samples, its mock model, the ``match`` scorer, everything logged to the folder as it does by default. The
mock's outputs carry ``usage``: without it inspect_ai would count tokens with a vocabulary that it downloads.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

# By name, not by import statements: the package is in another environment than the one in which types are checked.
inspect_ai: Any = import_module("inspect_ai")
dataset: Any = import_module("inspect_ai.dataset")
model: Any = import_module("inspect_ai.model")
scorer: Any = import_module("inspect_ai.scorer")


def answer(*_: object) -> Any:
    """The same answer every time."""
    output = model.ModelOutput.from_content(model="mockllm/model", content="42")
    output.usage = model.ModelUsage(input_tokens=10, output_tokens=1, total_tokens=11)
    return output


def main(count: int, folder: str) -> None:
    samples = [
        dataset.Sample(id=f"s{number}", input=f"What is the answer? ({number})", target="42") for number in range(count)
    ]
    task = inspect_ai.Task(name="overhead", dataset=dataset.MemoryDataset(samples), scorer=scorer.match())
    mock = model.get_model("mockllm/model", custom_outputs=answer)
    (log,) = inspect_ai.eval(task, model=mock, log_dir=folder, display="none")
    accuracy = log.results.scores[0].metrics["accuracy"].value if log.results else None
    if log.status != "success" or accuracy != 1.0 or log.results.completed_samples != count:
        raise SystemExit(f"inspect_ai did not score all samples: {log.status}, accuracy {accuracy}")


main(int(sys.argv[1]), sys.argv[2])
