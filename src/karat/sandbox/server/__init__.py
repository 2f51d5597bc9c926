"""What runs inside the sandbox: plain Python, and pandas and numpy where the environment has them; no karat.

The host sends these modules as text to whatever interpreter was chosen, which may be older than the host's own. So they
import only the standard library, each other (relatively) and, through ``libraries``, pandas and numpy, and keep to the
grammar of Python 3.9.
"""

MODULES = (
    "isolation.kernel",
    "isolation.privileges",
    "frames",
    "isolation.private_memory",
    "isolation.syscalls",
    "isolation.seccomp",
    "event_counter",
    "isolation.landlock",
    "isolation.machine_limits",
    "scratch",
    "results.written_files",
    "isolation.rlimits",
    "environment.packages",
    "environment.libraries",
    "page_copies",
    "results.result_libraries",
    "results.result_forms",
    "figures.tick_numbers",
    "figures.said_numbers",
    "figures.trust",
    "figures.axis",
    "figures.bars",
    "figures.lines",
    "figures.placement",
    "figures.covering",
    "figures.overlays",
    "figures.shapes",
    "figures.texts",
    "figures.field_texts",
    "figures.panels",
    "figures.picture",
    "figures.fitted_lines",
    "figures.watch",
    "results.result_data",
    "environment.duckdb_threads",
    "snippet",
    "plain_tables",
    "environment.warm_up",
    "tables",
    "child",
    "forking",
    "watching",
    "sessions.fork_gate",
    "sessions.folder_copies",
    "sessions.session_child",
    "sessions.step_watch",
    "sessions.sessions",
    "main",
)
"""In the order in which they need each other. ``privileges`` acts as soon as it is there, before anything else is
imported; ``packages`` as soon as what encloses the server is there, and before it nothing of the environment runs."""
