"""Which process works on a run, or on a part of one."""
