"""Warnings about plug-ins, in one line on standard error like every other remark."""

from __future__ import annotations

import warnings
from typing import TextIO


def show_plugin_warnings() -> None:
    """Print a warning about a plug-in without the place in Karat's source; all others as Python does."""
    others = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if category.__name__ != "PluginWarning":  # by its name: loading the module that has it costs time
            others(message, category, filename, lineno, file, line)
            return
        from karat.cli.printing.consoles import stderr

        stderr().print(f"warning: {message}", style="yellow", markup=False, highlight=False, soft_wrap=True)

    warnings.showwarning = show
