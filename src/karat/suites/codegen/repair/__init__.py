"""Asking a system to repair its code, and what repairs are worth."""
