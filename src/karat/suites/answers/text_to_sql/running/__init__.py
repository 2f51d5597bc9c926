"""Running the queries of cases: databases, executions, what they read and cost."""
