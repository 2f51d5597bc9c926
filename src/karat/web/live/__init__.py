"""A run while it goes on, and resuming one."""
