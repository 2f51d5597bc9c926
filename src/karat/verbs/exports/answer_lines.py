"""The answers of a run in the form that its suite reads back."""

from __future__ import annotations

from collections.abc import Sequence

from karat.core import plugins
from karat.core.case_files.recorded import Recorded, recorded_lines
from karat.core.json_types import JsonMapping
from karat.core.problems import UserError
from karat.core.records import Prediction


def exported(suite: str, predictions: Sequence[Prediction], options: JsonMapping) -> Recorded:
    """As the suite has them; as plain lines where it has no form of its own, or is not installed."""
    try:
        own = plugins.load_suite(suite).export_predictions
    except (UserError, ImportError):
        own = None
    return recorded_lines(predictions) if own is None else own(predictions, options)
