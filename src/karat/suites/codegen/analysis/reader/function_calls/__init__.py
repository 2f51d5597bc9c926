"""Calls: of the code's own functions and classes, of functions that call others, in each dialect."""
