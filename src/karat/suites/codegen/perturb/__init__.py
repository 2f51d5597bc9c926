"""The same code on changed copies of a task's tables: what only fits the data it was shown is found out."""

from karat.suites.codegen.perturb.check import perturbed

__all__ = ["perturbed"]
