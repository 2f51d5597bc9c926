"""Published benchmarks as tasks."""
