"""Choosing a ranker and n for each field under one budget.

What the choice takes: for each field a :class:`~karat.search.records.FieldRanks` with its *options*, in the order in
which the user named them. An option is a :class:`~karat.search.records.ModelRanks`, whatever made it (a model, a
fusion, a reranker, a recorded run, a way to cut documents into chunks):

- ``model``: its label, unique within the field; it is printed and stored as it is;
- ``cost``: only the order counts, smaller is cheaper; it decides between two that are otherwise equal;
- ``ranks``: for each question the rank of each of its truths, that is the least n at which the option finds the truth;
  ``NOT_A_VALUE`` where no n does, ``DEEPER`` where the option was not followed deep enough to tell;
- ``tokens``: ``[question, n - 1]``, what its n best values cost for that question (in tokens, or in documents), never
  falling with n. The number of its columns is the largest n of this option; options may differ in it.

All options of a field have the same truths, so all options have as many ranks for a question. What the choice must keep
to is a :class:`~karat.search.choose.limits.Limits`. :func:`karat.search.choose.tuning.tuning_of` makes the whole result
from these; no ranker is asked any more.
"""
