"""Files of other tools as rows: spreadsheets, JSON lines, promptfoo, inspect_ai, LangSmith, Langfuse."""
