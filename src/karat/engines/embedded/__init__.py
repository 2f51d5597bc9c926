"""Databases that run inside a process of ours (SQLite, DuckDB), each query in a child process that can be killed.

The child has a memory ceiling of its own and stays warm: it keeps its databases open, and a small query costs a message
there and back. A child that does not stop in time, or that dies, is replaced.
"""
