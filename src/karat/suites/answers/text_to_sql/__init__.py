"""Text-to-SQL: questions with gold SQL and databases. Gold and prediction are executed once each, and every figure is
computed from those two results."""
