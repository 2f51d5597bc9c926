"""YAML into typed structs with positions, and edits that change nothing else in the file."""
