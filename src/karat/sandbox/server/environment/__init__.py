"""The environment's packages: let in, imported where they are there, used once before the first snippet."""
