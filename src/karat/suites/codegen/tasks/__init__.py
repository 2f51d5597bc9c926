"""Tasks in the project's own form."""
