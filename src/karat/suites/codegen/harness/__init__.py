"""Problems that bring their own tests (DS-1000): the answer runs in one sandboxed process, the problem's tests in
another.

``exact``, ``run_answers`` and ``run_tests`` are sent to the sandbox as text. They import only the standard library and
pandas, and keep to the grammar of Python 3.9. ``programs`` puts the text together, ``verdict`` and ``score`` read what
comes back.
"""
