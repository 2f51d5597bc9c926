"""SDMX structures and codelists."""
