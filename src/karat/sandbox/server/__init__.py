"""What runs inside the box: plain Python and pandas, no karat.

The host sends these modules as text to whatever interpreter was chosen, which may be older than the host's own. So they
import only the standard library, each other (relatively) and pandas, and keep to the grammar of Python 3.9.
"""

MODULES = (
    "kernel",
    "privileges",
    "frames",
    "vault",
    "syscalls",
    "seccomp",
    "landlock",
    "scratch",
    "rlimits",
    "pages",
    "forms",
    "plain",
    "snippet",
    "warming",
    "tables",
    "child",
    "forking",
    "watching",
    "main",
)
"""In the order in which they need each other. ``privileges`` acts as soon as it is there, before anything else is
imported."""
