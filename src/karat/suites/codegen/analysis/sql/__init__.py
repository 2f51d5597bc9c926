"""What a SQL query does to a value, in the words of the pandas reader: its tables are frames, its result is one."""
