"""Bulk data in compressed blocks: their format, their tables, and what blocks of each kind hold."""
