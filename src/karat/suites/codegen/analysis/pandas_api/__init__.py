"""What each pandas function and method does to a value."""
