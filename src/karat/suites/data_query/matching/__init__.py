"""A selection against its target in one dimension, with what the structures say about codes."""
