"""Statements that run only sometimes or repeatedly: branches, loops, match."""
