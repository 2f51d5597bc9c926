"""Sessions: tasks of several steps that build on each other, run in one state and judged step by step."""
