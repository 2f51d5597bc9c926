"""Answers and golds that are SQL."""
