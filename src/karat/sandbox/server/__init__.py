"""What runs inside the sandbox: plain Python, and pandas and numpy where the environment has them; no karat.

The host sends these modules as text to whatever interpreter was chosen, which may be older than the host's own. So they
import only the standard library, each other (relatively) and, through ``libraries``, pandas and numpy, and keep to the
grammar of Python 3.9.
"""

MODULES = (
    "kernel",
    "privileges",
    "frames",
    "private_memory",
    "syscalls",
    "seccomp",
    "landlock",
    "machine_limits",
    "scratch",
    "written_files",
    "rlimits",
    "packages",
    "libraries",
    "page_copies",
    "result_libraries",
    "result_forms",
    "figure_axis",
    "figure_bars",
    "figure_lines",
    "figure_shapes",
    "figure_panels",
    "figure_picture",
    "figure_watch",
    "result_data",
    "duckdb_threads",
    "snippet",
    "plain_tables",
    "warm_up",
    "tables",
    "child",
    "forking",
    "watching",
    "fork_gate",
    "folder_copies",
    "session_child",
    "step_watch",
    "sessions",
    "main",
)
"""In the order in which they need each other. ``privileges`` acts as soon as it is there, before anything else is
imported; ``packages`` as soon as what encloses the server is there, and before it nothing of the environment runs."""
