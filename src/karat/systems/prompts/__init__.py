"""Prompts of live systems: templates, and the process that renders them."""
