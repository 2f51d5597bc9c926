"""What polars' expressions, functions and methods do to a value, in the words of the pandas reader."""
