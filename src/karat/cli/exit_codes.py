"""How ``karat`` ends. A gate in CI reads the exit code, so each one has one meaning, and 1 never means that karat
itself broke.

This module imports nothing heavy: it must be there before anything that can fail or take time.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Iterator

BROKEN = 1
"""A gate failed, or a check found mistakes."""
MISTAKE = 2
"""A usage error."""
ERRORS = 3
"""Finished, with errors in some cases or files."""
CRASH = 70
"""A bug in karat."""
STOPPED = 130
"""Interrupted with Ctrl-C."""


@contextlib.contextmanager
def starting_up() -> Iterator[None]:
    """While modules are loaded there is nothing to tidy up: Ctrl-C ends the process at once and without a word."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.default_int_handler:  # ignored in the background, or somebody else's
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(STOPPED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def reporting_crashes() -> Iterator[None]:
    """An error that nobody foresaw is a bug: its traceback, a line that says so, and an exit code of its own."""
    try:
        yield
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    except BrokenPipeError:  # somebody closed the pipe we print into: karat … | head
        _leave_the_pipe()
    except Exception:
        if _folder_is_gone():
            words = "karat: the current folder no longer exists: it was removed or moved\nGo to another folder with cd."
            print(words, file=sys.stderr)  # noqa: T201 (nothing that could print it better is loaded here)
            sys.exit(MISTAKE)
        traceback.print_exc()
        words = "karat: this is a bug in karat, not in your files. Please report it with the lines above."
        print(words, file=sys.stderr)  # noqa: T201 (the last word, whatever broke)
        sys.exit(CRASH)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):  # the command line library makes a 1 of it
            _leave_the_pipe()
        raise


def _folder_is_gone() -> bool:
    try:
        os.getcwd()  # noqa: PTH109 (pathlib takes longer to load than Ctrl-C is quick)
    except FileNotFoundError:
        return True
    return False


def _leave_the_pipe() -> None:
    with contextlib.suppress(OSError):
        sys.stderr.close()
    sys.exit(0)
