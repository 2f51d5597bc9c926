"""The rank of every truth, exact on every machine."""
