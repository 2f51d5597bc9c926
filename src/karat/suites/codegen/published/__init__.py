"""Answers of published sets by the rules of those sets, with the official figure beside the strict one."""
