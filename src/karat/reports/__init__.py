"""Results as people and machines read them: terminal, Excel, JSON.

The writers know the model of a report (:mod:`karat.core.report`) and the result of a run, and nothing of any suite.
"""
