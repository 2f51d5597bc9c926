"""The comment on a pull request: what it says, and where it is posted."""
