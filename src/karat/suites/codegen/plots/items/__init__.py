"""The items that a plot is scored by, and how points and texts are compared."""
